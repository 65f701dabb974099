package sandbox

import (
	"cmp"
	"fmt"
	"slices"
)

// kind is a kind of record that a payload refers to, in the words of messages.
type kind string

const (
	aTemplate         kind = "case template"
	aStatus           kind = "case status"
	aUser             kind = "user"
	aCompany          kind = "company"
	anAgent           kind = "company of type Agent"
	aTag              kind = "tag"
	aRegistry         kind = "registry"
	aRegistrationType kind = "registration type"
	aTrademarkType    kind = "trademark type"
	aLanguage         kind = "language"
	aSearchClass      kind = "search class"
	aTrademark        kind = "trademark"
)

// index finds what the directory has. It never changes, so handlers share it.
type index struct {
	any       bool // accept every GUID as a reference
	directory Directory
	known     map[kind]map[string]any // pointers into the directory, by id
	template  *Template               // for files that name none
	filing    *Template               // for cases created for trademarks
	status    *Status                 // for new cases
}

func newIndex(d Directory, anyReference bool) *index {
	x := &index{any: anyReference, directory: d, known: map[kind]map[string]any{}}
	know(x, aTemplate, d.Templates)
	know(x, aStatus, d.Statuses)
	know(x, aUser, d.Users)
	know(x, aCompany, d.Companies)
	know(x, aTrademark, d.Trademarks)
	for k, list := range map[kind][]Named{
		aTag: d.Tags, aRegistry: d.Registries, aRegistrationType: d.RegistrationTypes,
		aTrademarkType: d.TrademarkTypes, aLanguage: d.Languages, aSearchClass: d.SearchClasses,
	} {
		know(x, k, list)
	}
	know(x, anAgent, slices.DeleteFunc(slices.Clone(d.Companies), func(c Company) bool { return !c.Agent }))
	x.template = cmp.Or(first(d.Templates, func(t Template) bool { return t.Default }), first(d.Templates, anything))
	x.filing = cmp.Or(first(d.Templates, func(t Template) bool { return t.IsTemplateForTrademarkFiling }), x.template)
	x.status = cmp.Or(first(d.Statuses, func(s Status) bool { return s.InitialState }), first(d.Statuses, anything))
	return x
}

func anything[T any](T) bool { return true }

// first returns the first marked record, or nil.
func first[T any](records []T, marked func(T) bool) *T {
	if n := slices.IndexFunc(records, marked); n >= 0 {
		return &records[n]
	}
	return nil
}

func know[T any, P record[T]](x *index, k kind, records []T) {
	x.known[k] = make(map[string]any, len(records))
	for i := range records {
		x.known[k][*P(&records[i]).id()] = &records[i]
	}
}

// find returns a record of the directory, or nil if no record has that id.
func find[T any](x *index, k kind, id string) *T {
	record, _ := x.known[k][id].(*T)
	return record
}

// fault says what is wrong with a reference, or returns "".
func (x *index) fault(k kind, id string) string {
	switch {
	case x.any || x.known[k][id] != nil:
		return ""
	case k == anAgent && x.known[aCompany][id] != nil:
		return fmt.Sprintf("the company %s is not of type Agent", id)
	default:
		return fmt.Sprintf("%s is not the id of a known %s", id, k)
	}
}

// user finds a user by user name.
func (x *index) user(name string) *User {
	return first(x.directory.Users, func(u User) bool { return u.UserName == name })
}
