package payload

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
)

// Payload is what is sent for one record.
type Payload struct {
	Operation Operation
	ID        string // the record to update; "" for a create
	Body      []byte // byte for byte
}

// Encode reads a payload strictly and writes it as the switches require: members in the order of Fields, no white
// space, and only the escapes that JSON requires. It does not write a field that the switches leave out. Encode accepts
// its own output with the same switches and returns it unchanged; in that case the Body shares the bytes of text.
//
// If the JSON can be read, the error is an *Error with all problems at once: an unknown member (case counts), a
// duplicate member, a required one missing or null, a value of another type or one that cannot be written as required,
// a name that is too long, an id that names no record, text that is not valid UTF-8, and anything after the object.
// Numbers keep their digits.
func Encode(op Operation, text []byte, s Switches) (Payload, error) {
	if !op.Known() {
		return Payload{}, fmt.Errorf("operation %q is none of %v", op, Operations)
	}
	if !utf8.Valid(text) {
		return Payload{}, &Error{Operation: op, Fields: []fieldError{{Message: "is not valid UTF-8"}}}
	}
	if id, ok := canonicalID(op, text, s); ok {
		return Payload{Operation: op, ID: id, Body: text}, nil
	}
	return written(op, text, s)
}

// written is Encode for any valid UTF-8.
func written(op Operation, text []byte, s Switches) (Payload, error) {
	if err := jsontext.Check(text); err != nil {
		return Payload{}, &Error{Operation: op, Fields: []fieldError{{Message: "is not JSON: " + err.Error()}}}
	}
	e := encoder{switches: s, out: make([]byte, 0, len(text)+64)}
	m := e.object("", text, fieldsFor(op, s).taken)
	p := Payload{Operation: op, Body: e.out}
	if !op.Creates() {
		p.ID = jsontext.Text(m.object.Value("id"))
		if p.ID == "" || p.ID == "." || p.ID == ".." { // an empty one would address all records if the path contains {id}
			e.fail("id", "%q names no record", p.ID)
		}
	}
	if len(e.problems) > 0 {
		return Payload{}, &Error{Operation: op, Fields: e.problems}
	}
	return p, nil
}

// Encoded returns a payload that Encode wrote earlier and that was stored, as it is. It returns an error if the bytes
// are not JSON.
func Encoded(op Operation, body []byte) (Payload, error) {
	if err := jsontext.CheckObject(body); err != nil {
		return Payload{}, &Error{Operation: op, Fields: []fieldError{{Message: "is not JSON: " + err.Error()}}}
	}
	return Unchanged(op, body), nil
}

// Unchanged is Encoded for bytes that are known to be exactly those that Encode wrote.
func Unchanged(op Operation, body []byte) Payload {
	p := Payload{Operation: op, Body: body}
	if !op.Creates() {
		p.ID = jsontext.Text(jsontext.Value(body, "id"))
	}
	return p
}

// encoder writes a payload and collects what is wrong with it.
type encoder struct {
	switches Switches
	out      []byte
	problems []fieldError
}

func (e *encoder) fail(field, format string, args ...any) {
	e.problems = append(e.problems, fieldError{Field: strings.TrimSuffix(field, "."), Message: fmt.Sprintf(format, args...)})
}

// object reads an object and writes those of its members that are fields.
func (e *encoder) object(path string, text []byte, fields []Field) *members {
	m := newMembers(text)
	if m == nil {
		e.fail(path, "is not a JSON object")
		return &members{}
	}
	e.out = append(e.out, '{')
	if len(fields) > 0 && &fields[0] == &componentFields[0] {
		e.componentID(m)
	}
	for n := range fields {
		e.member(path, m, &fields[n])
	}
	e.out = append(e.out, '}')
	for n, rest := range m.object {
		switch {
		case m.taken[n]:
		case m.twice(n):
			e.fail(path+string(rest.Name), "is there twice")
		default:
			e.fail(path+string(rest.Name), "is not a field of this operation")
		}
	}
	return m
}

// componentID writes the id of a component as the switch requires, and accepts one that it has written before.
func (e *encoder) componentID(m *members) {
	written := []byte("null")
	switch e.switches.ComponentID {
	case ComponentIDSame:
		written = jsontext.AppendString(nil, jsontext.Text(m.object.Value("file_template_component_id")))
	case ComponentIDNull:
	default:
		return
	}
	if bytes.Equal(m.object.Value("id"), written) {
		m.take("id")
	}
	e.out = append(jsontext.AppendName(e.out, "id"), written...)
}

