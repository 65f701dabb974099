package expr

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/expr-lang/expr/ast"

	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/value"
)

// inspector visits every node before the expression is compiled. It records the columns, and refuses whatever would
// make the expression's time or memory hard to limit. For a bound expression it also replaces columns with slots.
type inspector struct {
	expression *Expression
	bind       bool
	refusals   []fault
	columns    []Column
	bare       []Column
	lookups    map[string]int // name → offset
	rows       []ast.Node     // nodes of row that no column access has been seen for yet
}

// Visit sees children before their parents.
func (v *inspector) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		v.member(node, n)
	case *ast.BinaryNode:
		if n.Operator == ".." {
			v.refuse(n, "ranges (..) are not allowed in mappings", "")
		}
		v.order(node, n)
		if n.Operator == "matches" {
			v.matches(n)
		}
		if n.Operator == "in" && isRow(n.Right) {
			v.refuse(n, "row cannot be searched; name its columns", `use row["Name"] != ""`)
		}
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		v.refuse(n, "variables and multiple expressions are not allowed in mappings", "use one expression")
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			v.refuse(n, "$env is not allowed in mappings", "")
		}
		if !v.bind && n.Value == "today" {
			v.expression.Today = true
		}
		if isRow(n) {
			v.rows = append(v.rows, n)
		}
	case *ast.BuiltinNode:
		v.loop(n)
	case *ast.CallNode:
		v.call(n)
	}
}

// matches refuses a pattern whose size is unknown or too large.
func (v *inspector) matches(n *ast.BinaryNode) {
	text, ok := n.Right.(*ast.StringNode)
	if !ok {
		v.refuse(n.Right, "the regular expression after matches must be in quotes", `use row["Name"] matches "^[A-Z]+$"`)
		return
	}
	if tree, err := syntax.Parse(text.Value, syntax.Perl); err == nil { // the compiler reports an invalid one
		if large := value.TooLarge(tree); large != "" {
			v.refuse(n.Right, large, value.TooLargeHint)
		}
	}
}

func isRow(n ast.Node) bool {
	identifier, ok := n.(*ast.IdentifierNode)
	return ok && identifier.Value == "row"
}

func (v *inspector) member(node *ast.Node, n *ast.MemberNode) {
	if !isRow(n.Node) {
		return
	}
	v.rows = slices.DeleteFunc(v.rows, func(row ast.Node) bool { return row == n.Node })
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		v.refuse(n.Property, "the column name must be in quotes", `use row["Name"]`)
		return
	}
	slot := slices.IndexFunc(v.columns, func(c Column) bool { return c.Name == name.Value })
	if slot < 0 {
		slot = len(v.columns)
		v.columns = append(v.columns, Column{Name: name.Value, Offset: name.Location().From})
	}
	if v.bind {
		column := &ast.IdentifierNode{Value: slotName(slot)}
		column.SetType(n.Type()) // order needs the type
		ast.Patch(node, column)
	}
}

// call records the lookup that a call names, which must be known when the mapping loads, and the columns of date().
func (v *inspector) call(n *ast.CallNode) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if ok && callee.Value == "date" && len(n.Arguments) > 0 {
		v.date(callee, n)
	}
	if !ok || (callee.Value != "lookup" && callee.Value != "known") || len(n.Arguments) == 0 {
		return
	}
	name, ok := n.Arguments[0].(*ast.StringNode)
	if !ok {
		v.refuse(n.Arguments[0], "the lookup name must be in quotes", "")
		return
	}
	if v.lookups == nil {
		v.lookups = map[string]int{}
	}
	v.lookups[name.Value] = name.Location().From
}

// order replaces a comparison of texts, unless it is with "" itself. The replacement handles empty texts, and refuses
// texts that have no order as text. The types are those of the expression as written.
func (v *inspector) order(node *ast.Node, n *ast.BinaryNode) {
	text := func(n ast.Node) bool { return n.Type() != nil && n.Type().Kind() == reflect.String }
	if !v.bind || !text(n.Left) || !text(n.Right) || !v.expression.Asks && (isEmpty(n.Left) || isEmpty(n.Right)) {
		return
	}
	left, right := n.Left, n.Right
	if n.Operator == ">" || n.Operator == ">=" {
		left, right = right, left
	}
	name := map[string]string{"<": nameBefore, ">": nameBefore, "<=": nameNotAfter, ">=": nameNotAfter}[n.Operator]
	if name != "" {
		ofWords := &ast.BoolNode{Value: isWord(left) || isWord(right)}
		asks := &ast.BoolNode{Value: v.expression.Asks}
		ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: []ast.Node{left, right, ofWords, asks}})
	}
}

func isEmpty(n ast.Node) bool {
	text, ok := n.(*ast.StringNode)
	return ok && text.Value == ""
}

// isWord reports whether a node is a quoted text that does not begin with a digit, so that alphabetical order is meant.
func isWord(n ast.Node) bool {
	text, ok := n.(*ast.StringNode)
	return ok && (text.Value == "" || !digit(text.Value[0]))
}

// date records the columns that are read as dates. A call without a pattern gets the column's name as an argument,
// because the mapping declares the dates of the column.
func (v *inspector) date(callee *ast.IdentifierNode, n *ast.CallNode) {
	if !v.bind {
		ast.Walk(&n.Arguments[0], dateColumns{v})
	}
	if len(n.Arguments) > 1 {
		return
	}
	name := ""
	switch argument := n.Arguments[0].(type) {
	case *ast.MemberNode:
		if property, ok := argument.Property.(*ast.StringNode); ok && isRow(argument.Node) {
			name = property.Value
		}
	case *ast.IdentifierNode: // a slot
		for slot, column := range v.columns {
			if argument.Value == slotName(slot) {
				name = column.Name
			}
		}
	}
	if v.bind {
		callee.Value, n.Arguments = nameColumnDate, append(n.Arguments, &ast.StringNode{Value: name})
		return
	}
	v.bare = append(v.bare, Column{Name: name, Offset: n.Location().From})
}

