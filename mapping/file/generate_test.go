package file

import (
	"maps"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/rule"
)

// Schema is the JSON Schema of mapping files, for editors: "# yaml-language-server: $schema=mapping.schema.json" in the
// first line of a mapping. It is made of the same forms and targets that Parse goes by. It cannot know everything that
// Parse does; whatever Parse accepts fits it.
func Schema() *jsonschema.Schema {
	root := reflectForm(mappingForm{})
	root.Version = jsonschema.Version
	root.Title = "docketsync mapping"
	root.AnyOf = []*jsonschema.Schema{{Required: root.Required}, {Required: []string{"extends"}}}
	root.Required = nil
	set := func(name string, s *jsonschema.Schema) { describe(root, name, s) }
	var operations []any
	for _, op := range payload.Operations {
		operations = append(operations, string(op))
	}
	set("operation", enum(operations))
	set("empty", enum(emptyWordList()))
	key := reflectForm(keyForm{})
	describe(key, "rounded", enum([]any{"keep"}))
	describe(key, "number_format", enum([]any{"ignore"}))
	set("key", anyOf(ref("scalars"), key))
	order := reflectForm(orderForm{})
	describe(order, "by", anyOf(ref("scalar"), ref("field")))
	describe(order, "nearest", enum([]any{"first"}))
	set("order", order)
	lookups := reflectForm(lookupForm{})
	describe(lookups, "inline", blockOf(ref("scalar")))
	set("lookups", blockOf(anyOf(ref("scalar"), lookups)))
	set("dates_turned", enum(turnedWords))
	set("checks", anyOf(ref("level"), checksSchema()))
	set("tests", &jsonschema.Schema{Type: "array", Items: testSchema()})
	set("fields", &jsonschema.Schema{Type: "object"})
	field := reflectForm(fieldForm{})
	describe(field, "value", anyOf(ref("scalar"), null(), &jsonschema.Schema{Type: "array", Items: ref("scalar")}))
	describe(field, "default", anyOf(ref("scalar"), null()))
	describe(field, "values", blockOf(anyOf(ref("scalar"), null())))
	describe(field, "empty", enum(emptyWordList()))
	describe(field, "dates_turned", enum(turnedWords))
	describe(field, "numbers_turned", enum([]any{"accept"}))
	describe(field, "unknown", enum(sortedKeys(unknownWords)))
	describe(field, "rounded", enum([]any{"keep"}))
	describe(field, "number_format", enum([]any{"ignore"}))
	describe(field, "part", enum([]any{"class", "text"}))
	describe(field, "type", enum(sortedKeys(componentTypes)))
	root.Definitions = jsonschema.Definitions{
		// "off" is false to editors that know the older YAML.
		"level":   enum([]any{"error", "warn", "off", false}),
		"scalar":  anyOf(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "boolean"}),
		"scalars": anyOf(ref("scalar"), &jsonschema.Schema{Type: "array", Items: anyOf(ref("scalar"), null())}),
		"field":   anyOf(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}, null(), field),
	}
	for _, op := range payload.Operations {
		// An operation has the fields of any of its variants.
		when := &jsonschema.Schema{Properties: jsonschema.NewProperties(), Required: []string{"operation"}}
		when.Properties.Set("operation", &jsonschema.Schema{Const: string(op)})
		then := &jsonschema.Schema{Properties: jsonschema.NewProperties()}
		then.Properties.Set("fields", targetSchema(payload.Fields(op, payload.Switches{})))
		root.AllOf = append(root.AllOf, &jsonschema.Schema{If: when, Then: then})
	}
	return root
}

// reflectForm is the schema of one of the forms.
func reflectForm(form any) *jsonschema.Schema {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, DoNotReference: true, RequiredFromJSONSchemaTags: true, Mapper: scalarSchema}
	s := r.Reflect(form)
	s.Version = ""
	return s
}

// scalarSchema is the schema of the types that read themselves.
func scalarSchema(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[rule.Word]():
		return ref("scalar")
	case reflect.TypeFor[rule.Words]():
		return ref("scalars")
	case reflect.TypeFor[filterForms]():
		return anyOf(ref("scalars"), blockOf(ref("scalar")))
	case reflect.TypeFor[document.Node](), reflect.TypeFor[*document.Node]():
		return &jsonschema.Schema{}
	}
	return nil
}

func targetSchema(targets []payload.Field) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, t := range targets {
		f := ref("field")
		switch t.Type {
		case payload.TypeItems:
			f = anyOf(emptyList(), null(), itemsSchema(t))
		case payload.TypeComponents:
			f = anyOf(emptyList(), componentsSchema())
		}
		f.Description = t.Doc + " (" + string(t.Type) + ")"
		s.Properties.Set(t.Name, f)
	}
	return s
}

func itemsSchema(t payload.Field) *jsonschema.Schema {
	s := reflectForm(itemsForm{})
	describe(s, "item", targetSchema(t.Items))
	describe(s, "empty", enum(emptyWordList()))
	s.Required = nil // value: [] stands alone
	s.Properties.Set("value", emptyList())
	return s
}

func componentsSchema() *jsonschema.Schema {
	s := reflectForm(componentsForm{})
	describe(s, "items", blockOf(ref("field")))
	s.Required = nil
	s.Properties.Set("value", emptyList())
	return s
}

func testSchema() *jsonschema.Schema {
	s := reflectForm(rule.TestForm{})
	cell := anyOf(ref("scalar"), null(), &jsonschema.Schema{Type: "object"})
	describe(s, "row", blockOf(cell))
	describe(s, "rows", &jsonschema.Schema{Type: "array", Items: blockOf(cell)})
	describe(s, "lookups", blockOf(blockOf(ref("scalar"))))
	describe(s, "payload", &jsonschema.Schema{Type: "object"})
	return s
}

// describe replaces the schema of a property and keeps its description.
func describe(s *jsonschema.Schema, name string, by *jsonschema.Schema) {
	if old, ok := s.Properties.Get(name); ok {
		by.Description = old.Description
	}
	s.Properties.Set(name, by)
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func anyOf(list ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: list} }

func null() *jsonschema.Schema { return &jsonschema.Schema{Type: "null"} }

func enum(words []any) *jsonschema.Schema { return &jsonschema.Schema{Enum: words} }

func blockOf(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: s}
}

func emptyList() *jsonschema.Schema {
	none := uint64(0)
	return &jsonschema.Schema{Type: "array", MaxItems: &none}
}

// checksSchema allows a level for each check that there is, and a condition under any other name.
func checksSchema() *jsonschema.Schema {
	own := reflectForm(ownCheckForm{})
	describe(own, "level", ref("level"))
	s := blockOf(anyOf(ref("scalar"), own))
	s.Properties = jsonschema.NewProperties()
	for _, check := range rule.AllChecks() {
		s.Properties.Set(check.Name, ref("level"))
	}
	return s
}

// emptyWordList has null as the word and as the value that YAML makes of it.
func emptyWordList() []any { return append(sortedKeys(emptyWords), nil) }

func sortedKeys[V any](m map[string]V) []any {
	var list []any
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, key)
	}
	return list
}
