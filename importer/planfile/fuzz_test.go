package planfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen opens files that somebody may hand in as a plan, as they are and with a seal that fits them. What is not a plan is refused as such, and what is read
// is read to its end.
func FuzzOpen(f *testing.F) {
	const head = `{"docketsync_plan":1,"job":"cases","made":"2026-11-23T00:00:00Z"}` + "\n"
	for _, text := range []string{head, head + `{"seq":1,"key":"M-1","rows":[2],"digest":"d"}` + "\n", head + "{}\n", head + `{"seq":-1}` + "\n" + "[]\n", `{"docketsync_plan":2}` + "\n", "\n", "{", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, sealed(text)} {
			path := filepath.Join(t.TempDir(), "plan.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := Open(path)
			var broken *FormError
			if err != nil {
				if !errors.As(err, &broken) {
					t.Fatalf("refused with %v", err)
				}
				continue
			}
			for range 2 { // it is read again from its beginning
				for record, err := range file.records {
					if err == nil && record.Seq == 0 {
						t.Errorf("a record without a number: %s", record.text)
					}
				}
			}
			if file.Head.Form < firstForm || file.Head.Form > form || len(file.Seal) != 64 {
				t.Errorf("opened %+v", file.Head)
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
