package config_test

import (
	"testing"

	"docketsync/config"
)

// TestOneServiceHasOneAddress shows what counts as one service, and which names of earlier releases stand for it.
func TestOneServiceHasOneAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base, address string
		was, wasNot   []string
	}{
		{"sandbox", "sandbox", []string{"this machine"}, []string{"sandbox"}},
		{"https://Cases.Firm.example", "https://cases.firm.example", []string{"cases.firm.example", "cases.firm.example:443"},
			[]string{"this machine", "cases.firm.example:8443", "firm.example", "https://cases.firm.example/live"}},
		{"https://cases.firm.example:443/", "https://cases.firm.example", []string{"cases.firm.example"}, nil},
		{"https://cases.firm.example/Live//", "https://cases.firm.example/Live", []string{"cases.firm.example"}, nil},
		{"https://cases.firm.example:8443/test", "https://cases.firm.example:8443/test", []string{"cases.firm.example:8443"}, []string{"cases.firm.example"}},
		{"http://127.0.0.1:80", "http://127.0.0.1", []string{"this machine"}, []string{"127.0.0.1"}},
		{"http://localhost:8787", "http://localhost:8787", []string{"this machine"}, nil},
		{"http://[::1]:8787", "http://[::1]:8787", []string{"this machine"}, nil},
	} {
		s := config.Service{BaseURL: test.base}
		if got, err := s.Address(); err != nil || got != test.address {
			t.Errorf("the address of %s is %q, %v", test.base, got, err)
		}
		for _, name := range test.was {
			if !s.WasCalled(name) {
				t.Errorf("%s was never called %s", test.base, name)
			}
		}
		for _, name := range test.wasNot {
			if s.WasCalled(name) {
				t.Errorf("%s was called %s", test.base, name)
			}
		}
	}
}
