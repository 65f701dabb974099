package config

import (
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Files is one path or several.
type Files []string

// UnmarshalNode reads a text or a list of texts.
func (p *Files) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		*p = Files{n.Value}
		return nil
	}
	if n.Kind == document.Block {
		return diagnostic.Faults{f.Expected(n, "the path of a file, or a list of paths")}
	}
	var paths []string
	faults := f.Decode(n, &paths)
	*p = paths
	return faults
}

// UnmarshalNode reads the settings of a source, or a path alone as its file.
func (s *Source) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Block {
		return s.Files.UnmarshalNode(f, n)
	}
	type plain Source
	return f.Decode(n, (*plain)(s))
}
