package apiclient

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
)

// Limits on what is kept of a comparison.
const (
	mostDifferences = 100 // of one record
	valueLimit      = 300 // characters of one value
)

// Difference is a field for which the service's answer has a different value than was sent. A value of several parts is
// listed with commas. Stored is "" if the answer has no value.
type Difference struct {
	Field  string // "name", "files[3].user_id"
	Sent   string
	Stored string
}

// ReadBack is the result of comparing an accepted payload with the answer. The package comment says what counts as
// equal.
type ReadBack struct {
	Fields      []string // the fields that the answer shows, each once and without list positions: "name", "files.user_id"
	Differences []Difference
}

// comparison compares a payload with the answer to it.
type comparison struct {
	fields   []payload.Field // of the operation
	replaces bool            // an empty value that is sent means that there is none
	skip     []string        // fields that are not compared
	found    ReadBack
}

// readBack compares a payload with the members of the answer that accepted it. id is the id of the updated record, or
// "" for a new one.
func readBack(op payload.Operation, id string, sent []byte, stored jsontext.Object, skip []string) ReadBack {
	var members jsontext.Object
	if _, isRecord := stored.Find(op.About().Title); isRecord {
		members, _ = jsontext.SplitObject(sent)
	} else if id != "" { // the answer is only a message about the record
		members = jsontext.Object{{Name: []byte("id"), Value: jsontext.AppendString(nil, id)}}
	}
	return compare(op, members, stored, skip)
}

// lately remembers which records the last requests of a client were about.
type lately struct {
	mu     sync.Mutex
	latest [512]string
	next   int
	times  map[string]int // in latest
}

// record names what a payload or an answer is about: the id of an updated record; the name of a new one, and its number
// if it has one. It returns "" if that is not shown.
func record(op payload.Operation, id string, members jsontext.Object) string {
	about := op.About()
	if !op.Creates() {
		return canonical(id)
	}
	name := string(op)
	for _, field := range []string{about.Title, about.Key} {
		value, _ := members.Find(field)
		texts, ok := says(value, false)
		if !ok || len(texts) != 1 {
			return ""
		}
		name += "\x00" + strings.ToLower(canonical(texts[0]))
	}
	return name
}

// add notes what a request is about.
func (l *lately) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == nil {
		l.times = map[string]int{}
	}
	if old := l.latest[l.next]; l.times[old] > 1 {
		l.times[old]--
	} else {
		delete(l.times, old)
	}
	l.latest[l.next] = name
	l.times[name]++
	l.next = (l.next + 1) % len(l.latest)
}

// another reports whether an answer is about another record than the request: about one that was sent a moment ago. So
// it is when the answers on a connection are one behind. An answer about anything else may be the service's way to
// answer; the comparison with what was sent notes it.
func (l *lately) another(name, answered string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return name != "" && answered != "" && answered != name && l.times[answered] > 0
}

// elsewhere reports whether the members of an answer are about another record, which was sent a moment ago. Most answers
// to updates name theirs.
func (d *delivery) elsewhere(members jsontext.Object) bool {
	if d.operation == opList || d.id != "" && textOf(members, "id") == d.id {
		return false
	}
	return d.client.lately.another(d.record, record(d.operation, idOf(members), members))
}

func compare(op payload.Operation, sent, stored jsontext.Object, skip []string) ReadBack {
	c := comparison{fields: payload.Fields(op, payload.Switches{}), replaces: op.About().Replaces, skip: skip}
	c.object("", sent, stored)
	return c.found
}

// Compare compares a payload with a record told by Told, in the same way as answers are compared with what was sent.
func Compare(op payload.Operation, sent, told []byte) ReadBack {
	members, _ := jsontext.SplitObject(sent)
	stored, _ := jsontext.SplitObject(told)
	return compare(op, members, stored, nil)
}

// Told returns what a list item shows of a record, as an object with the payload's names for an operation. A field is
// read from the member that places names for it (a dot leads into an object). Otherwise it is read from the member in
// which an answer of the service would show it: under its own name, or for the id of a record under the record's.
func Told(op payload.Operation, item []byte, places map[string]string) []byte {
	members, _ := jsontext.SplitObject(item)
	told := []byte{'{'}
	for _, f := range payload.Fields(op, payload.Switches{}) {
		value, there := shown(members, f.Name)
		if place, named := places[f.Name]; named {
			value = valueAt(members, place)
			there = value != nil
		}
		if !there || f.Order || f.Name == "id" {
			continue
		}
		told = append(jsontext.AppendName(told, f.Name), value...)
	}
	return append(told, '}')
}

