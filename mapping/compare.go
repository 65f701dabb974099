package mapping

import (
	"bytes"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// Trait is something about a record that no other record of the file should have. Records of one file whose traits are equal
// deserve the look that the check of that name stands for. Sum stands for a text: two texts that differ have the same one
// by a chance of less than one in a million, in a file of a million records.
type Trait struct {
	Check string
	Sum   uint64
}

// summer sums up what a record is compared by; key is what is left of its key beside others that are like it.
type summer func(m *Mapper, key []byte) (uint64, bool)

// sums are those of the comparisons by their names. The numbers of files are collected with the entries.
var sums = map[string]summer{
	reason.Twin:                    twinOfKey,
	reason.NumberTwice:             number("number", ""),
	reason.IDTwice:                 identity,
	"application_number_repeated":  number("application_number", "registry_id"),
	"registration_number_repeated": number("registration_number", "registry_id"),
}

type activeComparison struct {
	name string
	sum  summer
}

// TwinTrait is the trait of a record with this key; false for a key without a letter or digit.
func TwinTrait(key string) (Trait, bool) {
	sum, ok := twinOfKey(nil, table.AppendTwin(nil, key))
	return Trait{reason.Twin, sum}, ok
}

// NumberTrait is the trait of a created case of this number; false for a word that is no number.
func NumberTrait(number string) (Trait, bool) {
	twin := table.AppendTwin(nil, number)
	return Trait{reason.NumberTwice, sumOf(nil, twin)}, bytes.ContainsAny(twin, "123456789")
}

// CreatedTraits are those by which what was created is known under any key: the number of a case, those of the files of a folder.
func CreatedTraits(stored []byte) (list []Trait) {
	if trait, ok := NumberTrait(payload.Text(stored, "number")); ok {
		list = append(list, trait)
	}
	values, _ := payload.Walk(stored)
	var client []byte
	for _, v := range values {
		switch v.Field() {
		case "client_id":
			client = []byte(`"client_id":"` + v.Text + `"`)
		case "files.number":
			list = append(list, Trait{reason.FileCreated, sumOf(client, []byte(v.Text))})
		}
	}
	return list
}

// IDTrait is the trait of an update of what has this id in the service.
func IDTrait(id string) Trait { return Trait{reason.IDTwice, sumOf(nil, []byte(`"id":"`+id+`"`))} }

// Comparison returns the comparison of that name as the mapping has it, and whether it rejects; what does not reject is
// noted. ok is false when it is off, or the operation has none of that name.
func (m *Mapping) Comparison(name string) (c Comparison, rejects, ok bool) {
	for _, c := range rule.Comparisons {
		if c.Name == name && slices.Contains(c.Operations, m.rules.Operation) && m.rules.Levels[name] != rule.LevelOff {
			return c, m.rules.Levels[name] == rule.LevelError, true
		}
	}
	return c, false, false
}

// Comparisons lists the comparisons that are on.
func (m *Mapping) Comparisons() []Comparison {
	return slices.DeleteFunc(slices.Clone(rule.Comparisons), func(c Comparison) bool {
		return !slices.Contains(c.Operations, m.rules.Operation) || m.rules.Levels[c.Name] == rule.LevelOff
	})
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
				list = append(list, Trait{c.name, sum})
			}
		} else if sum, ok := c.sum(m, m.twin); ok {
			list = append(list, Trait{c.name, sum})
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
func number(field, beside string) summer {
	return func(m *Mapper, key []byte) (uint64, bool) {
		f := m.checks.fields[field]
		if f == nil || !f.given || f.source == "" {
			return 0, false
		}
		start := len(key)
		m.twin = table.AppendTwin(key, f.source)
		twin := m.twin[start:]
		if !slices.ContainsFunc(twin, func(c byte) bool { return '1' <= c && c <= '9' }) || bytes.Equal(twin, m.twin[:start]) {
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
