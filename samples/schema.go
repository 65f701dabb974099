package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

const (
	schemaFolder = "schemas/json/"
	schemaEnd    = ".schema.json"
	// definitions is the file with the definitions that several schemas refer to.
	definitions = "definitions.json"
)

// SchemaNames lists the names of the schemas: of mappings, of configurations, and of the forms of what commands print
// with --json.
func SchemaNames() []string {
	names := []string{"mapping", "config"}
	files, _ := fs.Glob(schemas, schemaFolder+"*"+schemaEnd) // the pattern is valid
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), schemaEnd))
	}
	return names
}

// Schema returns the schema of a name, with the definitions that it refers to in another file, so that it stands alone.
func Schema(name string) ([]byte, error) {
	switch name {
	case "config":
		return schemas.ReadFile("schemas/docketsync" + schemaEnd)
	case "mapping":
		return schemas.ReadFile("schemas/mapping" + schemaEnd)
	}
	schema, err := schemas.ReadFile(schemaFolder + name + schemaEnd)
	if err != nil {
		return nil, err
	}
	if outside := []byte(`"` + definitions + `#/`); bytes.Contains(schema, outside) {
		return complete(bytes.ReplaceAll(schema, outside, []byte(`"#/`)))
	}
	return schema, nil
}

var reference = regexp.MustCompile(`"#/\$defs/([^"]+)"`)

// complete adds the definitions that a schema refers to.
func complete(schema []byte) ([]byte, error) {
	text, err := schemas.ReadFile(schemaFolder + definitions)
	if err != nil {
		return nil, err
	}
	var all struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	var doc map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &all), json.Unmarshal(schema, &doc)); err != nil {
		return nil, err
	}
	needed := map[string]json.RawMessage{}
	var need func(text []byte)
	need = func(text []byte) {
		for _, found := range reference.FindAllSubmatch(text, -1) {
			if name := string(found[1]); needed[name] == nil {
				needed[name] = all.Defs[name]
				need(needed[name])
			}
		}
	}
	need(schema)
	if doc["$defs"], err = json.Marshal(needed); err != nil {
		return nil, err
	}
	printed, err := json.MarshalIndent(doc, "", "  ")
	return append(printed, '\n'), err
}
