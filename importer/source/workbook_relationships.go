package source

import (
	"context"
	"path"
	"strings"
)

// relationship is one line of a .rels part.
type relationship struct {
	id, kind, target string // kind is the last word of the type's address, "worksheet"; target is a part name
}

// relationships reads what a part refers to; "" is the package itself. A part without relationships has none.
func (c *container) relationships(part string) ([]relationship, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	if !c.has(name) {
		return nil, nil
	}
	xml, in, err := c.scan(context.Background(), name, maxCoverBytes)
	if err != nil {
		return nil, partFault(name, err)
	}
	defer in.Close()
	var all []relationship
	for {
		token, err := xml.next()
		if err != nil {
			return nil, partFault(name, err)
		}
		if token == xmlEOF {
			return all, nil
		}
		if token == xmlStart && string(xml.name) == "Relationship" {
			r, external, err := readRelationship(xml, dir)
			if err != nil {
				return nil, partFault(name, err)
			}
			if !external {
				all = append(all, r)
			}
		}
	}
}

func readRelationship(xml *xmlScanner, dir string) (r relationship, external bool, err error) {
	for attrs := xml.attrs; ; {
		name, value, rest, err := nextAttribute(attrs)
		if err != nil || name == nil {
			return r, external, err
		}
		decoded, err := appendCharacters(nil, value)
		if err != nil {
			return r, false, err
		}
		switch text := string(decoded); string(localName(name)) {
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
		return partName(path.Clean(target))
	}
	return path.Join(dir, target)
}
