package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping"
)

// suspects is what differs between the things that two plans were made from, and so may be the cause of a difference.
type suspects struct {
	old, now *About
	sources  bool // the files differ
	lines    []line
	mapping  []Cause // that it changed, if not both plans have its text; one or none, like the other lists below that are not of settings
	reading  []Cause
	spelling []Cause // switches of the service
	settings []Cause // that they changed, if not both plans have them
	version  []Cause
	day      []Cause
	lookups  map[string]bool // that changed
	asked    map[string]bool // lookups that ask the ledger
}

// spelled are the switches that decide how payloads are sent, with the field that each affects; "" for all.
var spelled = map[string]string{"active_as_text": "active", "registration_number_as_integer": "registration_number", "folder_file_number_as_text": "files",
	"omit_do_not_create_file": "do_not_create_file", "component_id": "components", "create_case_variant": ""}

// policies are settings that decide whether a record is sent, not what.
var policies = map[string]bool{"repeat_creates": true, "deactivate_vanished": true, "retry_refused": true}

func suspectsOf(old, now *About) *suspects {
	for _, side := range []*About{old, now} {
		for _, source := range side.sources {
			side.columns = append(side.columns, columnsOf(source.Header))
		}
	}
	s := &suspects{old: old, now: now, sources: !slices.EqualFunc(old.sources, now.sources, func(a, b ledger.Source) bool { return a.SHA256 == b.SHA256 }), lookups: map[string]bool{}, asked: map[string]bool{}}
	switch {
	case old.whole() && now.whole():
		s.lines = changedLines(old.mapping, now.mapping)
		s.compareSettings()
	default:
		if old.digest == "" || old.digest != now.digest {
			s.mapping = []Cause{{Kind: Mapping}}
		}
		if old.settled == "" || old.settled != now.settled {
			s.settings = []Cause{{Kind: Switch, Of: unkept}}
		}
	}
	if old.Version != now.Version {
		s.version = []Cause{{Kind: Version, Old: old.Version, New: now.Version}}
	}
	if a, b := old.Made.Format("2006-01-02"), now.Made.Format("2006-01-02"); a != b {
		s.day = []Cause{{Kind: Day, Old: a, New: b}}
	}
	for _, side := range []*About{old, now} {
		for name := range side.lookups {
			s.lookups[name] = old.lookups[name] != now.lookups[name]
		}
		if m, err := side.parse(side.Made, switchesOf(side.settings)); err == nil {
			for _, spec := range m.Lookups() {
				s.asked[spec.Name] = spec.Ledger != ""
			}
		}
	}
	if s.day != nil && old.whole() && now.whole() && !strings.Contains(old.mapping+now.mapping, "today") {
		s.day = nil
	}
	return s
}

// compareSettings finds the settings that differ. Each is a line of a name and a quoted value.
func (s *suspects) compareSettings() {
	was, is := valuesOf(s.old.settings), valuesOf(s.now.settings)
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] == is[name] || policies[name] {
			continue
		}
		c := Cause{Kind: Switch, Of: name, Old: was[name], New: is[name]}
		if _, about := spelled[name]; about {
			s.spelling = append(s.spelling, c)
		} else {
			s.reading = append(s.reading, c)
		}
	}
}

// valuesOf returns the values of settings by name. Several values of one name are joined.
func valuesOf(settings []string) map[string]string {
	found := map[string]string{}
	for _, text := range settings {
		name, value, _ := strings.Cut(text, " ")
		if value = strings.Trim(value, `"`); found[name] != "" {
			value = found[name] + ", " + value
		}
		found[name] = value
	}
	return found
}

// readsBodies reports whether what was mapped alike may be sent differently.
func (s *suspects) readsBodies() bool {
	return s.version != nil || len(s.spelling) > 0 || s.settings != nil
}

// switchesOf returns the service's switches among settings.
func switchesOf(settings []string) (s payload.Switches) {
	values := valuesOf(settings)
	_, s.ActiveAsText = values["active_as_text"]
	_, s.RegistrationNumberAsInteger = values["registration_number_as_integer"]
	_, s.FolderFileNumberAsText = values["folder_file_number_as_text"]
	_, s.OmitDoNotCreateFile = values["omit_do_not_create_file"]
	s.ComponentID, s.Variant = payload.ComponentID(values["component_id"]), payload.Variant(values["create_case_variant"])
	return s
}

// at returns the differing lines of the mapping under some of its top-level keys.
func (s *suspects) at(keys ...string) (list []Cause) {
	for _, l := range s.lines {
		if slices.Contains(keys, l.path[0]) {
			list = append(list, l.Cause)
		}
	}
	return list
}

