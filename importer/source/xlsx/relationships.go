package xlsx

import (
	"context"
	"path"
	"strings"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
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
	xml, in, err := sheetxml.Part(context.Background(), c, name, archive.MaxProperty)
	if err != nil {
		return nil, format.PartFault(name, err)
	}
	defer in.Close()
	var all []relationship
	for {
		token, err := xml.Next()
		if err != nil {
			return nil, format.PartFault(name, err)
		}
		if token == sheetxml.EOF {
			return all, nil
		}
		if token == sheetxml.Start && string(xml.Name) == "Relationship" {
			r, external, err := readRelationship(xml, dir)
			if err != nil {
				return nil, format.PartFault(name, err)
			}
			if !external {
				all = append(all, r)
			}
		}
	}
}

func readRelationship(xml *sheetxml.Scanner, dir string) (r relationship, external bool, err error) {
	for attrs := xml.Attrs; ; {
		name, value, rest, err := sheetxml.NextAttribute(attrs)
		if err != nil || name == nil {
			return r, external, err
		}
		decoded, err := sheetxml.AppendCharacters(nil, value)
		if err != nil {
			return r, false, err
		}
		switch text := string(decoded); string(sheetxml.LocalName(name)) {
		case "Id":
			r.id = text
		case "Type":
			r.kind = path.Base(text)
		case "Target":
			r.target = resolveTarget(dir, text)
		case "TargetMode":
			external = text == "External"
		}
		attrs = rest
	}
}

func resolveTarget(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return archive.Name(path.Clean(target))
	}
	return path.Join(dir, target)
}
