package sandbox_test

import (
	"fmt"
	"testing"

	"docketsync/apiclient/sandbox"
)

// TestSwitches tries every contradicted member in both of its readings under all settings of its switch.
func TestSwitches(t *testing.T) {
	t.Parallel()
	component := func(extra string) string {
		return fmt.Sprintf(`components=[{"file_template_component_id":"%s","entity_id":"%s"%s}]`, examiner, ben, extra)
	}
	for _, c := range []struct {
		name             string
		set              func(*sandbox.Switches)
		method, path     string
		byList, bySchema string // changes of the payload
		payload          func(s *service) string
		neither          string
	}{
		{name: "active", set: func(s *sandbox.Switches) { s.ActiveAsText = true }, method: "PUT", path: "/v1/firms/file",
			byList: "active=true", bySchema: `active="true"`, neither: `active="yes"`, payload: func(s *service) string { return updateOf(s.newCase()) }},
		{name: "registration number", set: func(s *sandbox.Switches) { s.RegistrationNumberAsInteger = true }, method: "PUT", path: "/v1/firms/trademark",
			byList: `registration_number="A1"`, bySchema: `registration_number=12`, neither: `registration_number=1.5`, payload: func(*service) string { return tmark }},
		{name: "component id", set: func(s *sandbox.Switches) { s.ComponentID = true }, method: "PUT", path: "/v1/firms/file",
			byList: component(""), bySchema: component(`,"id":null`), neither: component(`,"id":3`), payload: func(s *service) string { return updateOf(s.newCase()) }},
		{name: "component id that is a GUID", set: func(s *sandbox.Switches) { s.ComponentID = true }, method: "PUT", path: "/v1/firms/file",
			byList: component(""), bySchema: component(`,"id":"` + examiner + `"`), neither: component(`,"id":"x"`), payload: func(s *service) string { return updateOf(s.newCase()) }},
		{name: "folder file number", set: func(s *sandbox.Switches) { s.FolderFileNumberAsText = true }, method: "POST", path: "/v1/firms/folder",
			byList: `files=[{"name":"a","number":7}]`, bySchema: `files=[{"name":"a","number":"TM-7/2024"}]`, neither: `files=[{"name":"a","number":true}]`, payload: func(*service) string { return folder }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, schema := range []bool{false, true} {
				o := sandbox.Options{}
				if schema {
					c.set(&o.Switches)
				}
				s := start(t, o)
				for _, try := range []struct {
					name, change string
					accepted     bool
				}{
					{"by field list", c.byList, !schema},
					{"by schema", c.bySchema, schema},
					{"neither", c.neither, false},
				} {
					r := s.do(c.method, c.path, edit(t, c.payload(s), try.change))
					if accepted := r.status < 300; accepted != try.accepted {
						t.Errorf("by schema %t, payload %s: answer %d %s", schema, try.name, r.status, r.body)
					}
				}
			}
		})
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	withClient := edit(t, caseA, `client_id="`+heron+`"`)
	for _, c := range []struct {
		variant      sandbox.Variant
		a, client, b int
	}{
		{"", 201, 201, 201}, {sandbox.VariantA, 201, 201, 400}, {sandbox.VariantB, 201, 400, 201},
	} {
		s := start(t, sandbox.Options{Switches: sandbox.Switches{Variant: c.variant}})
		got := fmt.Sprint(s.do("POST", "/v1/firms/file", caseA).status, s.do("POST", "/v1/firms/file", withClient).status, s.do("POST", "/v1/firms/file", caseB).status)
		if want := fmt.Sprint(c.a, c.client, c.b); got != want {
			t.Errorf("variant %q answers %s, want %s", c.variant, got, want)
		}
	}
}