func (c *comparison) object(path string, sent, stored jsontext.Object) {
	for _, m := range sent {
		name := string(m.Name)
		value, there := shown(stored, name)
		var field payload.Field
		if n := slices.IndexFunc(c.fields, func(f payload.Field) bool { return f.Name == name }); path == "" && n >= 0 {
			field = c.fields[n]
		}
		switch {
		case !there, vacant(value) && (path == "" && name == "id" || field.Order), vacant(m.Value) && !c.replaces:
			// not shown; or an instruction, which is carried out and not stored
		case field.Identity != nil && !vacant(m.Value) && !vacant(value):
			c.items(path+name, field.Identity, m.Value, value)
		default:
			c.field(path+name, m.Value, value)
		}
	}
}

// field compares one value.
func (c *comparison) field(path string, sent, stored []byte) {
	if sent[0] != '[' && sent[0] != '{' && bytes.Equal(sent, stored) { // as mostly; there is nothing to interpret
		c.reads(path)
		return
	}
	if list := sent[0] == '['; !vacant(sent) && !vacant(stored) && list != (stored[0] == '[') {
		return
	}
	was, sayable := says(sent, true)
	if !sayable {
		was = []string{string(sent)}
	}
	is, known := says(stored, strings.HasSuffix(path, "_id") || sent[0] == '[')
	if !known || len(is) > 0 && len(was) > 0 && (instant(was[0]) && !instant(is[0]) || sent[0] == '[' && isID(was[0]) && !isID(is[0])) || !c.reads(path) {
		return
	}
	if !slices.EqualFunc(was, is, func(a, b string) bool { return same(path, sent, a, b) }) {
		c.differs(path, strings.Join(was, ", "), strings.Join(is, ", "))
	}
}

// reads records that the answer shows a field. It returns false if the field must not be compared.
func (c *comparison) reads(path string) bool {
	field := payload.FieldOf(path)
	if slices.Contains(c.skip, field) {
		return false
	}
	if !slices.Contains(c.found.Fields, field) {
		c.found.Fields = append(c.found.Fields, field)
	}
	return true
}

func (c *comparison) differs(path, sent, stored string) {
	switch n := len(c.found.Differences); {
	case n < mostDifferences:
		c.found.Differences = append(c.found.Differences, Difference{path, sent, stored})
	case n == mostDifferences:
		c.found.Differences = append(c.found.Differences, Difference{Field: path, Sent: "… and more"})
	}
}

// items compares the elements of a list, whatever their order. Elements with the same identity are not compared.
func (c *comparison) items(path string, identity []string, sent, stored []byte) {
	was, _ := jsontext.SplitList(sent)
	is, _ := jsontext.SplitList(stored)
	known := map[string][]jsontext.Object{}
	for _, item := range is {
		members, _ := jsontext.SplitObject(item)
		if name, ok := identify(members, identity); ok {
			known[name] = append(known[name], members)
		}
	}
	if len(known) == 0 {
		return
	}
	for n, item := range was {
		members, _ := jsontext.SplitObject(item)
		name, ok := identify(members, identity)
		if !ok {
			continue
		}
		at := path + "[" + strconv.Itoa(n) + "]."
		switch found := known[name]; {
		case len(found) == 1:
			c.object(at, slices.DeleteFunc(members, func(m jsontext.Member) bool { return string(m.Name) == "id" }), found[0])
		case len(found) == 0 && c.reads(at+identity[len(identity)-1]):
			c.differs(at+identity[len(identity)-1], strings.ReplaceAll(name, "\x00", ", "), "")
		}
	}
}

// identify returns the identity of an element.
func identify(members jsontext.Object, identity []string) (string, bool) {
	var names []string
	for _, member := range identity {
		value, there := shown(members, member)
		text, ok := says(value, true)
		switch {
		case !there || !ok || len(text) != 1:
		case payload.IsNumeral(text[0]) && strings.Contains(text[0], "."): // 12 is 12.0
			names = append(names, strings.TrimRight(strings.TrimRight(text[0], "0"), "."))
		default:
			names = append(names, canonical(text[0]))
		}
	}
	return strings.Join(names, "\x00"), len(names) == len(identity)
}

