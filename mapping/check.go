package mapping

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// finder looks for what a check is about in the current record, in the fields that the check names.
type finder func(m *Mapper, code string, of []*boundField) (*boundField, *reason.Problem)

// finders are the checks of records by name, with the fields without which they cannot find anything. Classes and file
// numbers are checked with the entries, texts with their fields.
var finders = map[string]struct {
	find   finder
	fields []string
}{
	"filing_after_registration":  {inOrder, []string{"application_date", "registration_date"}},
	"expiry_before_registration": {inOrder, []string{"registration_date", "expiry_date"}},
	"expiry_before_filing":       {inOrder, []string{"application_date", "expiry_date"}},
	"publication_before_filing":  {inOrder, []string{"application_date", "publication_date"}},
	"filing_in_future":           {inFuture, []string{"application_date"}},
	"registration_in_future":     {inFuture, []string{"registration_date"}},
	"status_date_in_future":      {inFuture, []string{"status_date"}},
	"registered_without_number":  {registeredWithout, []string{"registration_number"}},
	"registered_without_date":    {registeredWithout, []string{"registration_date"}},
	reason.FarOff:                {farOff, nil},
}

// checkPlan holds the checks of one mapper that are on and can find something.
type checkPlan struct {
	fields map[string]*boundField
	on     []activeCheck
	own    []boundCheck
	levels rule.Levels
	// compared are the comparisons with other records, which the caller makes.
	compared []activeComparison
	// today and tomorrow are zero if the caller states no day.
	today, tomorrow date.Moment
}

type activeCheck struct {
	name string
	find finder
	of   []*boundField
}

func planChecks(m *Mapping, fields []*boundField) checkPlan {
	plan := checkPlan{fields: map[string]*boundField{}, levels: m.rules.Levels}
	for _, f := range fields {
		plan.fields[f.Target.Name] = f
	}
	if t := m.rules.Options.Today; !t.IsZero() {
		plan.today, plan.tomorrow = dayOf(t), dayOf(t.AddDate(0, 0, 1))
	}
	for _, check := range rule.RecordChecks {
		is, found := finders[check.Name]
		var of []*boundField
		for _, name := range is.fields {
			if f := plan.fields[name]; f != nil {
				of = append(of, f)
			}
		}
		if found && len(of) == len(is.fields) && m.rules.Levels[check.Name] != rule.LevelOff {
			plan.on = append(plan.on, activeCheck{check.Name, is.find, of})
		}
	}
	for _, c := range m.Comparisons() {
		plan.compared = append(plan.compared, activeComparison{c.Name, sums[c.Name]})
	}
	return plan
}

// check runs the checks on the current record.
func (m *Mapper) check() {
	m.row = &m.rows[0]
	for i := range m.checks.on {
		check := &m.checks.on[i]
		if f, p := check.find(m, check.name, check.of); p != nil {
			m.judge(f, f.source, p)
		}
	}
	m.ownChecks()
}

// judge adds a reason or a note for what a check found.
func (m *Mapper) judge(f *boundField, value string, p *reason.Problem) {
	switch m.checks.levels[p.Code] {
	case rule.LevelError:
		m.fail(f, f.column, value, p.And(reason.OrWarn))
	case rule.LevelWarn:
		m.doubt(f, f.column, value, p)
	}
}

// dated reports whether a field has a date in the current record.
func (f *boundField) dated() bool { return f.given && f.moment.Year != 0 }

// inOrder expects the first date not to be after the second. Times of day do not count, because one date may have a
// time and the other not.
func inOrder(_ *Mapper, code string, of []*boundField) (*boundField, *reason.Problem) {
	a, b := of[0], of[1]
	if !a.dated() || !b.dated() || b.moment.DayOrder() >= a.moment.DayOrder() {
		return nil, nil
	}
	return b, reason.New(code, b.Target.Name, b.moment.ISO(), a.Target.Name, a.moment.ISO())
}

func inFuture(m *Mapper, code string, of []*boundField) (*boundField, *reason.Problem) {
	// Tomorrow has already begun in some time zone.
	if f := of[0]; f.dated() && m.checks.today.Year != 0 && f.moment.DayOrder() > m.checks.tomorrow.DayOrder() {
		return f, reason.New(code, f.Target.Name, f.moment.ISO())
	}
	return nil, nil
}

