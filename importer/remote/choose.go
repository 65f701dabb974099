package remote

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// pattern splits the path of a source into its folder and the pattern of its name; literal is what all names begin with.
func pattern(p string) (dir, name, literal string, wild bool) {
	dir, name = path.Split(p)
	literal = name
	if n := strings.IndexAny(name, `*?[\`); n >= 0 {
		literal, wild = name[:n], true
	}
	return dir, name, literal, wild
}

// newest is the file that was written last among those whose names fit. Of files of one time it is the last by name.
// Names that somebody is still at work on don't count.
func newest(files []entry, name string) (entry, error) {
	fitting := slices.DeleteFunc(slices.Clone(files), func(e entry) bool {
		base := path.Base(e.path)
		fits, err := path.Match(name, base)
		return err != nil || !fits || scratch(base)
	})
	if len(fitting) == 0 {
		return entry{}, &Error{What: fmt.Sprintf("no file there matches %s", name),
			Hint: "Check the path, and that whoever writes the files has done so. Capital and small letters differ."}
	}
	return slices.MaxFunc(fitting, func(a, b entry) int {
		if c := a.modified.Compare(b.modified); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	}), nil
}

func scratch(name string) bool {
	low := strings.ToLower(name)
	return strings.HasPrefix(low, ".") || strings.HasPrefix(low, "~") ||
		slices.ContainsFunc([]string{".part", ".partial", ".filepart", ".tmp", ".temp"}, func(end string) bool { return strings.HasSuffix(low, end) })
}

// localName makes the name of a remote file one that every filesystem takes.
func localName(remote string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, path.Base(remote))
	return strings.TrimRight(name, ". ")
}
