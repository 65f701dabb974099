package mapping

import (
	"cmp"
	"docketsync/mapping/table"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Lookup turns names that a firm uses into GUIDs of the service. A name is found as it is written; else by its folded
// form, which ignores case, accents and the number of blanks; never by likeness. It may be used by several goroutines
// once every name has been added.
type Lookup struct {
	name   string
	list   string              // of the service, which the names are from; "" for others
	ids    map[string]string   // by name
	rivals map[string][]string // further ids of a name, which make it ambiguous
	folded map[string][]string // folded name → the names so folded
	names  []string            // in the order they were added
	near   nearIndex
	blanks []blankName // without an id yet, in the order they were added
	find   func(key string) (id, trouble string, err error)

	mu      sync.Mutex
	asked   map[string]answer // what find said
	classes map[int][]string  // names by the class number in them
	blankAt map[string]int    // where a folded name stands among the blanks
}

type answer struct {
	id   string
	fail *problem
}

// maxAsked bounds the answers of a ledger that are kept.
const maxAsked = 50_000

// NewLookup returns an empty lookup.
func NewLookup(name string) *Lookup {
	return &Lookup{name: name, ids: map[string]string{}, folded: map[string][]string{}}
}

// ServiceLookup returns an empty lookup for the names of a list of the service.
func ServiceLookup(name, list string) *Lookup {
	l := NewLookup(name)
	l.list = list
	return l
}

// LedgerLookup returns a lookup that asks find for the id of a key. find returns "" for a key nobody knows; trouble says why
// a known key has no id that could be used.
func LedgerLookup(name string, find func(key string) (id, trouble string, err error)) *Lookup {
	return &Lookup{name: name, find: find, asked: map[string]answer{}}
}

// Add adds a name. An empty name, an id that is no GUID, and a name that is there already with another id are errors; the
// same name with the same id is not.
func (l *Lookup) Add(name, id string) error {
	rival, err := l.add(name, id)
	if rival != "" {
		return fmt.Errorf("%s stands twice in the lookup %q, with the ids %s and %s", quote(table.Trim(name)), l.name, l.ids[table.Trim(name)], rival)
	}
	return err
}

// Offer adds a name of a table that nobody here keeps: a name that is there already with another id is no error but
// ambiguous from then on, so that only the rows that use it are rejected. Everything else is as with Add.
func (l *Lookup) Offer(name, id string) error {
	rival, err := l.add(name, id)
	if rival == "" {
		return err
	}
	if l.rivals == nil {
		l.rivals = map[string][]string{}
	}
	if name = table.Trim(name); !slices.Contains(l.rivals[name], rival) {
		l.rivals[name] = append(l.rivals[name], rival)
	}
	return nil
}

// add adds a name; when it is there with another id, nothing is changed and rival is the new one.
func (l *Lookup) add(name, id string) (rival string, err error) {
	name = table.Trim(name)
	normal, ok := guid(table.Trim(id))
	switch known, twice := l.ids[name]; {
	case name == "":
		return "", fmt.Errorf("the lookup %q has an id without a name", l.name)
	case !ok:
		return "", fmt.Errorf("%s, the id of %s in the lookup %q, is not a GUID", quote(id), quote(name), l.name)
	case twice && known != normal:
		return normal, nil
	case twice:
		return "", nil
	}
	l.ids[name] = normal
	l.names = append(l.names, name)
	key := table.Fold(name)
	l.folded[key] = append(l.folded[key], name)
	return "", nil
}

// Name is what the mapping calls the lookup.
func (l *Lookup) Name() string { return l.name }

// Asks tells that the names are not listed: a ledger is asked for each.
func (l *Lookup) Asks() bool { return l.find != nil }

// Len is the number of names; 0 for a ledger.
func (l *Lookup) Len() int { return len(l.names) }

// Near lists the names that are most like a text, at most three, the nearest first; none for a ledger, and none once 1,000 names
// have been asked for.
func (l *Lookup) Near(text string) []string { return l.near.names(table.Trim(text), l.names) }

// ID returns the id of a name as it is written in the lookup; false when it is not there.
func (l *Lookup) ID(name string) (string, bool) {
	id, ok := l.ids[name]
	return id, ok
}

// Err is the first error that asking the ledger gave, nil for other lookups. Values that hit it were rejected with the
// code lookup_failed; a run that sees it should stop rather than trust those rejects.
func (l *Lookup) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.asked {
		if a.fail.is(codeLookupFailed) {
			return fmt.Errorf("%s", a.fail.message)
		}
	}
	return nil
}

// id returns the GUID of a name.
func (l *Lookup) id(text string) (string, *problem) {
	if l.find != nil {
		return l.ask(text)
	}
	if id, ok := l.ids[text]; ok {
		if len(l.rivals[text]) > 0 {
			return "", l.rivalled(text, text)
		}
		return id, nil
	}
	return l.pick(text, l.folded[table.Fold(text)])
}

// rivalled is the problem of a name that stands for several ids; text is how the source has it.
func (l *Lookup) rivalled(text, name string) *problem {
	ids := append([]string{l.ids[name]}, l.rivals[name]...)
	return newProblem(codeLookupAmbiguous,
		fmt.Sprintf("%s has %d ids in the lookup %q: %s", quote(text), len(ids), l.name, strings.Join(ids[:min(len(ids), 5)], ", ")),
		"Give them different names in the service, or put the right one into a lookup file under a name of its own.")

}

