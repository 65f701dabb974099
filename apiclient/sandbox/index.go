package sandbox

import "fmt"

// kind is a kind of record that a payload refers to, in the words of its messages.
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

// index answers what the directory knows. It never changes, so handlers share it.
type index struct {
	any        bool // every GUID is a reference
	directory  Directory
	known      map[kind]map[string]bool
	templates  map[string]*Template
	components map[string]map[string]*Component // by template, by id
	statuses   map[string]*Status
	users      map[string]*User
	companies  map[string]*Company
	template   *Template // of files that name none
	filing     *Template // of cases made for trademarks
	status     *Status   // of new cases
}

func newIndex(d Directory, anyReference bool) *index {
	x := &index{
		any: anyReference, directory: d,
		known:     map[kind]map[string]bool{},
		templates: map[string]*Template{}, components: map[string]map[string]*Component{},
		statuses: map[string]*Status{}, users: map[string]*User{}, companies: map[string]*Company{},
	}
	x.addTemplates()
	x.addPeople()
	x.addStatuses()
	for k, list := range map[kind][]Named{
		aTag: d.Tags, aRegistry: d.Registries, aRegistrationType: d.RegistrationTypes,
		aTrademarkType: d.TrademarkTypes, aLanguage: d.Languages, aSearchClass: d.SearchClasses,
	} {
		for _, n := range list {
			x.add(k, n.ID)
		}
	}
	for _, t := range d.Trademarks {
		x.add(aTrademark, t.ID)
	}
	return x
}

func (x *index) addTemplates() {
	for i := range x.directory.Templates {
		t := &x.directory.Templates[i]
		x.templates[t.ID] = t
		x.add(aTemplate, t.ID)
		x.components[t.ID] = map[string]*Component{}
		for j := range t.Components {
			x.components[t.ID][t.Components[j].ID] = &t.Components[j]
		}
		if x.template == nil || t.Default && !x.template.Default {
			x.template = t
		}
		if t.IsTemplateForTrademarkFiling && x.filing == nil {
			x.filing = t
		}
	}
	if x.filing == nil {
		x.filing = x.template
	}
}

func (x *index) addStatuses() {
	for i := range x.directory.Statuses {
		s := &x.directory.Statuses[i]
		x.statuses[s.ID] = s
		x.add(aStatus, s.ID)
		if x.status == nil || s.InitialState && !x.status.InitialState {
			x.status = s
		}
	}
}

func (x *index) addPeople() {
	for i := range x.directory.Users {
		u := &x.directory.Users[i]
		x.users[u.ID] = u
		x.add(aUser, u.ID)
	}
	for i := range x.directory.Companies {
		c := &x.directory.Companies[i]
		x.companies[c.ID] = c
		x.add(aCompany, c.ID)
		if c.Agent {
			x.add(anAgent, c.ID)
		}
	}
}

func (x *index) add(k kind, id string) {
	if x.known[k] == nil {
		x.known[k] = map[string]bool{}
	}
	x.known[k][id] = true
}

func (x *index) has(k kind, id string) bool { return x.any || x.known[k][id] }

// fault says what is wrong with a reference, or "" when nothing is.
func (x *index) fault(k kind, id string) string {
	switch {
	case x.has(k, id):
		return ""
	case k == anAgent && x.known[aCompany][id]:
		return fmt.Sprintf("the company %s is not of type Agent", id)
	default:
		return fmt.Sprintf("%s is not the id of a known %s", id, k)
	}
}

// user finds a user by id or user name.
func (x *index) user(name string) *User {
	if id, ok := parseGUID(name); ok {
		if u := x.users[id]; u != nil {
			return u
		}
	}
	for i := range x.directory.Users {
		if x.directory.Users[i].UserName == name {
			return &x.directory.Users[i]
		}
	}
	return nil
}
