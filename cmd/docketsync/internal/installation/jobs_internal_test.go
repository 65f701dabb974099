package installation

import (
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/config"
)

func TestHiddenRowsAreLeftOutByTheFormerKeyToo(t *testing.T) {
	t.Parallel()
	for _, s := range []config.Source{{Ignore: true}, {Hidden: "skip"}, {Ignore: true, Hidden: "skip"}} {
		if o := SourceOptions(s, nil); o.Hidden != "skip" {
			t.Errorf("%+v is %q", s, o.Hidden)
		}
	}
}

// Nodes of two releases compare the settings that both know: a setting that one release adds must not change the digest
// of any other.
func TestEachSettingOfRequestsHasADigestOfItsOwn(t *testing.T) {
	t.Parallel()
	of := func(change func(*config.Service)) map[string]string {
		c := &config.Config{}
		c.Service.Switches = config.Switches{Active: "boolean", UpdateAnswer: "json"}
		change(&c.Service)
		return (&Installation{Config: c}).Requests()
	}
	plain := of(func(*config.Service) {})
	for want, change := range map[string]func(*config.Service){
		"":                               func(s *config.Service) { s.Paths = config.Paths{payload.CreateCase: payload.CreateCase.About().Path} }, // as it is without
		"service.paths.update_case":      func(s *config.Service) { s.Paths = config.Paths{payload.UpdateCase: "/v1/cases"} },
		"service.switches.active":        func(s *config.Service) { s.Switches.Active = "text" },
		"service.switches.update_answer": func(s *config.Service) { s.Switches.UpdateAnswer = "any" },
		"service.folder_cookie":          func(s *config.Service) { s.FolderCookie = true },
	} {
		var differ []string
		for name, digest := range of(change) {
			if plain[name] != digest {
				differ = append(differ, name)
			}
		}
		if slices.Sort(differ); strings.Join(differ, " ") != want {
			t.Errorf("they differ in %v, want %q", differ, want)
		}
	}
}
