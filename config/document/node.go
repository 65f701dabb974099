package document

import "iter"

// IsNull tells a value that is written as null, ~, or not at all.
func IsNull(n *Node) bool { return n.Kind == Scalar && n.ShortTag() == "!!null" }

// Pairs walks the keys and values of a block; there are none in anything else.
func Pairs(n *Node) iter.Seq2[*Node, *Node] {
	return func(yield func(key, value *Node) bool) {
		for i := 0; n != nil && n.Kind == Block && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Entry finds a key of a block and its value, nil where the block does not have it.
func Entry(n *Node, name string) (key, value *Node) {
	for key, value := range Pairs(n) {
		if key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// Member is the value of a key of a block, nil where the block does not have it.
func Member(n *Node, name string) *Node {
	_, value := Entry(n, name)
	return value
}