// suspected returns all causes that a change of a field may have.
func (s *suspects) suspected(of subject) (list []Cause) {
	was, is := origins(s.old, of.was, of.path), origins(s.now, of.is, of.path)
	both := slices.Concat(was, is)
	if !of.alike {
		var kept, keeps bool
		of.before, kept = cellsBy(s.old, of.was, was)
		of.after, keeps = cellsBy(s.now, of.is, is)
		of.kept = kept && keeps
		list = slices.Concat(s.cells(of, both), s.looked(of, both), s.mapped(of, both), s.day)
	}
	for _, c := range s.spelling {
		if about := spelled[c.Of]; about == "" || about == of.top {
			list = append(list, c)
		}
	}
	list = slices.Concat(list, s.settings, s.version)
	if of.alike && of.top == payload.Goods {
		list = append(list, Cause{Kind: Ledger})
	}
	return list
}

// cells returns the cells that a field is read from and that differ, or the way of reading them.
func (s *suspects) cells(of subject, both []ledger.Origin) (list []Cause) {
	switch old, now := len(of.was.Rows), len(of.is.Rows); {
	case old != now && (old == 0 || now == 0 || len(of.was.Rows[0].Cells) > 0 && len(of.is.Rows[0].Cells) > 0):
		list = []Cause{{Kind: Row, Old: fmt.Sprint(old), New: fmt.Sprint(now)}}
	default:
		if !of.kept {
			return s.unread(both)
		}
		for _, c := range of.after {
			if n := slices.IndexFunc(of.before, func(b column) bool { return b.name == c.name }); n >= 0 && of.before[n].text != c.text {
				list = append(list, Cause{Kind: Cell, Of: c.shown, Old: of.before[n].text, New: c.text})
			}
		}
	}
	if len(list) == 0 || len(s.reading) == 0 {
		return list
	}
	if !s.sources {
		return s.reading
	}
	return append(list, s.reading...)
}

// unread returns the suspects for cells that one of the plans does not keep.
func (s *suspects) unread(origins []ledger.Origin) []Cause {
	if !s.sources && len(s.reading) == 0 || !slices.ContainsFunc(origins, func(o ledger.Origin) bool { return len(o.Columns) > 0 }) {
		return nil
	}
	return s.unkept()
}

// unkept returns the suspects that have to do with the cells, if the cells are not kept.
func (s *suspects) unkept() []Cause {
	if !s.sources {
		return slices.Clone(s.reading)
	}
	return append(slices.Clone(s.reading), Cause{Kind: Cell, Of: unkept})
}

// looked returns the lookups that a field's id comes from and that differ, or that ask the ledger.
func (s *suspects) looked(of subject, origins []ledger.Origin) (list []Cause) {
	seen := map[string]bool{}
	for _, o := range origins {
		if o.Lookup == "" || seen[o.Lookup] {
			continue
		}
		seen[o.Lookup] = true
		_, known := s.lookups[o.Lookup]
		switch {
		case s.asked[o.Lookup]:
			list = append(list, Cause{Kind: Ledger, Of: o.Lookup})
		case s.lookups[o.Lookup], !known && (s.mapping != nil):
			list = append(list, Cause{Kind: Lookup, Of: o.Lookup, Name: nameIn(of.is, o)})
		}
	}
	return list
}

// nameIn returns the name that was looked up, if one cell has it.
func nameIn(r ledger.Record, o ledger.Origin) string {
	if len(o.Columns) != 1 {
		return ""
	}
	name := ""
	for _, row := range r.Rows {
		if len(row.Cells) == 0 {
			return ""
		}
		text := strings.TrimSpace(cellTexts(row, o.Columns)[0])
		if name != "" && text != name {
			return ""
		}
		name = text
	}
	return name
}

// mapped returns the differing lines of the mapping that affect a field.
func (s *suspects) mapped(of subject, origins []ledger.Origin) (list []Cause) {
	if s.mapping != nil {
		return s.mapping
	}
	for _, l := range s.lines {
		if bears(l, of, origins) {
			list = append(list, l.Cause)
		}
	}
	return list
}

// bears reports whether a line of the mapping can change a field.
func bears(l line, of subject, origins []ledger.Origin) bool {
	typed := func(types ...string) bool {
		return slices.ContainsFunc(origins, func(o ledger.Origin) bool { return slices.Contains(types, o.Type) || o.From == "components" })
	}
	switch l.path[0] {
	case "fields":
		if len(l.path) < 2 || l.path[1] != of.top {
			return false
		}
		if at := slices.Index(l.path, "values"); at > 0 && at == len(l.path)-2 {
			return of.said(l.path[at+1])
		}
		return true
	case "dates", "pivot", "zone", "dates_turned":
		return typed(string(payload.TypeDate))
	case "numbers":
		return of.top == "components" || typed(string(payload.TypeNumber), string(payload.TypeInteger))
	case "booleans":
		return typed(string(payload.TypeBool))
	case "blanks", "empty":
		return true
	case "lookups":
		return len(l.path) > 1 && slices.ContainsFunc(origins, func(o ledger.Origin) bool { return o.Lookup == l.path[1] })
	case "rows":
		return len(of.was.Rows) > 1 || len(of.is.Rows) > 1
	}
	return false
}

// parse parses the mapping of a plan, for the given day and switches.
func (a *About) parse(day time.Time, switches payload.Switches) (*mapping.Mapping, error) {
	return mapping.Parse("mapping", []byte(a.mapping), mapping.Options{Switches: switches, Today: day})
}
