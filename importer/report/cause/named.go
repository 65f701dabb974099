package cause

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

var (
	// namedFirst are the names with which a message begins: "client_id: is not known", "files[2].number: …", "client_id, user_id: …".
	// The client writes the fields of a structured answer in the same way.
	namedFirst = regexp.MustCompile(`^(` + namedPath + `(?:, ?` + namedPath + `)*):(?:\s|$)`)
	// inComponents is an element of components, or a member of one.
	inComponents = regexp.MustCompile(`^components\[(\d+)\]`)
)

const namedPath = `[A-Za-z_][A-Za-z0-9_]*(?:\[\d+\]|\.[A-Za-z0-9_-]+)*`

// namedFields are the fields that the service names at the beginning of its words, as origins call them; none where it does
// not begin with names alone. Names within a sentence are not looked for: "name" and "number" are words of the language too.
func namedFields(r ledger.Record, why ledger.Reason) []string {
	found := namedFirst.FindStringSubmatch(why.Message)
	if found == nil {
		return nil
	}
	var fields []string
	for name := range strings.SplitSeq(found[1], ",") {
		name = strings.TrimSpace(name)
		if place := inComponents.FindStringSubmatch(name); place != nil {
			fields = append(fields, "components."+componentAt(r, place[1]))
			continue
		}
		fields = append(fields, payload.FieldOf(name))
	}
	return fields
}

// componentAt is the id of the component at that place of what was sent, "" when there is none.
func componentAt(r ledger.Record, place string) string {
	body := r.Body
	if len(body) == 0 {
		body = r.Payload
	}
	components, unread := payload.Components(body)
	at, err := strconv.Atoi(place)
	if unread != nil || err != nil || at >= len(components) {
		return ""
	}
	return components[at].ID
}

// keyOrigin is the origin of a record's key, which is no field of the service.
const keyOrigin = "key"

// originColumns are the columns from which the fields were read in a source, each once; none where the run did not keep them.
func originColumns(run ledger.Run, source int, fields []string) []int {
	var columns []int
	for _, origin := range wording.SourceOf(run, source).Origins {
		if origin.Field == keyOrigin || !slices.Contains(fields, origin.Field) {
			continue
		}
		for _, column := range origin.Columns {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}
