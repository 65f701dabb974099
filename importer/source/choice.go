package source

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
)

// chooseSheets opens the sheets of rejected rows if docketsync wrote the workbook, otherwise those that the options
// name, otherwise the one that looks like the intended table.
func chooseSheets(ctx context.Context, sheets []format.Sheet, o Options) ([]part, []format.Warning, error) {
	if len(sheets) == 0 {
		return nil, nil, &format.Error{What: "the workbook has no sheets", Hint: format.HintRepair}
	}
	if parts, warnings, err := rejectsSheets(ctx, sheets, o); err != nil || len(parts) > 0 {
		return parts, warnings, err
	}
	if o.Sheet == "" {
		return findSheet(ctx, sheets, o)
	}
	chosen, why := namedSheets(sheets, o.Sheet)
	if len(chosen) == 0 {
		return nil, nil, &format.Error{What: fmt.Sprintf("the workbook has no sheet %q", o.Sheet), Hint: "Its sheets are " + sheetNames(sheets) + "; name one of them, or its number."}
	}
	var parts []part
	for _, c := range chosen {
		if !c.Cells {
			return nil, nil, &format.Error{What: "this sheet holds a chart or a dialog, no cells", Sheet: c.Name, Hint: "Name one of " + sheetNames(slices.DeleteFunc(slices.Clone(sheets), func(c format.Sheet) bool { return !c.Cells })) + "."}
		}
		parts = append(parts, part{table: c.Open(), sheet: c.Name, why: why})
	}
	return parts, sheetsLeft(sheets, chosen, alikeSheets(ctx, sheets, chosen, o)), nil
}

// sheetsLeft warns of sheets with the header of the chosen ones that are not read.
func sheetsLeft(sheets, chosen, left []format.Sheet) []format.Warning {
	if len(left) == 0 {
		return nil
	}
	return []format.Warning{{Code: "sheets_left", Sheet: chosen[0].Name, Count: len(left),
		Message: fmt.Sprintf("%s: the same header as the sheet %q, and not read", sheetNames(left), chosen[0].Name),
		Hint:    "If their rows belong to this job, " + setSheet(sheets, slices.Concat(chosen, left)) + "."}}
}

// alikeSheets returns the sheets, other than the chosen ones, that hold rows under the header of the first chosen
// sheet, hidden ones included.
func alikeSheets(ctx context.Context, sheets, chosen []format.Sheet, o Options) (alike []format.Sheet) {
	first, err := header.Find(ctx, chosen[0].Open(), o.header())
	if err != nil || first.Row == 0 {
		return nil // reading the sheet will report the error
	}
	for _, c := range sheets {
		if !c.Cells || slices.ContainsFunc(chosen, func(taken format.Sheet) bool { return taken.Number == c.Number }) {
			continue
		}
		l, err := header.Find(ctx, c.Open(), o.header())
		if err != nil || l.Row == 0 || !l.SameNames(first) {
			continue
		}
		if look, err := lookAtSheet(ctx, c, Options{}); err == nil && look.tabled {
			alike = append(alike, c)
		}
	}
	return alike
}

// setSheet says how to read exactly the wanted sheets. No pattern matches hidden ones, so each of these is named.
func setSheet(sheets, wanted []format.Sheet) string {
	d, hidden := Detected{}, []string(nil)
	for _, c := range sheets {
		is := slices.ContainsFunc(wanted, func(w format.Sheet) bool { return w.Number == c.Number })
		if !c.Hidden {
			d.Sheets = append(d.Sheets, c.Name)
		}
		switch {
		case is && c.Hidden:
			hidden = append(hidden, c.Name)
		case is:
			d.SheetsRead = append(d.SheetsRead, c.Name)
		}
	}
	if len(d.SheetsRead) > 1 {
		d.SheetsRead = []string{d.sheetSetting()}
	}
	return "set sheet: " + strconv.Quote(strings.Join(append(d.SheetsRead, hidden...), sheetBar))
}