func (e *encoder) member(path string, m *members, f *Field) {
	value, there := m.take(f.Name)
	switch {
	case !there && (f.Required || f.Always):
		e.fail(path+f.Name, "is missing")
		return
	case !there:
		return
	}
	before := len(e.out)
	e.out = jsontext.AppendName(e.out, f.Name)
	if string(value) == "null" && (f.Nullable || !f.Required && !f.Always) {
		e.out = append(e.out, value...)
	} else if err := e.value(path, f, value); err != nil {
		e.fail(path+f.Name, "%v", err)
	}
	if f.unsent {
		e.out = e.out[:before]
	}
}

// value writes a value, or says what it should have been.
func (e *encoder) value(path string, f *Field, value []byte) error {
	switch f.Type {
	case TypeBool:
		return e.bool(f, value)
	case TypeGUIDs:
		return e.texts(value)
	case TypeItems:
		return e.objects(path+f.Name, value, f.Items)
	case TypeComponents:
		return e.objects(path+f.Name, value, componentFields)
	}
	if f.plain(value) {
		e.out = append(e.out, value...)
		return nil
	}
	text, err := readText(value)
	if f.digits && jsontext.IsNumber(value) {
		text, err = string(value), nil
	} else if err != nil && f.digits {
		err = fmt.Errorf("must be a number or text, not %s", shorten(value))
	}
	if err != nil {
		return err
	}
	return e.text(f, text)
}

// plain reports whether a value is a text that is already as it would be written, which is nearly always so.
func (f *Field) plain(value []byte) bool {
	const quotes = 2
	return value[0] == '"' && f.Type != TypeNumber && f.Type != TypeInteger && bytes.IndexByte(value, '\\') < 0 &&
		(f.Max == 0 || len(value)-quotes <= f.Max || utf8.RuneCount(value)-quotes <= f.Max)
}

// text writes a text or a number.
func (e *encoder) text(f *Field, text string) error {
	if n := utf8.RuneCountInString(text); f.Max > 0 && n > f.Max {
		return fmt.Errorf("has %d characters: the service takes at most %d", n, f.Max)
	}
	switch {
	case f.Type == TypeNumber && !IsNumeral(text):
		return fmt.Errorf("%q cannot be sent as a number without changing it; send it as text (switch folder_file_number) or correct it", text)
	case f.Type == TypeInteger && (!IsNumeral(text) || strings.Contains(text, ".")):
		return fmt.Errorf("%q cannot be sent as an integer without changing it; send it as text (switch registration_number) or correct it", text)
	case f.Type == TypeNumber, f.Type == TypeInteger:
		e.out = append(e.out, text...)
	default:
		e.out = jsontext.AppendString(e.out, text)
	}
	return nil
}

func (e *encoder) bool(f *Field, value []byte) error {
	plain := string(value)
	if f.asText {
		plain = strings.Trim(plain, `"`)
	}
	if plain != "true" && plain != "false" {
		return fmt.Errorf("must be true or false, not %s", shorten(value))
	}
	if f.asText {
		e.out = jsontext.AppendPlain(e.out, plain)
	} else {
		e.out = append(e.out, plain...)
	}
	return nil
}

func (e *encoder) texts(value []byte) error {
	list, ok := jsontext.SplitList(value)
	if !ok {
		return fmt.Errorf("must be a list of texts, not %s", shorten(value))
	}
	e.out = append(e.out, '[')
	for n, value := range list {
		text, err := readText(value)
		if err != nil {
			return fmt.Errorf("item %d %w", n+1, err)
		}
		if n > 0 {
			e.out = append(e.out, ',')
		}
		e.out = jsontext.AppendString(e.out, text)
	}
	e.out = append(e.out, ']')
	return nil
}

func (e *encoder) objects(path string, value []byte, fields []Field) error {
	list, ok := jsontext.SplitList(value)
	if !ok {
		return fmt.Errorf("must be a list of objects, not %s", shorten(value))
	}
	e.out = append(e.out, '[')
	for n, value := range list {
		if n > 0 {
			e.out = append(e.out, ',')
		}
		e.object(path+"["+strconv.Itoa(n)+"].", value, fields)
	}
	e.out = append(e.out, ']')
	return nil
}

func readText(value []byte) (string, error) {
	if value[0] != '"' {
		return "", fmt.Errorf("must be text, not %s", shorten(value))
	}
	text := jsontext.Text(value)
	// Half of a surrogate pair is not a character: the decoder replaces it with U+FFFD, which the source never
	// contained.
	if strings.ContainsRune(text, utf8.RuneError) && !bytes.ContainsRune(value, utf8.RuneError) && !bytes.Contains(bytes.ToLower(value), []byte(`\ufffd`)) {
		return "", fmt.Errorf("holds half of a surrogate pair: %s", shorten(value))
	}
	return text, nil
}

// IsNumeral reports whether a text is a JSON number as it is. Exponents are not allowed: "1E5" in a docket is a
// reference, not a hundred thousand.
func IsNumeral(text string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if !digits(whole) || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	return !point || digits(fraction)
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