// registeredWithout expects the field to be set if a registration date, number or status says that the mark is
// registered.
func registeredWithout(m *Mapper, code string, of []*boundField) (*boundField, *reason.Problem) {
	for _, sign := range []string{"registration_date", "registration_number", "status"} {
		if s := m.checks.fields[sign]; !of[0].given && s != nil && s.given && (sign != "status" || registered(s.source)) {
			return of[0], reason.New(code, sign, s.source, of[0].Target.Name)
		}
	}
	return nil, nil
}

const (
	earliestYear = 1850
	yearsAhead   = 100
)

// nullDates are the days from which spreadsheets, Access, Delphi and Unix count. Programs write them for a missing
// date.
var nullDates = []int{1899_12_30, 1899_12_31, 1900_01_01, 1904_01_01, 1970_01_01}

// farOff judges every date of the record, including those of components.
func farOff(m *Mapper, code string, _ []*boundField) (*boundField, *reason.Problem) {
	limit := 9999
	if m.checks.today.Year > 0 {
		limit = m.checks.today.Year + yearsAhead
	}
	for _, f := range m.every {
		switch year := f.moment.Year; {
		case f.Target.Type != payload.TypeDate || !f.given || year == 0:
		case year < earliestYear || year > limit:
			m.judge(f, f.source, reason.New(code, f.Target.Name, f.moment.ISO()))
		case slices.Contains(nullDates, f.moment.DayOrder()):
			m.judge(f, f.source, reason.New(reason.FarOffNull, f.Target.Name, f.source))
		}
	}
	return nil, nil
}

// checkPartial looks at a cell that is used as a date.
func (m *Mapper) checkPartial(f *boundField, column int, cell table.Cell) {
	if cell.Partial() {
		f.column = column
		m.judge(f, cell.Text, reason.New(reason.Partial, cell.Text, cell.Shown.Format))
	}
}

// checkDamage looks at a text that is sent or is the key, as it came from the row.
func (m *Mapper) checkDamage(f *boundField, text string) {
	if m.checks.levels[reason.Damaged] == rule.LevelOff {
		return
	}
	p := value.CheckDamage(text)
	if p == nil && f.CanBeRounded() {
		p = value.CheckInvisible(text)
	}
	if p != nil {
		m.judge(f, text, p)
	}
}

// checkClass looks at the class of an entry. A class that is neither a number nor of the old schedule is left to the
// lookup.
func (m *Mapper) checkClass(f *boundField) {
	if m.checks.levels[reason.NiceClass] == rule.LevelOff || !f.given {
		return
	}
	number, ok := value.ClassNumber(f.source)
	if ok && number >= 1 && number <= 45 {
		return
	}
	local := value.IsOldClass(f.source)
	if !local && !ok {
		return
	}
	why := reason.NiceClass
	if local {
		why = reason.NiceClassOld
	}
	m.judge(f, f.source, reason.New(why, f.source))
}

func dayOf(t time.Time) date.Moment {
	return date.Moment{Year: t.Year(), Month: int(t.Month()), Day: t.Day()}
}

// What registries and firms write for a registered mark in English, Spanish, French, German, Italian and Portuguese,
// folded. Only whole words count: "Enregistrement en cours" is not a registration yet.
var (
	registeredWords = strings.Fields("registered registrado registrada registrados registradas enregistre enregistree enregistres enregistrees " +
		"eingetragen eingetragene registriert registrierte registrato registrata registrati registrate registado registada registados registadas " +
		"concedido concedida")
	// nounsOfMarks may come before them: "Marca registrada", "Live/Registered", "Registro concedido".
	nounsOfMarks = strings.Fields("mark marks trademark trademarks trade tm live active marca marcas marque marques marke wortmarke bildmarke marchio marchi " +
		"registro registo la le el il a o die der")
)

// registered reports whether a status says that the mark is registered. The first word after those for the mark itself
// decides, so "Nicht eingetragen" and "Opposition, registered 2014" do not count.
func registered(status string) bool {
	for word := range strings.FieldsFuncSeq(table.Fold(status), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !slices.Contains(nounsOfMarks, word) {
			return slices.Contains(registeredWords, word)
		}
	}
	return false
}
