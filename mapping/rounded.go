package mapping

import (
	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// canBeRounded tells if the field's value is a name that things are found by, so that a digit lost in it is another thing: a key, a
// reference, what a lookup is asked for, and the components of a firm's own that are text.
func (f *field) canBeRounded() bool {
	return f.target.Reference || f.lookup != "" || f.component && f.target.Type == payload.TypeText
}

// rounded says that a spreadsheet cut off digits of the field's text; nil where the field takes such a text.
func (f *field) rounded(text string, kind table.Kind) *reason.Problem {
	if f.keepRounded || !f.canBeRounded() {
		return nil
	}
	return value.Rounded(text, kind)
}
