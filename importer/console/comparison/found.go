package comparison

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"docketsync/importer/compare"
	"docketsync/importer/report/wording"
)

// What a page shows at most; the rest is counted.
const (
	groupsShown  = 50
	recordsShown = 20 // per group
	fieldsShown  = 10 // per record
	textShown    = 400
	textCarried  = 60 // of what two long texts share before they differ
)

// found is the part of a result that is shown.
type found struct {
	*compare.Result // without its groups
	Groups          []group
	More            int // groups that are not shown
}

// group is the records that differ for one reason.
type group struct {
	compare.Group
	Shown []*record
}

// Counts says how many of them are new, gone and different.
func (g group) Counts() string { return compare.Counts(g.New, g.Gone, g.Different) }

// Rest is how many of them are not shown.
func (g group) Rest() int { return g.Records() - len(g.Shown) }

// record is one of them, with both sides.
type record struct {
	Key      string
	Change   compare.Change
	Old, New side
	Fields   []field
	More     int // fields that are not shown
}

// side is a record in one of the plans; Path is "" if the plan does not have it.
type side struct{ Path, Rows string }

// field is a value on both sides. Cells are the contents of the cell behind it, if they are the cause and differ from
// the value.
type field struct {
	Field    string
	Old, New *string
	Reason   string // why the record is rejected on one side
	Cells    *[2]string
}

// collector keeps the records to show, by group.
type collector map[string][]*record

// groupsKept limits the groups for which all records that a page may show are kept; only at the end is it known which
// are shown.
const groupsKept = 4 * groupsShown

func (c collector) add(d *compare.Difference) error {
	mine := map[string]*record{}
	put := func(finding compare.Finding, f *field) {
		name := finding.Group()
		r, known := mine[name]
		if !known {
			if len(c[name]) < recordsShown && (len(c) < groupsKept || len(c[name]) == 0) {
				r = &record{Key: d.Key, Change: d.Change, Old: side{Rows: rows(d.OldRows)}, New: side{Rows: rows(d.NewRows)}}
				c[name] = append(c[name], r)
			}
			mine[name] = r
		}
		switch {
		case r == nil || f == nil:
		case len(r.Fields) == fieldsShown:
			r.More++
		default:
			r.Fields = append(r.Fields, *f)
		}
	}
	if d.Finding != nil {
		put(*d.Finding, nil)
	}
	for _, f := range d.Fields {
		shown := fieldOf(f)
		put(f.Finding, &shown)
	}
	return nil
}

func fieldOf(f compare.Field) field {
	shown := field{Field: f.Field, Reason: wording.Short(f.Reason, textShown)}
	if f.Old != nil {
		shown.Old = &f.Old.Text
	}
	if f.New != nil {
		shown.New = &f.New.Text
	}
	if shown.Old != nil && shown.New != nil {
		was, is := beside(*shown.Old, *shown.New)
		shown.Old, shown.New = &was, &is
	}
	for _, text := range []**string{&shown.Old, &shown.New} {
		if *text != nil {
			short := wording.Short(**text, textShown)
			*text = &short
		}
	}
	if len(f.Causes) == 1 && f.Causes[0].Kind == compare.Cell && f.Causes[0].Old != f.Causes[0].New {
		was, is := beside(f.Causes[0].Old, f.Causes[0].New)
		if cells := [2]string{wording.Short(was, textShown), wording.Short(is, textShown)}; shown.Old == nil || shown.New == nil || *shown.Old != cells[0] || *shown.New != cells[1] {
			shown.Cells = &cells
		}
	}
	return shown
}

// beside shortens two texts shown side by side: long ones begin a little before they differ.
func beside(old, now string) (was, is string) {
	at := 0
	for at < min(len(old), len(now)) && old[at] == now[at] {
		at++
	}
	if at+textCarried < textShown || max(len(old), len(now)) <= textShown {
		return old, now
	}
	for at -= textCarried; at > 0 && !utf8.RuneStart(old[at]); at-- {
	}
	return "…" + old[at:], "…" + now[at:]
}

func rows(numbers []int) string {
	switch {
	case len(numbers) == 0:
		return ""
	case len(numbers) == 1:
		return "row " + wording.Thousands(numbers[0])
	}
	list := make([]string, 0, 4)
	for n, number := range numbers {
		if n == 3 {
			list = append(list, "…")
			break
		}
		list = append(list, strconv.Itoa(number))
	}
	return "rows " + strings.Join(list, ", ")
}

// found returns what the page shows of a result.
func (c collector) found(result *compare.Result) *found {
	all := result.Groups
	f := &found{Result: result, More: max(0, len(all)-groupsShown)}
	result.Groups = nil
	for _, g := range all[:len(all)-f.More] {
		g.Samples = nil
		shown := group{Group: g, Shown: c[g.Group()]}
		for _, r := range shown.Shown {
			if r.Change != compare.New {
				r.Old.Path = recordIn(result.Old.Run, r.Key)
			}
			if r.Change != compare.Gone {
				r.New.Path = recordIn(result.New.Run, r.Key)
			}
		}
		f.Groups = append(f.Groups, shown)
	}
	return f
}

// recordIn is the address of a record of a run.
func recordIn(run, key string) string {
	return "/runs/" + run + "/records?" + url.Values{"key": {key}}.Encode()
}
