package compare

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docketsync/config/document"
)

// line is a value that differs between two mapping files.
type line struct {
	path []string
	Cause
}

// leaf is a value of a mapping file.
type leaf struct {
	text string
	file string // its base, "" for the file itself
	line int
}

// changedLines returns the values that differ between two mapping files, in the order of the newer. It ignores comments
// and spelling. A file that cannot be read has no lines.
func changedLines(old, now string) (list []line) {
	before, formerly := leavesOf(old)
	after, order := leavesOf(now)
	add := func(path string, was, is leaf) {
		list = append(list, line{strings.Split(path, pathMark), Cause{Kind: Mapping, Of: strings.ReplaceAll(path, pathMark, "."),
			Old: was.text, New: is.text, File: cmp.Or(is.file, was.file), OldLine: was.line, NewLine: is.line}})
	}
	for _, path := range order {
		if was := before[path]; was.text != after[path].text || was.line == 0 {
			add(path, was, after[path])
		}
	}
	for _, path := range formerly {
		if after[path].line == 0 {
			add(path, before[path], leaf{})
		}
	}
	return list
}

// pathMark separates the steps of a path, whose names may contain dots.
const pathMark = "\x00"

func leavesOf(text string) (leaves map[string]leaf, order []string) {
	leaves = map[string]leaf{}
	const own = "mapping"
	file, err := document.Parse(own, []byte(text))
	if err != nil || file.Root() == nil {
		return leaves, nil
	}
	var walk func(path []string, n *document.Node)
	put := func(path []string, text string, n *document.Node) {
		name, in := strings.Join(path, pathMark), ""
		if file.HasBase() {
			in = strings.TrimPrefix(filepath.ToSlash(file.At(n, "", "").File), own)
		}
		leaves[name] = leaf{text, in, n.Line}
		order = append(order, name)
	}
	walk = func(path []string, n *document.Node) {
		switch n.Kind {
		case document.Block:
			for key, value := range document.Pairs(n) {
				walk(append(slices.Clone(path), key.Value), value)
			}
		case document.List:
			if texts, plain := scalars(n); plain {
				put(path, texts, n)
				return
			}
			for at, value := range n.Content {
				walk(append(slices.Clone(path), strconv.Itoa(at+1)), value)
			}
		default:
			// mark_text: Mark is {column: Mark}.
			if len(path) > 1 && (path[len(path)-2] == "fields" || path[len(path)-2] == "item") {
				path = append(slices.Clone(path), "column")
			}
			put(path, n.Value, n)
		}
	}
	walk(nil, file.Root())
	return leaves, order
}

// scalars returns the values of a list that contains nothing else.
func scalars(n *document.Node) (string, bool) {
	texts := make([]string, 0, len(n.Content))
	for _, value := range n.Content {
		if value.Kind != document.Scalar {
			return "", false
		}
		texts = append(texts, value.Value)
	}
	return "[" + strings.Join(texts, ", ") + "]", true
}