// dateColumns records the columns that are read as dates.
type dateColumns struct{ *inspector }

// Visit sees the columns by name, because the expression is not bound yet.
func (v dateColumns) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.MemberNode)
	if !ok || !isRow(n.Node) {
		return
	}
	name, _ := n.Property.(*ast.StringNode)
	for i := range v.columns {
		v.columns[i].dated = v.columns[i].dated || name != nil && v.columns[i].Name == name.Value
	}
}

// loop refuses a loop over a list inside another one: its time would be the product of both.
func (v *inspector) loop(n *ast.BuiltinNode) {
	for _, argument := range n.Arguments {
		if predicate, ok := argument.(*ast.PredicateNode); ok {
			finder := &loopFinder{}
			ast.Walk(&predicate.Node, finder)
			if finder.found {
				v.refuse(n, "nested loops over lists are not allowed in mappings",
					"use the operator in to test whether a list contains a text")
			}
		}
	}
}

type loopFinder struct{ found bool }

func (f *loopFinder) Visit(node *ast.Node) {
	if _, ok := (*node).(*ast.PredicateNode); ok {
		f.found = true
	}
}

func (v *inspector) refuse(n ast.Node, message, hint string) {
	v.refusals = append(v.refusals, fault{n.Location().From, message, hint})
}

// refused returns the first refusal. If there is none, it stores what was found in the expression.
func (v *inspector) refused(lookups []string) *fault {
	e := v.expression
	for _, n := range v.rows {
		v.refuse(n, "row requires a column", `use row["Name"]`)
	}
	if len(v.refusals) > 0 {
		return &v.refusals[0]
	}
	for name, at := range v.lookups {
		if !slices.Contains(lookups, name) {
			return &fault{at, fmt.Sprintf("unknown lookup %q", name), lookup.Suggest(name, lookups)}
		}
	}
	e.Columns, e.Bare = v.columns, v.bare
	return nil
}

// hiddenFunctions replace parts of a bound expression. No expression can contain their names.
var hiddenFunctions = []function{
	// A missing date is neither before nor after another: a comparison with an empty text is false, or fails.
	{nameBefore, []any{new(func(string, string, bool, bool) bool)}, compared(func(a, b string) bool { return a < b })},
	{nameNotAfter, []any{new(func(string, string, bool, bool) bool)}, compared(func(a, b string) bool { return a <= b })},
	// date() without a pattern, with the column that it reads.
	{nameColumnDate, []any{new(text2)}, func(s *Scope, p []any) (any, error) { return s.columnDate(p[0].(string), p[1].(string)) }},
	// + - * between whole numbers, which would overflow silently if they are too large.
	{nameSum, []any{new(whole2)}, exact((*big.Int).Add)},
	{nameDifference, []any{new(whole2)}, exact((*big.Int).Sub)},
	{nameProduct, []any{new(whole2)}, exact((*big.Int).Mul)},
}

type whole2 = func(int, int) int

func exact(of func(z, a, b *big.Int) *big.Int) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) {
		n := of(new(big.Int), big.NewInt(int64(p[0].(int))), big.NewInt(int64(p[1].(int))))
		if !n.IsInt64() {
			return nil, fmt.Errorf("%s is too large for a whole number", n)
		}
		return int(n.Int64()), nil
	}
}

const (
	nameBefore     = "\x00before"
	nameNotAfter   = "\x00notAfter"
	nameColumnDate = "\x00date"
	nameSum        = "\x00sum"
	nameDifference = "\x00difference"
	nameProduct    = "\x00product"
)

func compared(holds func(a, b string) bool) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) {
		a, b := p[0].(string), p[1].(string)
		if a == "" || b == "" {
			if asks := p[3].(bool); asks {
				return false, nil
			}
			return nil, fmt.Errorf("an empty text is neither before nor after %s; say what becomes of it first, by row[\"…\"] == \"\"", reason.Quote(a+b))
		}
		if ofWords := p[2].(bool); !ofWords && !inOrder(a, b) {
			return nil, fmt.Errorf("%s and %s would be compared letter by letter; compare dates with date(row[\"…\"]) and numbers with int(row[\"…\"])",
				reason.Quote(a), reason.Quote(b))
		}
		return holds(a, b), nil
	}
}

// ordinal matches a number, or the beginning of a date that can be compared as text; dayFirst matches a date whose
// order as text is not its order in time.
var (
	ordinal  = regexp.MustCompile(`^(?:[0-9]+|[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?)$`)
	dayFirst = regexp.MustCompile(`^[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2}`)
)

// inOrder reports whether the order of two texts as text is the order of what they mean: true for "2007-12-31" and
// "2008", "20071231" and "2008", "2007/114" and "2008"; false for "17/03/2015" and "2008", "open" and "2008", or "9"
// and "10".
func inOrder(a, b string) bool {
	if dayFirst.MatchString(a) || dayFirst.MatchString(b) {
		return false
	}
	if !ordinal.MatchString(a) && !ordinal.MatchString(b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range len(a) {
		if digit(a[i]) != digit(b[i]) || !digit(a[i]) && a[i] != b[i] {
			return false
		}
	}
	packed := len(b) == len("20060102") && (len(a) == len("2006") || len(a) == len("200601"))
	return len(a) == len(b) || !digit(b[len(a)]) || packed
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