// sheetSetting returns the value of Options.Sheet that reads exactly these sheets. If possible it is a pattern, so that
// it matches similar sheets in future files. It is "" if there is nothing to choose.
func (d Detected) sheetSetting() string {
	switch {
	case len(d.Sheets) < 2:
		return ""
	case len(d.SheetsRead) < 2:
		return d.Sheet
	}
	prefix := d.SheetsRead[0]
	for _, name := range d.SheetsRead[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	pattern := strings.TrimRight(strings.ToValidUTF8(prefix, ""), "0123456789") + "*"
	matching := 0
	for n, name := range d.Sheets {
		matching += len(matchingSheets([]format.Sheet{{Name: name, Number: n + 1, Cells: true}}, pattern))
	}
	if matching == len(d.SheetsRead) {
		return pattern
	}
	return strings.Join(d.SheetsRead, sheetBar)
}

// sheetBar separates the names of several sheets.
const sheetBar = " | "

// namedSheets returns the sheet with that name; otherwise the one with that name ignoring case; otherwise the one with
// that number; otherwise all visible ones that match it as a pattern; otherwise all that it names with bars between
// them, if each exists.
func namedSheets(sheets []format.Sheet, wanted string) (chosen []format.Sheet, why string) {
	for _, same := range []func(format.Sheet) bool{
		func(c format.Sheet) bool { return c.Name == wanted },
		func(c format.Sheet) bool {
			return strings.EqualFold(strings.TrimSpace(c.Name), strings.TrimSpace(wanted))
		},
	} {
		if n := slices.IndexFunc(sheets, same); n >= 0 {
			return sheets[n : n+1 : n+1], "configured by name"
		}
	}
	if number, err := strconv.Atoi(strings.TrimSpace(wanted)); err == nil {
		if number < 1 || number > len(sheets) {
			return nil, ""
		}
		return sheets[number-1 : number], "configured by number"
	}
	if several := strings.Split(wanted, sheetBar); len(several) > 1 {
		for _, one := range several {
			more, _ := namedSheets(sheets, one)
			if len(more) == 0 {
				return nil, ""
			}
			chosen = append(chosen, more...)
		}
		slices.SortFunc(chosen, func(a, b format.Sheet) int { return a.Number - b.Number })
		return slices.CompactFunc(chosen, func(a, b format.Sheet) bool { return a.Number == b.Number }), "configured by name"
	}
	return matchingSheets(sheets, wanted), "matches the configured pattern"
}

// matchingSheets returns the visible sheets that match a pattern, or none if wanted is not a pattern.
func matchingSheets(sheets []format.Sheet, wanted string) (chosen []format.Sheet) {
	if !strings.ContainsAny(wanted, "*?") {
		return nil
	}
	pattern := strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", "\x00").Replace(strings.ToLower(wanted))
	for _, c := range sheets {
		name := strings.ReplaceAll(strings.ToLower(c.Name), "/", "\x00")
		if matches, err := path.Match(pattern, name); err == nil && matches && c.Cells && !c.Hidden {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func sheetNames(sheets []format.Sheet) string {
	var names []string
	for _, c := range sheets {
		name := strconv.Quote(c.Name)
		if c.Hidden {
			name += " (hidden)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// tableLook is what the beginning of a sheet shows.
type tableLook struct {
	format.Sheet
	filled bool // there is a cell with content
	tabled bool // there are two rows of two or more cells, or one of them on top of others
	fit    int  // how many of the wanted columns its header has
}

// findSheet chooses among the visible sheets: the one whose header has most of the wanted columns, otherwise the first
// that looks like a table, otherwise the first with any content. If other sheets have the columns as well, a person
// must choose. If no columns are wanted, as when a file is looked at for the first time, a warning names the other
// sheets. Hidden sheets stop nothing, because many hold what a person has put away; a warning names those that look like
// the chosen one.
func findSheet(ctx context.Context, sheets []format.Sheet, o Options) ([]part, []format.Warning, error) {
	var looks []tableLook
	for _, c := range sheets {
		if c.Hidden || !c.Cells {
			continue
		}
		look, err := lookAtSheet(ctx, c, o)
		if err != nil {
			return nil, nil, format.At(err, "", c.Name)
		}
		looks = append(looks, look)
	}
	best, why := bestLook(looks)
	if best < 0 {
		return nil, nil, &format.Error{What: "no visible sheet of the workbook holds a cell", Hint: "Its sheets are " + sheetNames(sheets) + "; to read a hidden one, set sheet to its name."}
	}
	alike, hidden := []format.Sheet{looks[best].Sheet}, []format.Sheet(nil)
	for _, c := range alikeSheets(ctx, sheets, alike, o) {
		if c.Hidden {
			hidden = append(hidden, c)
		} else {
			alike = append(alike, c)
		}
	}
	if len(alike) > 1 && !o.Alike && len(o.Columns) > 0 {
		return nil, nil, &format.Error{What: fmt.Sprintf("%d sheets have the same header, and only one of them would be read: %s", len(alike), sheetNames(alike)),
			Hint: fmt.Sprintf("To read them as one, %s. To read one of them, set sheet to its name.", setSheet(sheets, alike))}
	}
	if len(alike) > 1 && o.Alike {
		var parts []part
		for _, c := range alike {
			parts = append(parts, part{table: c.Open(), sheet: c.Name, why: "it has the header of the others"})
		}
		return parts, sheetsLeft(sheets, alike, hidden), nil
	}
	warnings := append(sheetsLeft(sheets, alike[:1], hidden), fitsHidden(ctx, sheets, looks[best], o)...)
	chosen, others := []part{{table: looks[best].Open(), sheet: looks[best].Name, why: why}}, rivals(looks, best)
	switch {
	case len(others) == 0:
		return chosen, warnings, nil
	case looks[best].fit > 0:
		all := append([]format.Sheet{looks[best].Sheet}, others...)
		return nil, nil, &format.Error{What: fmt.Sprintf("%d sheets have the columns asked for, and only one of them would be read: %s", len(all), sheetNames(all)),
			Hint: "Set sheet to the name of the right one. To read the others too, give each a job of its own."}
	}
	return chosen, append(warnings, format.Warning{Code: "several_sheets", Sheet: looks[best].Name,
		Message: fmt.Sprintf("the sheet %q was chosen, but %s could also have been meant", looks[best].Name, sheetNames(others)),
		Hint:    "Set sheet to the name of the right one, or to a pattern that matches several."}), nil
}

// fitsHidden warns of the first hidden sheet that has more of the wanted columns than the chosen one.
func fitsHidden(ctx context.Context, sheets []format.Sheet, chosen tableLook, o Options) []format.Warning {
	for _, c := range sheets {
		if !c.Hidden || !c.Cells || chosen.fit == len(o.Columns) {
			continue
		}
		if look, err := lookAtSheet(ctx, c, o); err == nil && look.tabled && look.fit > chosen.fit {
			return []format.Warning{{Code: hiddenFits, Sheet: c.Name, Message: fmt.Sprintf("the hidden sheet %q has %d of the %d columns asked for, and %q, which is read, has %d", c.Name, look.fit, len(o.Columns), chosen.Name, chosen.fit),
				Hint: "To read it, " + setSheet(sheets, []format.Sheet{c}) + "."}}
		}
	}
	return nil
}

const hiddenFits = "hidden_fits"

// Elsewhere names the hidden sheet that is probably meant, with the setting that reads it, for the error about a column
// that the chosen sheet does not have. It is "" if there is none.
func (d Detected) Elsewhere() string {
	n := slices.IndexFunc(d.Warnings, func(w format.Warning) bool { return w.Code == hiddenFits })
	if n < 0 {
		return ""
	}
	return d.Warnings[n].Message + ". " + d.Warnings[n].Hint
}

// rivals returns the sheets that fit as well as the best one.
func rivals(looks []tableLook, best int) (others []format.Sheet) {
	for i, look := range looks {
		if i != best && look.tabled && look.fit == looks[best].fit {
			others = append(others, look.Sheet)
		}
	}
	return others
}

func bestLook(looks []tableLook) (best int, why string) {
	best = -1
	for i, look := range looks {
		switch {
		case look.fit > 0 && (best < 0 || look.fit > looks[best].fit):
			best, why = i, "its header fits the columns asked for"
		case best < 0 && look.tabled:
			best, why = i, "the first visible sheet with a table"
		}
	}
	if best < 0 {
		return slices.IndexFunc(looks, func(look tableLook) bool { return look.filled }), "the first visible sheet with content"
	}
	return best, why
}

// lookRows is how many rows with content are read to judge a sheet.
const lookRows = 200

func lookAtSheet(ctx context.Context, c format.Sheet, o Options) (tableLook, error) {
	look := tableLook{Sheet: c}
	t := header.Stored(c.Open())
	wide, filled, widthOnTop := 0, 0, 0
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return look, err
		}
		if cells := header.Filled(row.Cells); cells > 0 {
			if filled++; filled == 1 {
				widthOnTop = cells
			}
			if cells > 1 {
				wide++
			}
		}
		if wide > 1 || filled >= lookRows {
			break
		}
	}
	look.filled = filled > 0
	look.tabled = wide > 1 || widthOnTop > 1 && filled > 1
	if len(o.Columns) == 0 || !look.filled {
		return look, nil
	}
	found, err := header.Find(ctx, t, o.header())
	if err != nil {
		return look, err
	}
	look.fit = format.Fit(found.Names, o.Columns)
	return look, nil
}
