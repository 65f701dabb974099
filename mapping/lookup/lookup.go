package lookup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Table turns names that a firm uses into GUIDs of the service. A name is looked up as written first, then by its
// folded form, which ignores case, accents and repeated spaces; a merely similar name is never accepted. Once all names
// have been added, a Table is safe for use by several goroutines.
type Table struct {
	name   string
	list   string              // the list of the service that the names come from, or ""
	ids    map[string]string   // by name
	rivals map[string][]string // further ids of a name, which make it ambiguous
	folded map[string][]string // folded name → the names that fold to it, including those without an id
	names  []string            // in the order they were added
	near   nearIndex
	blanks map[string]blankName // names without an id yet
	find   func(key string) (id, trouble string, err error)

	classes map[int][]string // names by the class number in them, including those without an id

	mu    sync.Mutex
	asked map[string]answer // the answers of find
}

type answer struct {
	id   string
	fail *reason.Problem
}

// maxAsked limits how many answers of a ledger are kept.
const maxAsked = 50_000

// New returns an empty lookup.
func New(name string) *Table {
	return &Table{name: name, ids: map[string]string{}, folded: map[string][]string{}, classes: map[int][]string{}, blanks: map[string]blankName{}}
}

// OfService returns an empty lookup for the names of a list of the service.
func OfService(name, list string) *Table {
	l := New(name)
	l.list = list
	return l
}

// OfLedger returns a lookup that calls find for the id of a key. find returns "" for an unknown key; trouble says why a
// known key has no usable id.
func OfLedger(name string, find func(key string) (id, trouble string, err error)) *Table {
	return &Table{name: name, find: find, asked: map[string]answer{}}
}

// Add adds a name. It returns an error for an empty name, for an id that is not a GUID, and for a name that already has
// another id. Adding the same name with the same id again is not an error.
func (l *Table) Add(name, id string) error {
	rival, err := l.add(name, id)
	if rival != "" {
		return fmt.Errorf("%s appears twice in the lookup %q, with the ids %s and %s", reason.Quote(table.Trim(name)), l.name, l.ids[table.Trim(name)], rival)
	}
	return err
}

// Offer adds a name of a table that nobody here maintains. If the name already has another id, Offer returns no error,
// but the name is ambiguous from then on, so that only the rows that use it are rejected. Otherwise it is like Add.
func (l *Table) Offer(name, id string) error {
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

// add adds a name. If the name already has another id, add changes nothing and returns the new id as rival.
func (l *Table) add(name, id string) (rival string, err error) {
	name = table.Trim(name)
	normal, ok := value.GUID(table.Trim(id))
	switch known, twice := l.ids[name]; {
	case name == "":
		return "", fmt.Errorf("the lookup %q has an id without a name", l.name)
	case !ok:
		return "", fmt.Errorf("%s, the id of %s in the lookup %q, is not a GUID", reason.Quote(id), reason.Quote(name), l.name)
	case twice && known != normal:
		return normal, nil
	case twice:
		return "", nil
	}
	l.ids[name] = normal
	l.names = append(l.names, name)
	l.index(name)
	return "", nil
}

// index makes a name findable by its folded form and its class number.
func (l *Table) index(name string) {
	key := table.Fold(name)
	if slices.Contains(l.folded[key], name) {
		return
	}
	l.folded[key] = append(l.folded[key], name)
	if class, ok := value.ClassNumber(name); ok {
		l.classes[class] = append(l.classes[class], name)
	}
}

// Name returns the lookup's name in the mapping.
func (l *Table) Name() string { return l.name }

// Asks reports whether the lookup asks a ledger for each name instead of listing them.
func (l *Table) Asks() bool { return l.find != nil }

// Len returns the number of names; 0 for a ledger.
func (l *Table) Len() int { return len(l.names) }

// Near returns at most three names that are most similar to a text, the nearest first. It returns none for a ledger,
// and none once 1,000 names have been asked for.
func (l *Table) Near(text string) []string { return l.near.names(table.Trim(text), l.names) }

// ID returns the id of a name exactly as the lookup writes it, or false if it has no such name.
func (l *Table) ID(name string) (string, bool) {
	id, ok := l.ids[name]
	return id, ok
}

// Err returns the first error from asking the ledger, and nil for other lookups. Values that hit the error were
// rejected with the code lookup_failed; a run that sees it should stop rather than trust those rejects.
func (l *Table) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.asked {
		if a.fail.Is(reason.LookupFailed) {
			return fmt.Errorf("%s", a.fail.Message)
		}
	}
	return nil
}

