package config

import (
	"fmt"
	"regexp"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// The tags of scalars that replace {env: NAME}: they say where the value came from.
const (
	tagEnvironment = "!env"
	tagDefault     = "!default"
)

// variable matches the name of an environment variable. usual matches a name that cannot be mistaken for a secret
// written in its place.
var variable, usual = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// environment replaces {env: NAME, default: VALUE} with the value, anywhere in the file and before anything is decoded,
// so that every scalar setting can be given this way without extra code.
type environment struct {
	file   *document.File
	lookup func(string) (string, bool)
	names  map[position]string // the variables that were used, by the position of their names
	unset  diagnostic.Faults   // variables that are not set and have no default
	faults diagnostic.Faults
}

// position is a place in a file.
type position struct {
	file         string
	line, column int
}

func positionOf(f *document.File, n *document.Node) position { return placed(f.At(n, "", "")) }

func placed(fault diagnostic.Fault) position { return position{fault.File, fault.Line, fault.Column} }

func (e *environment) resolve(n *document.Node) {
	if n == nil {
		return
	}
	for i, c := range n.Content {
		if n.Kind != document.Block || i%2 == 1 { // a key never comes from a variable, because a mistake in it is quoted
			e.resolve(c)
		}
	}
	if document.Member(n, "env") != nil {
		e.replace(n)
	}
}

// replace turns the block {env: NAME, default: VALUE} into a scalar.
func (e *environment) replace(n *document.Node) {
	var from struct {
		Env     string         `yaml:"env"`
		Default *document.Node `yaml:"default"`
	}
	faults := e.file.Decode(n, &from)
	switch {
	case len(faults) > 0:
	case from.Env == "":
		faults = diagnostic.Faults{e.file.At(n, "env is empty", "write {env: NAME}")}
	case !variable.MatchString(from.Env): // it may be the secret itself, which no message quotes
		faults = diagnostic.Faults{e.file.At(n, "this is not the name of an environment variable", "write letters, digits and underscores only; never write the secret itself here")}
	}
	if from.Default != nil && from.Default.Kind != document.Scalar {
		faults = append(faults, e.file.Expected(from.Default, "text or a number as the default"))
	}
	e.faults = append(e.faults, faults...)
	e.names[positionOf(e.file, n)] = from.Env
	value, _ := e.lookup(from.Env)
	scalar := document.Node{Kind: document.Scalar, Line: n.Line, Column: n.Column, Tag: "!!null"}
	switch {
	case value != "":
		scalar.Tag, scalar.Value = tagEnvironment, value
	case from.Default != nil && from.Default.Kind == document.Scalar && from.Default.ShortTag() != "!!null":
		scalar.Tag, scalar.Value = tagDefault, from.Default.Value
	case from.Default == nil && len(faults) == 0:
		name, which := from.Env, from.Env
		if !usual.MatchString(name) {
			name, which = "NAME", "that is named here"
		}
		e.unset = append(e.unset, e.file.At(n, fmt.Sprintf("the environment variable %s is not set", which), "set it, or write {env: "+name+", default: VALUE}"))
	}
	*n = scalar
}

// explain adds the name of the variable to faults about a value from the environment, because the line of the file does
// not show it.
func (e *environment) explain(faults diagnostic.Faults) diagnostic.Faults {
	for i, fault := range faults {
		if name, ok := e.names[placed(fault)]; ok && fault.Hint == "" {
			faults[i].Hint = "the value is from the environment variable " + name
		}
	}
	return faults
}
