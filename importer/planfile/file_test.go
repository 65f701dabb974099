package planfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// sealed are lines with a seal that fits them.
func sealed(lines string) string {
	sum := sha256.Sum256([]byte(lines))
	return lines + `{"seal":"` + hex.EncodeToString(sum[:]) + "\"}\n"
}

func TestOpenHoldsAFileToItsSeal(t *testing.T) {
	t.Parallel()
	const head, record = `{"docketsync_plan":1,"job":"cases"}` + "\n", `{"seq":1,"key":"M-1","action":"create","state":"planned","rows":[2],"digest":"d"}` + "\n"
	whole := sealed(head + record)
	for name, test := range map[string]struct{ text, says string }{
		"as it was written":   {whole, ""},
		"a changed record":    {strings.Replace(whole, "M-1", "M-2", 1), "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"a record was added":  {strings.Replace(whole, record, record+record, 1), "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"without its seal":    {head + record, "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"cut off in its seal": {whole[:len(whole)-4], "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"empty":               {"", "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"another file":        {"Ref,Title\n1,One\n", "is not a valid plan: it was changed or is incomplete, so nothing was sent"},
		"another form":        {sealed(strings.Replace(head, ":1,", ":3,", 1) + record), "written by another version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "plan.jsonl")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := Open(path)
			if err == nil {
				defer file.Close()
			}
			var broken *FormError
			if test.says == "" {
				if err != nil || file.Head.Job != "cases" || len(file.Seal) != 64 {
					t.Fatalf("%+v, %v", file, err)
				}
				keys := ""
				for r, err := range file.records {
					if err != nil {
						t.Fatal(err)
					}
					keys += r.Key
				}
				if keys != "M-1" {
					t.Errorf("the records are %q", keys)
				}
				return
			}
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestReasonsInAPlanFileAreWords: lines are compared letter by letter with those of plans that a release before arguments wrote.
func TestReasonsInAPlanFileAreWords(t *testing.T) {
	t.Parallel()
	note := ledger.Reason{Field: "name"}.Says(reason.New(reason.Empty, "name"))
	_, text, err := lineOf(ledger.Run{}, ledger.Record{Seq: 1, Key: "M-1", State: ledger.Rejected, Reasons: []ledger.Reason{note}, Notes: []ledger.Reason{note}}, form)
	if err != nil || strings.Contains(string(text), `"args"`) || strings.Contains(string(text), `"form"`) || strings.Count(string(text), note.Message) != 2 {
		t.Errorf("%s, %v", text, err)
	}
	if len(note.Args) == 0 {
		t.Error("the reason has no arguments to leave out")
	}
}
