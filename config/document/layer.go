package document

import (
	"bytes"
	"path/filepath"
	"slices"

	"docketsync/config/diagnostic"
)

// extendsKey is the key under which a file names another one that it extends, as a path relative to its own folder.
const extendsKey = "extends"

// baseMark separates the text of a file from that of its base. No file can contain this character.
var baseMark = []byte{0x1d}

// Extends returns the path of the file that a text extends, or "" if it extends none. unreadable makes the fault that
// this file cannot be read. It returns an error if the text is not YAML.
func Extends(name string, data []byte) (path string, unreadable func(error) diagnostic.Fault, err error) {
	f, err := parse(name, data)
	if err != nil {
		return "", nil, err
	}
	n := Member(f.root, extendsKey)
	if n == nil || n.Kind != Scalar || IsNull(n) || n.Value == "" {
		return "", nil, nil
	}
	return f.basePath(n), func(err error) diagnostic.Fault {
		return f.At(n, "the base cannot be read: "+err.Error(), "the path starts from the folder of this file")
	}, nil
}

func (f *File) basePath(extends *Node) string {
	if path := filepath.FromSlash(extends.Value); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.name), filepath.FromSlash(extends.Value))
}

// WithBase returns the text of a file together with that of its base. Parse reads the result as both files, and it
// differs whenever either of them does.
func WithBase(data, base []byte) []byte {
	var both []byte
	for n, text := range [][]byte{data, base} {
		if n > 0 {
			both = append(both, baseMark...)
		}
		if plain, fault := decodeText("", text); fault == nil { // otherwise Parse finds the fault again
			text = plain
		}
		both = append(both, text...)
	}
	return both
}

// parseBoth reads a text from WithBase. It returns nil if the text is not one.
func parseBoth(name string, data []byte) (*File, error) {
	own, below, both := bytes.Cut(data, baseMark)
	if !both {
		return nil, nil
	}
	f, err := parse(name, own)
	if err != nil {
		return nil, err
	}
	extends := Member(f.root, extendsKey)
	if extends == nil {
		return nil, nil
	}
	base, err := parse(f.basePath(extends), below)
	if err != nil {
		return nil, err
	}
	if further := Member(base.root, extendsKey); further != nil {
		return nil, diagnostic.Faults{base.At(further, "a base cannot extend another file", "write what both share into this file")}
	}
	// Check before one of the two could be removed.
	if faults := append(f.duplicates(f.root), base.duplicates(base.root)...); len(faults) > 0 {
		return nil, faults.Err()
	}
	f.layOver(base)
	return f, nil
}

// HasBase reports whether the text contained the file's base.
func (f *File) HasBase() bool { return f.based }

// named are the keys whose entries are independent, so that those of a file and of its base are merged. The parts of
// any other block, such as key, only have a meaning together.
var named = []string{"fields", "lookups", "checks", "rows", "booleans"}

// TakesAway reports whether an entry of the file has nothing after its key, which removes the base's entry. null is a
// value, which is sent.
func (f *File) TakesAway(entry *Node) bool {
	return f.based && f.of(entry) == f && IsNull(entry) && entry.Value == ""
}

// layOver adds what the file does not set from a base: top-level keys, and entries of the named ones. An entry of the
// file replaces that of the base as a whole; an entry with nothing after its key removes that of the base.
func (f *File) layOver(base *File) {
	f.based = true
	if f.root == nil || f.root.Kind != Block || base.root == nil || base.root.Kind != Block {
		return
	}
	for key, value := range Pairs(base.root) {
		_, own := Entry(f.root, key.Value)
		switch {
		case own == nil:
			f.take(f.root, base, key, value)
		case own.Kind == Block && value.Kind == Block && slices.Contains(named, key.Value):
			for key, value := range Pairs(value) {
				if _, entry := Entry(own, key.Value); entry == nil {
					f.take(own, base, key, value)
				} else if f.TakesAway(entry) {
					own.Content = without(own.Content, key.Value)
				}
			}
		}
	}
}

// take appends an entry of a base to a block.
func (f *File) take(block *Node, base *File, key, value *Node) {
	block.Content = append(block.Content, key, value)
	f.own(base, key)
	f.own(base, value)
}

func without(content []*Node, key string) (kept []*Node) {
	for n := 0; n+1 < len(content); n += 2 {
		if content[n].Value != key {
			kept = append(kept, content[n], content[n+1])
		}
	}
	return kept
}
