package mapping

import (
	"fmt"

	"docketsync/mapping/reason"
	"docketsync/mapping/value"
)

// boundItems is a list of entries bound to a header.
type boundItems struct {
	*itemsPlan
	fields  []*boundField
	split   int
	classes []int
	texts   []int
	sources []int // columns of the entry's own, to tell a row without an entry
}

func (b *binder) items(plan *itemsPlan) *boundItems {
	bound := &boundItems{itemsPlan: plan, fields: b.fields(plan.fields)}
	switch plan.mode {
	case itemsSplit:
		bound.split = b.column(plan.column)
	case itemsPairs:
		bound.classes = b.series(plan.classes)
		if plan.texts.name != "" {
			bound.texts = b.series(plan.texts)
		}
	case itemsFlags:
		bound.classes = b.series(plan.classes)
	case itemsRows:
		for _, f := range bound.fields {
			bound.sources = append(bound.sources, f.at...)
			if f.program != nil {
				bound.sources = append(bound.sources, f.program.At...)
			}
		}
	}
	return bound
}

func (b *binder) series(template columnRef) []int {
	found := b.columns.Series(template.name)
	if len(found) == 0 {
		b.add(template.place.fault(fmt.Sprintf("the file has no columns %q", template.name),
			b.columns.suggest(template.name)))
	}
	for _, column := range found {
		b.columns.read[column] = true
	}
	return found
}

// boundComponents are the components of a case with their ids.
type boundComponents struct {
	items []*boundField
	ids   []string
}

func (b *binder) components(plan *componentsPlan) *boundComponents {
	bound := &boundComponents{items: b.fields(plan.items)}
	for _, ref := range plan.names {
		id, isID := value.GUID(ref.name)
		if ids := b.lookups[plan.lookup]; ids != nil {
			if _, listed := ids.ID(ref.name); listed || !isID {
				var fail *reason.Problem
				if id, fail = ids.Find(ref.name); fail != nil {
					b.fault(ref.place, fail.Message, fail.Hint)
				}
			}
		}
		bound.ids = append(bound.ids, id)
	}
	return bound
}