// pick chooses among names that are spelled alike: only when all have one id.
func (l *Lookup) pick(text string, alike []string) (string, *problem) {
	switch {
	case len(alike) == 0:
		return "", l.unknown(text)
	case slices.ContainsFunc(alike, func(name string) bool { return l.ids[name] != l.ids[alike[0]] }):
		return "", newProblem(codeLookupAmbiguous,
			fmt.Sprintf("%s may be any of %s in the lookup %q, which have different ids", quote(text), quoteAll(alike), l.name),
			"Write the name in the source exactly as the lookup has it.")

	}
	if n := slices.IndexFunc(alike, func(name string) bool { return len(l.rivals[name]) > 0 }); n >= 0 {
		return "", l.rivalled(text, alike[n])
	}
	return l.ids[alike[0]], nil
}

// spelled is how the lookup spells a name that is found in it without being written so; "" for others.
func (l *Lookup) spelled(text string) string {
	if _, exact := l.ids[text]; exact || l.find != nil {
		return ""
	}
	if alike := l.folded[table.Fold(text)]; len(alike) > 0 {
		return alike[0]
	}
	return ""
}

// found is the name under which a text is in the lookup, the key where a ledger is asked; "" when it is not there.
func (l *Lookup) found(text string, class bool) string {
	if _, exact := l.ids[text]; exact || l.find != nil {
		return text
	}
	if name := l.spelled(text); name != "" {
		return name
	}
	if number, ok := classNumber(text); ok && class {
		for _, name := range l.names {
			if n, ok := classNumber(name); ok && n == number {
				return name
			}
		}
	}
	return ""
}

// class returns the GUID of a Nice class: by the text, else by the number that stands alone in it and in one name.
func (l *Lookup) class(text string) (string, *problem) {
	id, fail := l.id(text)
	number, ok := classNumber(text)
	if fail == nil || !ok || fail.code != codeLookupUnknown && fail.code != codeLookupUnfilled {
		return id, fail
	}
	if l.find != nil {
		return l.id(fmt.Sprint(number))
	}
	l.mu.Lock()
	if l.classes == nil {
		l.classes = map[int][]string{}
		for _, name := range l.names {
			if n, ok := classNumber(name); ok {
				l.classes[n] = append(l.classes[n], name)
			}
		}
	}
	alike := l.classes[number]
	l.mu.Unlock()
	if len(alike) == 0 {
		return id, cmp.Or(l.unfilledClass(text, number), fail)
	}
	return l.pick(text, alike)
}

func (l *Lookup) unknown(text string) *problem {
	if fail := l.unfilled(text); fail != nil {
		return fail
	}
	where := fmt.Sprintf("to the lookup %q with its id", l.name)
	if l.list != "" {
		where = fmt.Sprintf("in the service, whose list %s the names are from", l.list)
	}
	hint := "Add it " + where + "."
	if near := l.near.names(text, l.names); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %s? Otherwise add it %s.", quoteAll(near), where)
	}
	return newProblem(codeLookupUnknown, fmt.Sprintf("%s is not in the lookup %q", quote(text), l.name), hint)
}

// ask asks the ledger, once for each key while there is room to remember.
func (l *Lookup) ask(key string) (string, *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.asked[key]
	if !ok {
		if len(l.asked) >= maxAsked {
			l.forget()
		}
		a = l.answer(key)
		l.asked[key] = a
	}
	return a.id, a.fail
}

// forget drops the answers, apart from failures, which Err reports.
func (l *Lookup) forget() {
	for key, a := range l.asked {
		if !a.fail.is(codeLookupFailed) {
			delete(l.asked, key)
		}
	}
}

func (l *Lookup) answer(key string) answer {
	id, trouble, err := l.find(sameKey(key))
	switch {
	case err != nil:
		return answer{fail: newProblem(codeLookupFailed, fmt.Sprintf("the lookup %q could not be asked for %s: %v", l.name, quote(key), err),
			"Run it again once the ledger can be reached.")}
	case trouble != "":
		return answer{fail: newProblem(codeLookupPending, fmt.Sprintf("%s has no id that could be used: %s", quote(key), trouble),
			"Settle it first; then run this again.")}
	case id == "":
		return answer{fail: newProblem(codeLookupUnknown, fmt.Sprintf("%s is not known to the lookup %q: no earlier run got an id", quote(key), l.name),
			"Run the job that creates it first, or correct the reference.")}
	}
	normal, ok := guid(id)
	if !ok {
		return answer{fail: newProblem(codeGUID, fmt.Sprintf("the id %s that the service gave for %s is not a GUID", quote(id), quote(key)),
			"Correct the record in the service or map the id another way.")}
	}
	return answer{id: normal}
}

// quoteAll lists names, the first few of many.
func quoteAll(list []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for i, name := range list {
		if i == most {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(list)-most)
		}
		quoted = append(quoted, quote(name))
	}
	return strings.Join(quoted, ", ")
}

// mostNamed is how many names of a lookup an origin lists. There are 45 classes, in a few languages or spellings.
const mostNamed = 200

// shortNames are the names of a short lookup by their ids, the first that was added for each; nil for a long one.
func (l *Lookup) shortNames() map[string]string {
	if len(l.names) == 0 || len(l.names) > mostNamed {
		return nil
	}
	names := map[string]string{}
	for _, name := range l.names {
		if id := l.ids[name]; id != "" && names[id] == "" {
			names[id] = name
		}
	}
	return names
}
