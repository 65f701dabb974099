package expr

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"docketsync/config/diagnostic"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Expression is a checked expression. It is compiled twice: when the mapping loads, to check its types and to find the
// columns that it reads; and when the mapping is bound to a header, with each column in its own slot and with functions
// that reach the lookups. It cannot run for long: there are no ranges and no variables, lists are limited, and
// functions count what they read and write.
type Expression struct {
	Text    string
	Columns []Column
	Result  reflect.Type // nil or an interface if the type cannot be determined
	inItem  bool
	Asks    bool     // for a check, filter or order: a comparison with an empty text is false. Elsewhere it fails
	Lookups []string // the lookups that it uses
	Today   bool     // it uses the day of the run
	Bare    []Column // the columns that date() reads without a pattern
}

// Column is a column that an expression names.
type Column struct {
	Name   string
	Offset int  // characters into the expression
	dated  bool // date() reads it
}

// fault is what is wrong with an expression. Offset is in characters, or -1 for the whole expression.
type fault struct {
	Offset        int
	Message, Hint string
}

// New compiles an expression to check its types. inItem says that it belongs to an entry, with the variables class and
// text.
func New(text string, inItem bool, lookups []string) (*Expression, *fault) {
	e := &Expression{Text: text, inItem: inItem}
	inspector := &inspector{expression: e}
	program, err := expr.Compile(e.Text, append(e.options(&Scope{}, e.environment()), expr.Patch(inspector))...)
	if wrong := inspector.refused(lookups); wrong != nil {
		return nil, wrong
	}
	if err != nil {
		return nil, e.mistake(err)
	}
	e.Result, e.Lookups = program.Node().Type(), slices.Collect(maps.Keys(inspector.lookups))
	return e, nil
}

const (
	maxExpressionNodes = 500
	maxWork            = 4 << 20 // bytes that the functions of one evaluation may read and write
	maxListLength      = 10_000
	maxElements        = 100_000 // in the lists that one evaluation makes
)

// allowedBuiltins are the harmless builtins of the expression language. Functions of our own replace some.
var allowedBuiltins = []string{"len", "all", "any", "none", "one", "filter", "map", "count", "find", "int", "string", "abs", "min", "max",
	"trimPrefix", "trimSuffix", "indexOf", "lastIndexOf", "hasPrefix", "hasSuffix", "first", "last", "uniq", "sort", "reverse"}

// slotName returns the variable that stands for a column in a bound expression. No expression can contain this name.
func slotName(slot int) string { return "\x00" + strconv.Itoa(slot) }

func (e *Expression) options(s *Scope, env map[string]any) []expr.Option {
	options := []expr.Option{expr.Env(env), expr.MaxNodes(maxExpressionNodes), expr.DisableAllBuiltins()}
	for _, name := range allowedBuiltins {
		options = append(options, expr.EnableBuiltin(name))
	}
	for _, f := range slices.Concat(functions, hiddenFunctions) {
		call := f.call
		options = append(options, expr.Function(f.name, func(params ...any) (any, error) {
			if err := s.charge(params...); err != nil {
				return nil, err
			}
			out, err := call(s, params)
			if err != nil {
				return nil, err
			}
			return out, s.charge(out)
		}, f.types...))
	}
	return append(options, expr.Operator("+", "concat", nameSum), expr.Operator("-", nameDifference), expr.Operator("*", nameProduct))
}

func (e *Expression) environment() map[string]any {
	env := map[string]any{"row": map[string]string{}, "today": ""}
	if e.inItem {
		env["class"], env["text"] = "", ""
	}
	return env
}

// mistake words a compile error for the mapping's author.
func (e *Expression) mistake(err error) *fault {
	var at *file.Error
	if !errors.As(err, &at) {
		return &fault{-1, "invalid expression: " + err.Error(), ""}
	}
	message, hint := table.Trim(at.Message), ""
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		message = fmt.Sprintf("unknown function or variable %q", name)
		hint = diagnostic.Suggest(name, e.known())
		if near := diagnostic.Nearest(name, e.known()); near == "" {
			hint = fmt.Sprintf(`use row[%q] for a column; functions are listed in the reference of mapping files`, name)
		}
	} else if message == `unexpected token Operator("=")` {
		message, hint = "= is not a comparison", "use == for equal, != for not equal"
	} else if message == "unexpected token EOF" {
		message, hint = "unexpected end of the expression", "a bracket or a quote may be missing"
	} else if strings.HasPrefix(message, "literal not terminated") {
		message, hint = "a text in the expression has no closing quote", ""
	} else if strings.Contains(message, "mismatched types") || strings.Contains(message, "cannot use") {
		hint = `every column is text: compare it with text in quotes, or convert it with int(row["…"])`
	}
	return &fault{at.From, message, hint}
}