// shown finds what an answer shows of a member: under its name, or for the id of a record under the record's.
func shown(stored jsontext.Object, name string) (value []byte, there bool) {
	if value, there = stored.Find(name); there {
		return value, true
	}
	record, isID := strings.CutSuffix(name, "_id")
	if !isID {
		return nil, false
	}
	if record == "file_client" {
		record = "client"
	}
	if value, there = stored.Find(record); there && value[0] == '"' && !vacant(value) {
		_, err := uuid.Parse(jsontext.Text(value))
		there = err == nil // otherwise it is a name
	}
	return value, there
}

// says returns the text of a value, or the texts of a list in order; none for an empty one. records says that an object
// stands for its id. ok is false if the value has a form that cannot be compared.
func says(value []byte, records bool) (texts []string, ok bool) {
	switch {
	case vacant(value):
		return nil, true
	case value[0] == '[' && records:
		items, _ := jsontext.SplitList(value)
		for _, item := range items {
			one, ok := says(item, true)
			if !ok || item[0] == '[' {
				return nil, false
			}
			texts = append(texts, one...)
		}
		slices.SortFunc(texts, func(a, b string) int { return strings.Compare(canonical(a), canonical(b)) })
		return slices.CompactFunc(texts, func(a, b string) bool { return canonical(a) == canonical(b) }), true
	case value[0] == '{' && records:
		members, _ := jsontext.SplitObject(value)
		id, there := members.Find("id")
		return []string{jsontext.Text(id)}, there && !vacant(id) && id[0] == '"'
	}
	return []string{jsontext.Text(value)}, value[0] != '[' && value[0] != '{'
}

// vacant reports whether a value says nothing.
func vacant(value []byte) bool {
	switch string(value) {
	case "", "null", `""`, "[]", "{}", `"00000000-0000-0000-0000-000000000000"`:
		return true
	}
	return value[0] == '"' && (value[1] <= ' ' || value[1] == '\\' || value[1] >= utf8.RuneSelf) && strings.TrimSpace(jsontext.Text(value)) == ""
}

// same reports whether two texts are the same value of a field.
func same(field string, sent []byte, was, is string) bool {
	a, b := canonical(was), canonical(is)
	switch first := sent[0]; {
	case a == b:
		return true
	case first == 't', first == 'f', field == "active":
		return strings.EqualFold(a, b)
	case first == '-', first >= '0' && first <= '9':
		return payload.IsNumeral(a) && payload.IsNumeral(b) && max(len(a), len(b)) < 100 && rational(a).Cmp(rational(b)) == 0
	case strings.HasPrefix(a, "{"), strings.HasPrefix(a, "["): // a structured value of a component
		var one, other any
		return json.Unmarshal([]byte(a), &one) == nil && json.Unmarshal([]byte(b), &other) == nil && reflect.DeepEqual(one, other)
	}
	return false
}

func rational(text string) *big.Rat {
	number, _ := new(big.Rat).SetString(text)
	return number
}

// canonical returns the common form of all texts that mean the same: ids in lower case, times in UTC, everything else
// without surrounding white space, with line feeds as line ends and accents composed with their letters.
func canonical(text string) string {
	text = strings.TrimSpace(norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n")))
	if len(text) >= 32 && len(text) <= 38 {
		if id, err := uuid.Parse(text); err == nil {
			return id.String()
		}
	}
	if at, ok := moment(text); ok {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// instant reports whether a text is a date or a time of the service.
func instant(text string) bool {
	_, ok := moment(strings.TrimSpace(text))
	return ok
}

// isID reports whether a text is an id and not a name.
func isID(text string) bool { return uuid.Validate(text) == nil }

// moment reads a date or time in ISO 8601, in UTC if it has no zone.
func moment(text string) (time.Time, bool) {
	if len(text) < len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// keep prepares the result for storage and display: without secrets, and for long values only the part in which they
// differ.
func (r ReadBack) keep(clean func(string) string) ReadBack {
	for n := range r.Differences {
		d := &r.Differences[n]
		d.Sent, d.Stored = clean(d.Sent), clean(d.Stored)
		from := 0
		if len(d.Sent) > valueLimit || len(d.Stored) > valueLimit {
			from = commonStart(d.Sent, d.Stored)
		}
		d.Sent, d.Stored = excerpt(d.Sent, from), excerpt(d.Stored, from)
	}
	return r
}

// commonStart returns the position where two texts begin to differ, minus some context.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return max(0, n-valueLimit/4)
}

func excerpt(text string, from int) string {
	if from > 0 && from < len(text) {
		text = "…" + strings.ToValidUTF8(text[from:], "")
	}
	return shorten(text, valueLimit)
}
