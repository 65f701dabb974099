package xlsx

import (
	"context"
	"path"
	"strings"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/sheetxml"
)

// relationship is one line of a .rels part.
type relationship struct {
	id, kind, target string // kind is the last word of the type's address, "worksheet"; target is a part name
}

// relationships reads what a part refers to; "" is the package itself. A part without relationships has none.
func relationships(c *archive.Archive, part string) ([]relationship, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	if !c.Has(name) {
		return nil, nil
	}
	var all []relationship
	err := sheetxml.Read(context.Background(), c, name, archive.MaxProperty, func(xml *sheetxml.Scanner) error {
		if string(xml.Name) != "Relationship" {
			return nil
		}
		r, external := relationship{}, false
		err := xml.Decoded(func(_, name, value string) {
			switch name {
			case "Id":
				r.id = value
			case "Type":
				r.kind = path.Base(value)
			case "Target":
				r.target = resolveTarget(dir, value)
			case "TargetMode":
				external = value == "External"
			}
		})
		if !external {
			all = append(all, r)
		}
		return err
	})
	return all, err
}

func resolveTarget(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return archive.Name(path.Clean(target))
	}
	return path.Join(dir, target)
}
