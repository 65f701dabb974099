package mapping

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/mapping/lookup"
)

var update = flag.Bool("update", false, "write the golden files of faulty mappings again")

// Every mistake of a mapping file is reported at once, with its place. The golden files are what a person reads.
func TestFaultsOfMappings(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mark", "case", "folder", "header"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "faults", name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := Parse(name+".yaml", data, Options{})
			if name == "header" && err == nil {
				clients := lookup.New("clients")
				if err := clients.Add("Acme", idOne); err != nil {
					t.Fatal(err)
				}
				_, err = m.Bind(headerOf("Folder, Client, Office, Status, Note, Number, Note"), map[string]*lookup.Table{"clients": clients})
			}
			var faults diagnostic.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("no faults, but %v", err)
			}
			got := err.Error() + "\n"
			golden := filepath.Join("testdata", "faults", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			same(t, strings.Split(got, "\n"), strings.Split(string(want), "\n"))
		})
	}
}
