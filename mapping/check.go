package mapping

import (
	"fmt"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// level is what a check does when it finds something.
type level uint8

const (
	levelOff level = iota
	levelWarn
	levelError
)

var levelWords = map[string]level{"off": levelOff, "warn": levelWarn, "error": levelError}

// Check is one of the checks of a record's sense before it is sent. Its name is the code of its reasons and notes.
type Check struct {
	Name       string
	Operations []payload.Operation
	Default    string // error or warn
	run        func(m *Mapper, code string) (*boundField, *reason.Problem)
}

// allChecks lists the checks of records and the comparisons. Contradictions are errors unless a mapping says otherwise; what is
// merely missing is a warning.
func allChecks() []Check {
	list := slices.Clone(recordChecks)
	for _, c := range comparisons {
		list = append(list, c.Check)
	}
	return list
}

// Checks are the checks of an operation, those of records first.
func Checks(op payload.Operation) (list []Check) {
	for _, check := range allChecks() {
		if slices.Contains(check.Operations, op) {
			list = append(list, check)
		}
	}
	return list
}

// recordChecks look at one record alone.
var recordChecks = []Check{
	{"filing_after_registration", marks, "error", order("application_date", "registration_date")},
	{"expiry_before_registration", marks, "error", order("registration_date", "expiry_date")},
	{"expiry_before_filing", marks, "error", order("application_date", "expiry_date")},
	{"publication_before_filing", marks, "warn", order("application_date", "publication_date")},
	{"filing_in_future", marks, "error", future("application_date")},
	{"registration_in_future", marks, "error", future("registration_date")},
	{"status_date_in_future", marks, "error", future("status_date")},
	{"registered_without_number", marks, "warn", registeredWithout("registration_number")},
	{"registered_without_date", marks, "warn", registeredWithout("registration_date")},
	{reason.FarOff, []payload.Operation{payload.UpdateTrademark, payload.UpdateCase}, "error", farOff},
	{reason.NiceClass, marks, "error", nil},
	{"file_number_repeated", []payload.Operation{payload.CreateFolder}, "warn", nil},
}

var marks = []payload.Operation{payload.UpdateTrademark}

// checkLevels are the levels of the checks by name.
type checkLevels map[string]level

// readChecks compiles checks:, one level for all or a block of levels by name, and of conditions by the names that the firm
// gives them.
func (c *compiler) readChecks(op payload.Operation) (levels checkLevels, own []ownCheck) {
	levels = checkLevels{}
	var known []string
	for _, check := range Checks(op) {
		levels[check.Name] = levelWords[check.Default]
		known = append(known, check.Name)
	}
	n := c.form.Checks
	switch {
	case n == nil || document.IsNull(n):
	case n.Kind == document.Scalar:
		for _, name := range known {
			levels[name] = c.level(n)
		}
	case n.Kind == document.Block:
		for key, value := range document.Pairs(n) {
			_, level := levelWords[value.Value]
			switch {
			case slices.Contains(known, key.Value):
				levels[key.Value] = c.level(value)
			case level || document.IsNull(value) || table.Trim(key.Value) == "":
				c.fault(key, fmt.Sprintf("%s has no check %q", c.form.Operation.text, key.Value), diagnostic.Suggest(key.Value, known))
			default:
				if check, ok := c.ownCheck(key.Value, value); ok {
					own = append(own, check)
				}
			}
		}
	default:
		c.faults = append(c.faults, c.file.Expected(n, "a block of checks"))
	}
	return levels, own
}

func (c *compiler) level(n *document.Node) level {
	found, ok := levelWords[n.Value]
	if !ok || n.Kind != document.Scalar {
		c.fault(n, fmt.Sprintf("unknown level %s", reason.Quote(n.Value)), "use error, warn or off")
	}
	return found
}

// checkPlan is the checks of one mapper that are on and can find something.
type checkPlan struct {
	fields map[string]*boundField
	on     []Check
	own    []boundCheck
	levels checkLevels
	// compared are the comparisons with other records, which the caller makes.
	compared []Comparison
	// today and tomorrow are zero when the caller states no day.
	today, tomorrow date.Moment
}

func planChecks(m *Mapping, fields []*boundField) checkPlan {
	plan := checkPlan{fields: map[string]*boundField{}, levels: m.checks, compared: m.Comparisons()}
	for _, f := range fields {
		plan.fields[f.target.Name] = f
	}
	if t := m.options.Today; !t.IsZero() {
		plan.today, plan.tomorrow = dayOf(t), dayOf(t.AddDate(0, 0, 1))
	}
	for _, check := range recordChecks {
		if check.run != nil && m.checks[check.Name] != levelOff {
			plan.on = append(plan.on, check)
		}
	}
	return plan
}

// check runs the checks of the record in hand.
func (m *Mapper) check() {
	m.row = &m.rows[0]
	for i := range m.checks.on {
		check := &m.checks.on[i]
		if f, p := check.run(m, check.Name); p != nil {
			m.judge(f, f.source, p)
		}
	}
	m.ownChecks()
}

// judge makes a reason or a note of what a check found.
func (m *Mapper) judge(f *boundField, value string, p *reason.Problem) {
	switch m.checks.levels[p.Code] {
	case levelError:
		m.fail(f, f.column, value, p.And(reason.OrWarn))
	case levelWarn:
		m.doubt(f, f.column, value, p)
	}
}

// date is the field's date in the record in hand.
func (m *Mapper) date(name string) (*boundField, date.Moment, bool) {
	f := m.checks.fields[name]
	if f == nil || !f.given || f.moment == (date.Moment{}) {
		return f, date.Moment{}, false
	}
	return f, f.moment, true
}

// order expects that one day is not after another. Times of day do not count: one date may have one and the other none.
func order(first, second string) func(*Mapper, string) (*boundField, *reason.Problem) {
	return func(m *Mapper, code string) (*boundField, *reason.Problem) {
		_, a, ok := m.date(first)
		f, b, ok2 := m.date(second)
		if !ok || !ok2 || b.DayOrder() >= a.DayOrder() {
			return nil, nil
		}
		return f, reason.New(code, second, b.ISO(), first, a.ISO())
	}
}

func future(name string) func(*Mapper, string) (*boundField, *reason.Problem) {
	return func(m *Mapper, code string) (*boundField, *reason.Problem) {
		f, at, ok := m.date(name)
		// Tomorrow has begun somewhere.
		if !ok || m.checks.today.Year == 0 || at.DayOrder() <= m.checks.tomorrow.DayOrder() {
			return nil, nil
		}
		return f, reason.New(code, name, at.ISO())
	}
}

// registeredWithout expects that a mark with one sign of registration has this one too.
func registeredWithout(name string) func(*Mapper, string) (*boundField, *reason.Problem) {
	return func(m *Mapper, code string) (*boundField, *reason.Problem) {
		f := m.checks.fields[name]
		if f == nil || f.given {
			return nil, nil
		}
		for _, sign := range []string{"registration_date", "registration_number", "status"} {
			if s := m.checks.fields[sign]; s != nil && s.given && (sign != "status" || registered(s.source)) {
				return f, reason.New(code, sign, s.source, name)
			}
		}
		return nil, nil
	}
}

const (
	earliestYear = 1850
	yearsAhead   = 100
)

// farOff judges every date of the record, those of components too.
func farOff(m *Mapper, code string) (*boundField, *reason.Problem) {
	limit := 9999
	if m.checks.today.Year > 0 {
		limit = m.checks.today.Year + yearsAhead
	}
	for _, f := range m.every {
		if year := f.moment.Year; f.target.Type == payload.TypeDate && f.given && year != 0 && (year < earliestYear || year > limit) {
			m.judge(f, f.source, reason.New(code, f.target.Name, f.moment.ISO()))
		}
	}
	return nil, nil
}

// checkClass looks at the class an entry was given. Classes that are neither numbers nor of the old schedule are left to
// the lookup.
func (m *Mapper) checkClass(f *boundField) {
	if m.checks.levels[reason.NiceClass] == levelOff || !f.given {
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