// Find returns the GUID of a name.
func (l *Table) Find(text string) (string, *reason.Problem) {
	if l.find != nil {
		return l.ask(text)
	}
	if id, ok := l.ids[text]; ok {
		if len(l.rivals[text]) > 0 {
			return "", l.rivalled(text, text)
		}
		return id, nil
	}
	if _, ok := l.blanks[text]; ok {
		return "", l.unfilled(text, text)
	}
	return l.pick(text, l.folded[table.Fold(text)])
}

// rivalled returns the problem of a name that has several ids; text is its spelling in the source.
func (l *Table) rivalled(text, name string) *reason.Problem {
	ids := append([]string{l.ids[name]}, l.rivals[name]...)
	return reason.New(reason.LookupAmbiguous, text, len(ids), l.name, strings.Join(ids[:min(len(ids), 5)], ", "))
}

// pick chooses among similarly spelled names, if all have the same id. A name without an id may turn out to have
// another one.
func (l *Table) pick(text string, alike []string) (string, *reason.Problem) {
	switch {
	case len(alike) == 0:
		return "", l.unknown(text)
	case slices.ContainsFunc(alike, func(name string) bool { return l.ids[name] != l.ids[alike[0]] }):
		if n := slices.IndexFunc(alike, func(name string) bool { return l.ids[name] == "" }); n >= 0 {
			return "", reason.New(reason.LookupAmbiguousUnfilled, text, reason.QuoteAll(alike), l.name, alike[n])
		}
		return "", reason.New(reason.LookupAmbiguousName, text, reason.QuoteAll(alike), l.name)
	case l.ids[alike[0]] == "":
		return "", l.unfilled(text, alike[0])
	}
	if n := slices.IndexFunc(alike, func(name string) bool { return len(l.rivals[name]) > 0 }); n >= 0 {
		return "", l.rivalled(text, alike[n])
	}
	return l.ids[alike[0]], nil
}

// Spelling returns the lookup's spelling of a name that it finds only by its folded form, and "" otherwise.
func (l *Table) Spelling(text string) string {
	if _, exact := l.ids[text]; exact || l.find != nil {
		return ""
	}
	for _, name := range l.folded[table.Fold(text)] {
		if l.ids[name] != "" {
			return name
		}
	}
	return ""
}

// NameOf returns the name under which the lookup has a text, or "" if it does not have it. For a ledger that is the
// text itself, a key.
func (l *Table) NameOf(text string, class bool) string {
	if _, exact := l.ids[text]; exact || l.find != nil {
		return text
	}
	if name := l.Spelling(text); name != "" {
		return name
	}
	if number, ok := value.ClassNumber(text); ok && class {
		if names := l.classes[number]; len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

// FindClass returns the GUID of a Nice class: by the text, otherwise by its class number if exactly one name has it.
func (l *Table) FindClass(text string) (string, *reason.Problem) {
	id, fail := l.Find(text)
	number, ok := value.ClassNumber(text)
	if !ok || !fail.Is(reason.LookupUnknown) {
		return id, fail
	}
	if l.find != nil {
		return l.Find(fmt.Sprint(number))
	}
	return l.pick(text, l.classes[number])
}

func (l *Table) unknown(text string) *reason.Problem {
	switch near := reason.QuoteAll(l.near.names(text, l.names)); {
	case l.list != "" && near != "":
		return reason.New(reason.LookupListNear, text, l.name, near, l.list)
	case l.list != "":
		return reason.New(reason.LookupList, text, l.name, l.list)
	case near != "":
		return reason.New(reason.LookupNear, text, l.name, near)
	}
	return reason.New(reason.LookupUnknown, text, l.name)
}

// ask asks the ledger, once for each key while there is room to remember the answer.
func (l *Table) ask(key string) (string, *reason.Problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.asked[key]
	if !ok {
		if len(l.asked) >= maxAsked {
			// Keep failures: Err reports them.
			maps.DeleteFunc(l.asked, func(_ string, a answer) bool { return !a.fail.Is(reason.LookupFailed) })
		}
		a = l.answer(key)
		l.asked[key] = a
	}
	return a.id, a.fail
}

func (l *Table) answer(key string) answer {
	id, trouble, err := l.find(table.SameKey(key))
	switch {
	case err != nil:
		return answer{fail: reason.New(reason.LookupFailed, l.name, key, err)}
	case trouble != "":
		return answer{fail: reason.New(reason.LookupPending, key, trouble)}
	case id == "":
		return answer{fail: reason.New(reason.LookupLedger, key, l.name)}
	}
	normal, ok := value.GUID(id)
	if !ok {
		return answer{fail: reason.New(reason.GUIDOfService, id, key)}
	}
	return answer{id: normal}
}

// mostNamed is the maximum number of names that an origin lists. There are 45 classes, in a few languages or spellings.
const mostNamed = 200

// ShortNames returns the names of a short lookup by their ids, the first added for each id. It returns nil for a long
// lookup.
func (l *Table) ShortNames() map[string]string {
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
