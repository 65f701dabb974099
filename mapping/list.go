package mapping

import (
	"bytes"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// guids writes a list of GUIDs: the parts of a cell, a cell of each column, or the result of an expression. A duplicate
// is written once.
func (m *Mapper) guids(dst []byte, f *boundField) ([]byte, result) {
	texts, ok := m.listTexts(f)
	if !ok {
		return dst, failed
	}
	if len(texts) > 0 {
		f.column = texts[0].column
	}
	before := len(dst)
	dst = append(dst, '[')
	var source []string
	bad, any := false, false
	for _, t := range texts {
		mark := len(dst)
		if any {
			dst = append(dst, ',')
		}
		at := len(dst)
		var r result
		dst, r = m.element(dst, f, t)
		bad = bad || r == failed
		if r != written || bytes.Contains(dst[before:mark], dst[at:]) {
			dst = dst[:mark]
			continue
		}
		any = true
		source = append(source, t.text)
	}
	switch {
	case bad:
		return dst[:before], failed
	case !any:
		return m.emptyValue(dst[:before], f, f.column)
	}
	f.given, f.source = true, strings.Join(source, ", ")
	return append(dst, ']'), written
}

// element writes one GUID of a list; an empty part is left out.
func (m *Mapper) element(dst []byte, f *boundField, t found) ([]byte, result) {
	if t.text = table.Trim(t.text); t.text == "" || f.Blanks.Has(t.text) {
		return dst, omitted
	}
	if f.Values != nil {
		var stop bool
		switch t, stop = m.mapped(f, t); {
		case stop && f.Unknown == rule.UnknownEmpty, !stop && t.text == "":
			return dst, omitted
		case stop && f.Unknown == rule.UnknownDefault && f.lacking != nil:
			return m.lack(dst, f)
		case stop && f.Unknown == rule.UnknownDefault:
			m.respellAs(Respelling{Lookup: f.Path, Written: t.text, Defaulted: true}, strings.Trim(string(f.instead), `[]"`))
			return append(dst, bytes.Trim(f.instead, "[]")...), written
		case stop:
			m.fail(f, t.column, t.text, f.Values.Unknown(t.text))
			return dst, failed
		}
	}
	is, fail := f.convertCell(dst, t)
	if fail != nil {
		if f.Split == "" && strings.ContainsAny(t.text, ";,|") && f.Origin == rule.FromColumns {
			fail = fail.And(reason.OrSplit)
		}
		m.fail(f, t.column, t.text, fail)
		return dst, failed
	}
	if f.table != nil {
		m.respell(f.table, t.text)
	}
	return is.JSON, written
}

// listTexts returns the parts of the cells, or of the result of an expression.
func (m *Mapper) listTexts(f *boundField) (texts []found, ok bool) {
	ok = true
	add := func(t found) {
		if f.Split == "" {
			texts = append(texts, t)
			return
		}
		for part := range strings.SplitSeq(t.text, f.Split) {
			texts = append(texts, found{part, t.kind, t.column})
		}
	}
	if f.Origin != rule.FromExpression {
		for _, column := range f.at {
			t, fine := m.cell(f, column)
			ok = ok && fine
			add(t)
		}
		return texts, ok
	}
	out, column, ok := m.run(f, f.program)
	if !ok {
		return nil, false
	}
	parts, fail := expr.TextsOf(out)
	if fail != nil {
		m.fail(f, column, "", fail)
		return nil, false
	}
	for _, part := range parts {
		add(found{part, table.Text, column})
	}
	return texts, true
}

// components writes the components of a case in the order of the mapping, leaving out empty ones.
func (m *Mapper) components(dst []byte, f *boundField) ([]byte, result) {
	before, bad := len(dst), false
	dst = append(dst, '[')
	for i, item := range f.inner {
		mark := len(dst)
		if dst[mark-1] != '[' {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendPlain(append(dst, `{"file_template_component_id":`...), f.ids[i])
		name := "value"
		if item.Target.Type == payload.TypeGUID {
			name = "entity_id"
		}
		var r result
		dst = jsontext.AppendName(dst, name)
		at, reasons := len(dst), len(m.reasons)
		dst, r = m.value(dst, item)
		if m.trace != nil {
			m.trace(item, dst[at:], m.reasons[reasons:])
		}
		bad = bad || r == failed
		if r != written {
			dst = dst[:mark]
			continue
		}
		dst = append(dst, '}')
	}
	f.given = true
	if bad {
		return dst[:before], failed
	}
	return append(dst, ']'), written
}
