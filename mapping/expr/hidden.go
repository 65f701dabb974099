package expr

// hiddenFunctions stand in the place of what an expression says, once it is bound. No one can write their names.
var hiddenFunctions = []function{
	// A comparison of a check is false where a text is empty: a date that is not there is neither before nor after another.
	{nameBefore, []any{new(func(string, string) bool)}, func(_ *Scope, p []any) (any, error) {
		a, b := p[0].(string), p[1].(string)
		return a != "" && b != "" && a < b, nil
	}},
	{nameNotAfter, []any{new(func(string, string) bool)}, func(_ *Scope, p []any) (any, error) {
		a, b := p[0].(string), p[1].(string)
		return a != "" && b != "" && a <= b, nil
	}},
	// date() without a pattern, with the column that it reads.
	{nameColumnDate, []any{new(text2)}, func(s *Scope, p []any) (any, error) { return s.columnDate(p[0].(string), p[1].(string)) }},
}

const (
	nameBefore     = "\x00before"
	nameNotAfter   = "\x00notAfter"
	nameColumnDate = "\x00date"
)
