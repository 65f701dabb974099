package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/samples"
)

func newSchema(a *app) *cobra.Command {
	names := append([]string{"mapping", "config"}, answerNames()...)
	return &cobra.Command{
		Use:   "schema mapping|config|NAME",
		Short: "Print the JSON Schema of a file, or of what a command prints with --json",
		Long: `schema prints a JSON Schema to standard output. Editors that support YAML schemas (VS Code with the YAML extension, JetBrains,
Neovim with yaml-language-server) then complete keys, explain them, and mark errors as you type:

  docketsync schema mapping > mapping.schema.json

and in the first line of each mapping

  # yaml-language-server: $schema=mapping.schema.json

NAME is the form of what a command prints with --json, without its version: of "form": "docketsync-run/1" it is run.
'docketsync help scripts' lists them all.`,
		ValidArgs: names,
		Args:      args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			file := "schemas/json/" + args[0] + schemaEnd
			switch {
			case args[0] == "config":
				file = "schemas/docketsync" + schemaEnd
			case args[0] == "mapping":
				file = "schemas/mapping" + schemaEnd
			case !slices.Contains(names, args[0]):
				return exit.Mistakef("there is no schema %q\nThe schemas are %s", args[0], strings.Join(names, ", "))
			}
			schema, err := fs.ReadFile(samples.Schemas, file)
			if err == nil {
				schema, err = complete(schema)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s", schema)
			return err
		},
	}
}

// definitions is the file of what the schemas of several forms refer to.
const definitions = "definitions.json"

var reference = regexp.MustCompile(`"#/\$defs/([^"]+)"`)

// complete adds to a schema the definitions that it refers to in the file of definitions, so that what is printed stands alone.
func complete(schema []byte) ([]byte, error) {
	outside := []byte(`"` + definitions + `#/`)
	if !bytes.Contains(schema, outside) {
		return schema, nil
	}
	text, err := fs.ReadFile(samples.Schemas, "schemas/json/"+definitions)
	if err != nil {
		return nil, err
	}
	var all struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	var doc map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &all), json.Unmarshal(bytes.ReplaceAll(schema, outside, []byte(`"#/`)), &doc)); err != nil {
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
	for _, part := range doc {
		need(part)
	}
	if doc["$defs"], err = json.Marshal(needed); err != nil {
		return nil, err
	}
	printed, err := json.MarshalIndent(doc, "", "  ")
	return append(printed, '\n'), err
}

// schemaEnd is how the names of all schemas end.
const schemaEnd = ".schema.json"

// answerNames are the forms of what commands print with --json.
func answerNames() (names []string) {
	files, _ := fs.Glob(samples.Schemas, "schemas/json/*"+schemaEnd)
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), schemaEnd))
	}
	return names
}
