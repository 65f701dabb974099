package wizard

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/mapping/edit"
)

// change changes the draft if it has not changed since the form was made.
func (p *Pages) change(r *web.Request, up *upload.Upload, change func(text string) (string, error)) error {
	err := up.Change(r.PostFormValue("seen"), change)
	if errors.Is(err, edit.ErrByHand) {
		return web.Refuse(http.StatusUnprocessableEntity, "The form cannot make this change: "+err.Error()+".", "Reload the page and make the change in the mapping file below.")
	}
	return err
}

// edit changes the draft by its fields.
func (p *Pages) edit(r *web.Request, up *upload.Upload, change func(d *edit.File) (*edit.File, error)) error {
	return p.change(r, up, func(text string) (string, error) {
		d, err := p.read(up, text)
		if err == nil {
			d, err = change(d)
		}
		if err != nil {
			return "", err
		}
		return d.Text(), nil
	})
}

// chooseFields applies the whole form to the draft. Fields that are as they were shown change nothing.
func (p *Pages) chooseFields(r *web.Request, up *upload.Upload) error {
	err := p.edit(r, up, func(d *edit.File) (_ *edit.File, err error) {
		if keys := r.PostForm["key"]; len(keys) > 0 {
			keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "" })
			if d, err = d.ChooseKey(keys); err != nil {
				return nil, err
			}
		}
		if r.PostForm.Has("dates") {
			if d, err = d.ChooseDates(patternsIn(r, "dates")); err != nil {
				return nil, err
			}
		}
		if d, err = chooseRows(r, d); err != nil {
			return nil, err
		}
		d, anew, err := chooseGoods(r, d)
		if err != nil {
			return nil, err
		}
		for _, f := range d.Fields() {
			if anew && strings.HasPrefix(f.Path, payload.Goods+".") {
				continue
			}
			choice, said, err := choiceOf(r, f)
			if err == nil && said {
				d, err = d.Choose(f.Path, choice)
			}
			if err != nil {
				return nil, err
			}
		}
		return d, nil
	})
	if err != nil {
		return err
	}
	r.Unremarkable()
	if r.PostForm.Has("live") {
		return p.showMapping(r, up)
	}
	return r.SeeOther("/import/"+up.ID+"/mapping", "")
}

// chooseRows applies what the form says about rows, numbers and checks.
func chooseRows(r *web.Request, d *edit.File) (_ *edit.File, err error) {
	if r.PostForm.Has("numbers") {
		if d, err = d.ChooseNumbers(r.PostFormValue("numbers")); err != nil {
			return nil, err
		}
	}
	if d, err = chooseChecks(r, d); err != nil {
		return nil, err
	}
	filters, said := filtersOf(r)
	if !said {
		return d, nil
	}
	return d.ChooseFilters(slices.DeleteFunc(filters, unfinished))
}

// unfinished reports whether a rule lacks its column or its values.
func unfinished(f edit.Filter) bool { return f.Column == "" || len(f.Values) == 0 }

// filtersOf returns the rules for rows in a form, including unfinished ones. said is false if the form has none.
func filtersOf(r *web.Request) (filters []edit.Filter, said bool) {
	columns, hows, values := r.PostForm["filter/column"], r.PostForm["filter/how"], r.PostForm["filter/values"]
	if len(columns) == 0 || len(hows) != len(columns) || len(values) != len(columns) {
		return nil, false
	}
	for n, column := range columns {
		f := edit.Filter{Column: strings.TrimSpace(column), Only: hows[n] == "only", Begins: hows[n] == "begins"}
		for line := range strings.Lines(values[n]) {
			if line = strings.TrimRight(line, "\r\n"); !f.Begins { // "Total " is not "Total": Total Energies is a client
				line = strings.TrimSpace(line)
			}
			if line != "" && !slices.Contains(f.Values, line) {
				f.Values = append(f.Values, line)
			}
		}
		if hows[n] == "empty" {
			f.Values = []string{""}
		}
		if !f.Begins || len(f.Values) == 0 {
			filters = append(filters, f)
			continue
		}
		for _, value := range f.Values { // one rule for each value
			f.Values = []string{value}
			filters = append(filters, f)
		}
	}
	return filters, true
}