func (e *Expression) known() []string {
	known := slices.Clone(allowedBuiltins)
	for _, f := range functions {
		known = append(known, f.name)
	}
	for name := range e.environment() {
		known = append(known, name)
	}
	slices.Sort(known)
	return known
}

// Program is an expression bound to a header, ready to run.
type Program struct {
	*Expression
	code  *vm.Program
	vm    vm.VM
	env   map[string]any
	slots []string
	At    []int // the columns of the slots
	scope *Scope
	// Readings weighs the texts that date() has read in all rows.
	Readings table.Readings
}

// Bind compiles the expression with its columns in slots.
func (e *Expression) Bind(at []int, s *Scope) (*Program, *fault) {
	p := &Program{Expression: e, env: map[string]any{"today": s.Today}, At: at, scope: s}
	p.vm.MemoryBudget = maxElements
	types := e.environment()
	for slot := range e.Columns {
		p.slots = append(p.slots, slotName(slot))
		types[slotName(slot)] = ""
	}
	code, err := expr.Compile(e.Text, append(e.options(s, types), expr.Patch(&inspector{expression: e, bind: true}))...)
	if err != nil {
		return p, e.mistake(err)
	}
	p.code = code
	return p, nil
}

// Set sets the text of a column, by the column's position among those of the expression.
func (p *Program) Set(slot int, text string) { p.env[p.slots[slot]] = text }

// SetEntry sets the class and text of the current entry, if the expression belongs to an entry.
func (p *Program) SetEntry(class, text string) {
	if p.inItem {
		p.env["class"], p.env["text"] = class, text
	}
}

// Found returns the names that the last run found in lookups.
func (p *Program) Found() []foundName { return p.scope.found }

// Run evaluates the expression for a row, after all columns have been set.
func (p *Program) Run(row *table.Row) (any, *reason.Problem) {
	p.scope.work, p.scope.fail, p.scope.found, p.scope.row, p.scope.dates = 0, nil, p.scope.found[:0], row, &p.Readings
	out, err := p.vm.Run(p.code, p.env)
	if err == nil {
		return out, nil
	}
	if p.scope.fail != nil {
		return nil, p.scope.fail
	}
	message := err.Error()
	if at, ok := errors.AsType[*file.Error](err); ok {
		message = at.Message
	}
	return nil, reason.New(reason.Expression, p.Text, message)
}

// TextOf returns a result as text. Numbers must be whole or finite.
func TextOf(out any) (string, *reason.Problem) {
	switch out := out.(type) {
	case string:
		return out, nil
	case nil:
		return "", nil
	case bool:
		return strconv.FormatBool(out), nil
	case int:
		return strconv.Itoa(out), nil
	case float64:
		if !math.IsNaN(out) && !math.IsInf(out, 0) && math.Abs(out) < 1<<53 {
			return strconv.FormatFloat(out, 'f', -1, 64), nil
		}
		return "", reason.New(reason.ExpressionNumber)
	}
	return "", reason.New(reason.ExpressionType, fmt.Sprintf("%T", out))
}

// TextsOf returns a result as a list of texts.
func TextsOf(out any) ([]string, *reason.Problem) {
	switch out := out.(type) {
	case []string:
		return out, nil
	case []any:
		texts := make([]string, len(out))
		for i, element := range out {
			text, p := TextOf(element)
			if p != nil {
				return nil, p
			}
			texts[i] = text
		}
		return texts, nil
	}
	text, p := TextOf(out)
	return []string{text}, p
}

// Dates reports whether the expression reads a column of the source with date().
func (p *Program) Dates(column int) bool {
	for slot, at := range p.At {
		if at == column && p.Columns[slot].dated {
			return true
		}
	}
	return false
}
