package document

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"docketsync/config/diagnostic"
)

// Limits of a file with all its aliases expanded: far more than a person writes, far less than what does harm. Without
// limits a few lines of nested aliases could stand for billions of values.
const (
	maxNodes = 100_000
	maxDepth = 64
)

// resolver expands aliases and merge keys, and counts the resulting values.
type resolver struct {
	f      *File
	sizes  map[*Node]int
	active map[*Node]bool
	faults diagnostic.Faults
}

// resolve replaces every alias with the node that it stands for, and every merge key with the keys that it brings. The
// same node may then occur in several places, so callers must not modify nodes.
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

// node resolves everything below n and returns the number of values there.
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

// target follows an alias. It reports an alias inside the value that it stands for.
func (r *resolver) target(alias *Node) *Node {
	if r.active[alias.Alias] {
		r.faults = append(r.faults, r.f.At(alias, fmt.Sprintf("*%s refers to a value that contains it", alias.Value),
			"write the value out instead"))
		return nil
	}
	return alias.Alias
}

// merge replaces << with the keys of its value. The block's own keys win, then those of the blocks named first.
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

// duplicates reports the keys that occur twice in a block, in n and below it. It looks at each block only once, so that
// something decoded in parts is reported once.
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