// choiceOf returns what the form says about a field. said is false if it says nothing.
func choiceOf(r *web.Request, f edit.Field) (c edit.Choice, said bool, err error) {
	value := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(r.PostFormValue(f.Path+"/"+name), "\r\n", "\n"))
	}
	from, text := edit.From(value("from")), value("value")
	switch {
	case !r.PostForm.Has(f.Path + "/from"):
		return c, false, nil
	case from == edit.Nothing:
		return edit.Choice{From: from}, true, nil
	case from == edit.Written, from == edit.Part:
		return f.Choice, true, nil
	}
	c = edit.Choice{From: from, Lookup: f.Choice.Lookup, Default: f.Choice.Default, Words: f.Choice.Words, Dates: f.Choice.Dates}
	switch name, one := strings.CutPrefix(r.PostFormValue(f.Path+"/from"), columnPrefix); {
	case one: // a browser may change white space in it, so columns are compared without it
		c.From, c.Columns = edit.Column, []string{name}
	case from == f.Choice.From && asShown(text, originText(f.Choice)):
		c.Columns, c.Value, c.Expression = f.Choice.Columns, f.Choice.Value, f.Choice.Expression
	case from == edit.Constant:
		c.Value = text
	case from == edit.Expression:
		c.Expression = text
	case from == edit.Column:
		for name := range strings.SplitSeq(text, "|") {
			if name = strings.TrimSpace(name); name != "" {
				c.Columns = append(c.Columns, name)
			}
		}
	}
	if c.Value == "" && c.Expression == "" && len(c.Columns) == 0 {
		// It was chosen, but nothing was entered yet: nothing changes until then.
		return f.Choice, true, nil
	}
	if r.PostForm.Has(f.Path + "/lookup") {
		c.Lookup = value("lookup")
	}
	if r.PostForm.Has(f.Path+"/default") && !asShown(value("default"), c.Default) {
		c.Default = value("default")
	}
	if r.PostForm.Has(f.Path + "/words") {
		if c.Words, err = parseWords(value("words")); err != nil {
			return c, false, err
		}
	}
	if r.PostForm.Has(f.Path + "/dates") {
		c.Dates = patternsIn(r, f.Path+"/dates")
	}
	return c, true, nil
}

// changeText saves the edited text of the mapping. A text with errors is saved too, and the page shows them. A text
// that cannot be parsed is set aside until it can, so that the form keeps working with the previous mapping.
func (p *Pages) changeText(r *web.Request, up *upload.Upload) error {
	if r.PostForm.Has("drop") {
		if err := up.PutAside(""); err != nil {
			return err
		}
		return r.SeeOther("/import/"+up.ID+"/mapping#text", "")
	}
	aside := ""
	err := p.change(r, up, func(now string) (string, error) {
		// Browsers send Windows line breaks, whatever the file had.
		text := strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")
		if strings.Contains(now, "\r\n") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if _, err := p.read(up, text); errors.As(err, new(diagnostic.Faults)) {
			aside = text
			return now, nil
		}
		return text, nil
	})
	if err == nil {
		err = up.PutAside(aside)
	}
	if err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/mapping#text", "")
}

// asShown reports whether a field of the form is unchanged. Browsers remove line breaks from one-line fields.
func asShown(text, shown string) bool {
	plain := strings.NewReplacer("\r", "", "\n", "")
	return strings.TrimSpace(plain.Replace(text)) == strings.TrimSpace(plain.Replace(shown))
}

// wordLine matches a word and its replacement, either of which may be quoted.
var wordLine = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|[^"=][^=]*|)\s*=\s*("(?:[^"\\]|\\.)*"|[^"\s].*|)$`)

// parseWords reads what wordsText writes.
func parseWords(text string) (words []edit.Word, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var w edit.Word
		found := wordLine.FindStringSubmatch(line)
		if found == nil || !unquote(found[1], &w.Is) || !unquote(found[2], &w.Becomes) {
			return nil, web.Refuse(http.StatusBadRequest, fmt.Sprintf("The line %q does not say which word is replaced with what.", line),
				`Write one line for each word, such as Open = yes, and a word that has = or a quotation mark so: "a=b" = "say \"yes\"". Nothing was changed; go back.`)
		}
		words = append(words, w)
	}
	return words, nil
}

func unquote(text string, into *string) bool {
	if *into = strings.TrimSpace(text); !strings.HasPrefix(text, `"`) {
		return true
	}
	var err error
	*into, err = strconv.Unquote(*into)
	return err == nil
}

// wordsText writes words for a text area, one line each: the word, an equals sign and its replacement. A text that
// parseWords would not read back unchanged is quoted, with line breaks as \n.
func wordsText(words []edit.Word) string {
	quoted := func(text string) string {
		if strings.ContainsAny(text, "=\r\n") || strings.HasPrefix(text, `"`) || strings.TrimSpace(text) != text {
			return strconv.Quote(text)
		}
		return text
	}
	var lines []string
	for _, w := range words {
		lines = append(lines, quoted(w.Is)+" = "+quoted(w.Becomes))
	}
	return strings.Join(lines, "\n")
}
