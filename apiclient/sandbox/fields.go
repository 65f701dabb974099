package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Reason is one thing that is wrong with a request. Field is the path of the member ("files[2].number"), the name of a
// header, or empty for the request as a whole.
type Reason struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// reasons collects everything that is wrong with a request.
type reasons struct{ list []Reason }

func (r *reasons) add(field, format string, args ...any) {
	r.list = append(r.list, Reason{Field: field, Message: fmt.Sprintf(format, args...)})
}

// need says whether a member must be present.
type need bool

const (
	required need = true
	optional need = false
)

// fields reads the members of one object. Each method takes one member out; done reports what is left.
type fields struct {
	path    string
	left    []member
	reasons *reasons
	index   *index
}

// object opens v for reading, or reports that it is not an object.
func (r *reasons) object(path string, v value, x *index) (*fields, bool) {
	if v.form != anObject {
		r.add(path, "must be an object, not %s", v.form)
		return nil, false
	}
	f := &fields{path: path, reasons: r, index: x}
	for _, m := range v.inner {
		if slices.ContainsFunc(f.left, func(seen member) bool { return seen.name == m.name }) {
			r.add(f.at(m.name), "occurs more than once")
			continue
		}
		f.left = append(f.left, m)
	}
	return f, true
}

// inside opens an element of an array of this object.
func (f *fields) inside(name string, i int, v value) (*fields, bool) {
	return f.reasons.object(fmt.Sprintf("%s[%d]", f.at(name), i), v, f.index)
}

func (f *fields) at(name string) string {
	if f.path == "" {
		return name
	}
	return f.path + "." + name
}

func (f *fields) fault(name, format string, args ...any) { f.reasons.add(f.at(name), format, args...) }

// has reports whether a member is present and has not been taken yet.
func (f *fields) has(name string) bool {
	return slices.ContainsFunc(f.left, func(m member) bool { return m.name == name })
}

// take removes a member. It reports a missing member that is required.
func (f *fields) take(name string, n need) (value, bool) {
	for i, m := range f.left {
		if m.name == name {
			f.left = slices.Delete(f.left, i, i+1)
			return m.value, true
		}
	}
	if n == required {
		f.fault(name, "is required")
	}
	return value{}, false
}

// typed takes a member of one form.
func (f *fields) typed(name string, n need, want form) (value, bool) {
	v, there := f.take(name, n)
	if there && v.form != want {
		f.fault(name, "must be %s, not %s", want, v.form)
		return value{}, false
	}
	return v, there
}

// text takes a string of at most limit characters; 0 means no limit.
func (f *fields) text(name string, n need, limit int) (string, bool) {
	v, ok := f.typed(name, n, aString)
	if count := utf8.RuneCountInString(v.text); ok && limit > 0 && count > limit {
		f.fault(name, "has %d characters, at most %d are allowed", count, limit)
		return "", false
	}
	return v.text, ok
}

func (f *fields) boolean(name string, n need) bool {
	v, _ := f.typed(name, n, aBoolean)
	return v.text == "true"
}

// guid takes a GUID, in lower case.
func (f *fields) guid(name string, n need) string {
	v, ok := f.typed(name, n, aString)
	if !ok {
		return ""
	}
	return f.asGUID(name, v.text)
}

// guidOrNull takes a member that must be present; it returns "" for null.
func (f *fields) guidOrNull(name string) string {
	v, there := f.take(name, required)
	switch {
	case v.form == aString:
		return f.asGUID(name, v.text)
	case there && v.form != aNull:
		f.fault(name, "must be a string or null, not %s", v.form)
	}
	return ""
}

func (f *fields) asGUID(name, text string) string {
	id, ok := parseGUID(text)
	if !ok {
		f.fault(name, "%s is not a GUID", quoted(text))
	}
	return id
}

// reference takes the GUID of a known record.
func (f *fields) reference(name string, n need, k kind) string {
	id := f.guid(name, n)
	if id == "" {
		return ""
	}
	return f.checked(name, id, k)
}

func (f *fields) checked(name, id string, k kind) string {
	if trouble := f.index.fault(k, id); trouble != "" {
		f.fault(name, "%s", trouble)
		return ""
	}
	return id
}

// references takes an optional array of GUIDs of known records.
func (f *fields) references(name string, k kind) []string {
	v, _ := f.typed(name, optional, anArray)
	var ids []string
	for i, item := range v.inner {
		at := fmt.Sprintf("%s[%d]", name, i)
		if item.value.form != aString {
			f.fault(at, "must be a string, not %s", item.value.form)
			continue
		}
		if id := f.asGUID(at, item.value.text); id != "" {
			ids = append(ids, f.checked(at, id, k))
		}
	}
	return ids
}

// date takes an optional time in UTC.
func (f *fields) date(name string) {
	v, ok := f.typed(name, optional, aString)
	if ok && !isDate(v.text) {
		f.fault(name, "%s is not an ISO 8601 date in UTC such as 2024-03-01T00:00:00Z", quoted(v.text))
	}
}

func isDate(text string) bool {
	_, err := time.Parse("2006-01-02T15:04:05Z", text)
	return err == nil
}

// link takes an optional absolute URL.
func (f *fields) link(name string) {
	v, ok := f.typed(name, optional, aString)
	if !ok {
		return
	}
	u, err := url.Parse(v.text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		f.fault(name, "%s is not a URL that starts with http:// or https://", quoted(v.text))
	}
}

// done reports the members that were not taken.
func (f *fields) done() {
	for _, m := range f.left {
		f.fault(m.name, "is not a member of this object")
	}
}

// quoted quotes a value in a message, shortened.
func quoted(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

// isInteger reports whether a number literal is an integer in the sense of a schema.
func isInteger(literal string) bool { return !strings.ContainsAny(literal, ".eE") }

// raw returns a value without inner ones as JSON.
func (v value) raw() json.RawMessage {
	if v.form != aString {
		return json.RawMessage(cmp.Or(v.text, "null"))
	}
	text, _ := json.Marshal(v.text) // a string of valid JSON always encodes
	return text
}
