package compare

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// why returns why a field has changed. change is nil if the field is to blame for a rejection.
func (c *comparison) why(t *trial, of subject, change *payload.Change) Finding {
	list := c.suspects.suspected(of)
	found := conclude(list)
	if found.Certainty == Either && !of.alike {
		found = t.decide(of, list)
	}
	for n := range found.Causes {
		if cause := &found.Causes[n]; cause.Kind == Lookup && change != nil && change.Old != nil && change.New != nil {
			cause.Old, cause.New = change.Old.Text, change.New.Text
		}
	}
	return found
}

// conclude returns what the suspects alone show: a single one is the cause.
func conclude(list []Cause) Finding {
	switch factorsOf(list) {
	case 0:
		return Finding{[]Cause{{Kind: Unknown}}, Proven}
	case 1:
		return Finding{list, Proven}
	}
	return Finding{list, Either}
}

// factorsOf returns how many things that a plan is made from are suspected. Several cells, or lines of the mapping,
// count as one.
func factorsOf(list []Cause) int {
	seen := map[Kind]bool{}
	for _, c := range list {
		seen[c.Kind] = true
	}
	return len(seen)
}

// unkept returns the finding about a record of which one plan has nothing but its digest.
func (c *comparison) unkept() Finding {
	s := c.suspects
	list := s.unkept()
	for _, l := range s.lines {
		if l.path[0] == "fields" {
			list = append(list, l.Cause)
		}
	}
	for name, changed := range s.lookups {
		if changed {
			list = append(list, Cause{Kind: Lookup, Of: name})
		}
	}
	return conclude(slices.Concat(list, s.mapping, s.settings, s.version, s.day))
}

// rejections returns the reasons for which a record is rejected in one of the plans.
func (c *comparison) rejections(t *trial, was, is ledger.Record) (fields []Field) {
	reasons := is.Reasons
	if kindOf(is.State, is.Digest) != rejected {
		reasons = was.Reasons
	}
	checks := c.suspects.at("checks")
	if c.suspects.sources {
		checks = append(checks, Cause{Kind: Others})
	}
	for _, r := range reasons {
		of := subject{path: r.Field, top: topOf(r.Field), was: was, is: is}
		f := Field{Field: r.Field, Reason: r.Message, Finding: c.why(t, of, nil)}
		if f.Causes[0].Kind == Unknown {
			f.Finding = conclude(checks)
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		fields = []Field{{Finding: conclude(nil)}}
	}
	return fields
}

// absent returns why one of the plans does not have a record at all.
func (c *comparison) absent(t *trial, r ledger.Record, change Change) Finding {
	s := c.suspects
	choosing := s.at("rows", "key", "scope", "operation", "blanks")
	if s.mapping != nil {
		choosing = s.mapping
	}
	var list []Cause
	if s.sources {
		row := Cause{Kind: Row, New: "1"}
		if change == Gone {
			row = Cause{Kind: Row, Old: "1"}
		}
		list = append(list, row)
	}
	list = slices.Concat(list, choosing, s.reading, s.settings, s.version)
	if factorsOf(list) < 2 {
		return conclude(list)
	}
	// The mapping of the plan that has the record makes it from its row. The question is whether the other plan's
	// mapping would have.
	own := made(0)
	if change == New {
		own = everything
	}
	key, skip, ok := t.keyOf(r, own)
	its, left, alsoOK := t.keyOf(r, own^mappings)
	if !ok || !alsoOK || key != r.Key || skip != "" {
		return Finding{list, Either}
	}
	if left != "" || its != r.Key {
		return Finding{choosing, Proven}
	}
	list = slices.DeleteFunc(list, func(cause Cause) bool { return cause.Kind == Mapping || cause.Kind == Version })
	return found(list, list)
}
