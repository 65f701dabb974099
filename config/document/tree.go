package document

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"docketsync/config/diagnostic"
)

// The bounds of a file with all its aliases written out: far beyond what a person writes, far below what hurts. A few
// lines of nested aliases would otherwise stand for billions of values.
const (
	maxNodes = 100_000
	maxDepth = 64
)

// resolver writes out aliases and merge keys, and counts what they come to.
type resolver struct {
	f      *File
	sizes  map[*Node]int
	active map[*Node]bool
	faults diagnostic.Faults
}

// resolve replaces every alias by the node it stands for and every merge key by the keys it brings. Nodes come to be
// shared, which nobody sees who does not write to them.
func (f *File) resolve() diagnostic.Faults {
	if f.root == nil {
		return nil
	}
	r := &resolver{f: f, sizes: map[*Node]int{}, active: map[*Node]bool{}}
	if r.node(f.root, 1) > maxNodes && len(r.faults) == 0 {
		r.faults = append(r.faults, f.At(f.root, "the file has too many values after its aliases are expanded",
			"use fewer aliases (*name)"))
	}
	return r.faults
}

// node resolves what is beneath n and returns the number of values there.
func (r *resolver) node(n *Node, depth int) int {
	if size, done := r.sizes[n]; done {
		return size
	}
	if depth > maxDepth {
		r.faults = append(r.faults, r.f.At(n, "values are nested too deeply here", "more than 64 levels are not supported"))
		return 1
	}
	r.active[n] = true
	size := 1
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			if c = r.target(c); c == nil {
				return size
			}
			n.Content[i] = c
		}
		size = min(size+r.node(c, depth+1), maxNodes+1)
	}
	if n.Kind == Block {
		r.merge(n)
	}
	delete(r.active, n)
	r.sizes[n] = size
	return size
}

// target follows an alias, and reports one that stands inside the value it stands for.
func (r *resolver) target(alias *Node) *Node {
	if r.active[alias.Alias] {
		r.faults = append(r.faults, r.f.At(alias, fmt.Sprintf("*%s refers to a value that contains it", alias.Value),
			"write the value out instead"))
		return nil
	}
	return alias.Alias
}

// merge replaces << by the keys of its value. Keys that the block has itself win, then those of the blocks named first.
func (r *resolver) merge(n *Node) {
	var sources []*Node
	own := n.Content[:0:0]
	for key, value := range Pairs(n) {
		switch {
		case key.ShortTag() != "!!merge":
			own = append(own, key, value)
		case value.Kind == Block:
			sources = append(sources, value)
		case value.Kind == List && !slices.ContainsFunc(value.Content, func(c *Node) bool { return c.Kind != Block }):
			sources = append(sources, value.Content...)
		default:
			r.faults = append(r.faults, r.f.At(value, "<< requires a block of keys or a list of them", "refer to one marked &name"))
		}
	}
	if len(sources) == 0 {
		return
	}
	n.Content = own
	for _, source := range sources {
		for key, value := range Pairs(source) {
			if Member(n, key.Value) == nil {
				n.Content = append(n.Content, key, value)
			}
		}
	}
}

// duplicates reports the keys that stand twice in a block, in n and beneath it. It looks at no block again: what is decoded in parts is
// reported once.
func (f *File) duplicates(n *Node) (faults diagnostic.Faults) {
	if n == nil || f.looked[n] {
		return nil
	}
	f.looked[n] = true
	first := map[string]*Node{}
	for key := range Pairs(n) {
		switch earlier := first[key.Value]; {
		case key.Kind != Scalar:
		case earlier == nil:
			first[key.Value] = key
		default:
			faults = append(faults, f.At(key, fmt.Sprintf("duplicate key %q; first used in line %d", key.Value, earlier.Line), "remove one of them"))
		}
	}
	for _, c := range n.Content {
		faults = append(faults, f.duplicates(c)...)
	}
	return faults
}
