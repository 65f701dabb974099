package mapping

import (
	"bytes"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Trait is something about a record that no other record of the file should have. Records of one file whose traits are equal
// deserve the look that the check of that name stands for. Sum stands for a text: two texts that differ have the same one
// by a chance of less than one in a million, in a file of a million records.
type Trait struct {
	Check string
	Sum   uint64
}

// Comparison is a check that compares the records of all rows with each other.
type Comparison struct {
	Check
	Field string // that the records share, as reasons name it
	sum   func(m *Mapper, key []byte) (uint64, bool)
}

// comparisons lists the checks that compare records. What would be created twice, or be overwritten by whichever of two
// updates comes last, is an error; a number that two records share may be right: the designations of one international
// registration have it, and so have the parts of a divided application.
var comparisons = []Comparison{
	{Check{reason.Twin, operations(true), "error", nil}, "key", twinOfKey},
	{Check{reason.Twin, operations(false), "warn", nil}, "key", twinOfKey},
	{Check{"number_repeated", []payload.Operation{payload.CreateCase}, "error", nil}, "number", number("number", "")},
	{Check{"number_repeated", []payload.Operation{payload.UpdateCase}, "warn", nil}, "number", number("number", "")},
	{Check{"id_repeated", operations(false), "error", nil}, "id", identity},
	{Check{"application_number_repeated", marks, "warn", nil}, "application_number", number("application_number", "registry_id")},
	{Check{"registration_number_repeated", marks, "warn", nil}, "registration_number", number("registration_number", "registry_id")},
	{Check{fileInTwoFolders, []payload.Operation{payload.CreateFolder}, "warn", nil}, "files.number", nil}, // collected with the entries
}

// operations are those that create, or those that do not.
func operations(create bool) (list []payload.Operation) {
	for _, op := range payload.Operations {
		if op.Creates() == create {
			list = append(list, op)
		}
	}
	return list
}

const fileInTwoFolders = "file_number_in_two_folders"

// TwinTrait is the trait of a record with this key; false for a key without a letter or digit.
func TwinTrait(key string) (Trait, bool) {
	sum, ok := twinOfKey(nil, table.AppendTwin(nil, key))
	return Trait{reason.Twin, sum}, ok
}

// Comparison returns the comparison of that name as the mapping has it, and whether it rejects; what does not reject is
// noted. ok is false when it is off, or the operation has none of that name.
func (m *Mapping) Comparison(name string) (c Comparison, rejects, ok bool) {
	for _, c := range comparisons {
		if c.Name == name && slices.Contains(c.Operations, m.operation) && m.checks[name] != levelOff {
			return c, m.checks[name] == levelError, true
		}
	}
	return c, false, false
}

// Comparisons lists the comparisons that are on.
func (m *Mapping) Comparisons() []Comparison {
	var on []Comparison
	for _, c := range comparisons {
		if slices.Contains(c.Operations, m.operation) && m.checks[c.Name] != levelOff {
			on = append(on, c)
		}
	}
	return on
}

// traits are those of the record in hand, also when it has reasons against it: its twin is not to be sent in its place.
func (m *Mapper) traits(key string) []Trait {
	if key == "" || len(m.checks.compared) == 0 {
		return nil
	}
	m.twin = table.AppendTwin(m.twin[:0], key)
	list := make([]Trait, 0, len(m.checks.compared)+len(m.fileSums))
	for i := range m.checks.compared {
		c := &m.checks.compared[i]
		if c.sum == nil {
			for _, sum := range m.fileSums {
				list = append(list, Trait{c.Name, sum})
			}
		} else if sum, ok := c.sum(m, m.twin); ok {
			list = append(list, Trait{c.Name, sum})
		}
	}
	return list
}

func twinOfKey(_ *Mapper, key []byte) (uint64, bool) { return sumOf(nil, key), len(key) > 0 }

// identity is the id that an update names. One that stands in the mapping itself is not compared, and neither is a name
// for which there is no id.
func identity(m *Mapper, _ []byte) (uint64, bool) {
	f := m.checks.fields["id"]
	if f == nil || !f.given || f.source == "" {
		return 0, false
	}
	id := m.written(f)
	return sumOf(nil, id), len(id) > 0
}

// number is the number in a field, together with the value of another. Numbers are compared as keys are, because one
// system has the zeros in front that another has dropped; a word such as "pending" or 0000 is no number; and one that is
// the key itself is left to the comparison of keys.
func number(field, beside string) func(*Mapper, []byte) (uint64, bool) {
	return func(m *Mapper, key []byte) (uint64, bool) {
		f := m.checks.fields[field]
		if f == nil || !f.given || f.source == "" {
			return 0, false
		}
		start := len(key)
		m.twin = table.AppendTwin(key, f.source)
		twin := m.twin[start:]
		if !bytes.ContainsAny(twin, "123456789") || bytes.Equal(twin, m.twin[:start]) {
			return 0, false
		}
		where := m.checks.fields[beside]
		at := m.written(where)
		return sumOf(at, twin), where == nil || len(at) > 0
	}
}

// written is a field's member as it stands in the payload of the record in hand, nothing when it has none.
func (m *Mapper) written(f *boundField) []byte {
	if f == nil {
		return nil
	}
	return bytes.TrimPrefix(m.out[f.start:f.end], []byte(","))
}

// sumOf is FNV-1a over two texts, the first with its length behind it.
func sumOf(a, b []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	sum := uint64(offset)
	for _, c := range a {
		sum = (sum ^ uint64(c)) * prime
	}
	sum = (sum ^ uint64(len(a))) * prime
	for _, c := range b {
		sum = (sum ^ uint64(c)) * prime
	}
	return sum
}
