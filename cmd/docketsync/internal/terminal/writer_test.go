package terminal

import (
	"bytes"
	"log"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestTerminalShowsWhatItWouldObey(t *testing.T) {
	t.Parallel()
	tests := []struct{ words, want string }{
		{"Ünï 商标\tA\n", "Ünï 商标\tA\n"},
		{"red \x1b[31m, title \x1b]0;x\a", `red \u001b[31m, title \u001b]0;x\u0007`},
		{"C1 \u009b31m \u0085", `C1 \u009b31m \u0085`},
		{"back\b\x7f, over\rwritten\r\n", `back\u0008\u007f, over\u000dwritten` + "\r\n"},
		{"turned \u202egnp\u202c, apart \u2066a\u2069", `turned \u202egnp\u202c, apart \u2066a\u2069`},
		{"A\u200b1 \ufeff", `A\u200b1 \ufeff`},
		{"\ufeffkey,\ufeff", "\ufeff" + `key,\ufeff`},
		{"مارک\u200cهای \u200fא", "مارک\u200cهای \u200fא"},
		{"\x1b[1mstrong\x1b[0m", "\x1b[1mstrong\x1b[0m"},
		{"bare \x9b byte", "bare � byte"},
	}
	for _, test := range tests {
		for size := 1; size <= len(test.words); size++ {
			if strings.Contains(test.words, "strong") && size < len(test.words) {
				continue // strong writes its words at once
			}
			var out bytes.Buffer
			writer := NewWriter(&out)
			writer.bold, writer.marks = true, true
			for rest := []byte(test.words); len(rest) > 0; {
				n := min(size, len(rest))
				if got, err := writer.Write(rest[:n]); got != n || err != nil {
					t.Fatal(got, err)
				}
				rest = rest[n:]
			}
			if got := out.String(); got != test.want {
				t.Errorf("%q in writes of %d became %q, want %q", test.words, size, got, test.want)
			}
		}
	}
}

func TestAFileKeepsCharactersWithoutAWidth(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if _, err := NewWriter(&out).Write([]byte("by \ufeffme\u200b, \u202eturned")); err != nil || out.String() != "by \ufeffme\u200b, \\u202eturned" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestLibrariesDoNotQuoteAnswers keeps what net/http logs by itself from quoting what a service sent.
func TestLibrariesDoNotQuoteAnswers(t *testing.T) {
	core, lines := observer.New(zap.WarnLevel)
	RedirectLibraries(libraryLog{zap.New(core)})
	log.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "s3cr3t-cookie", "<nil>")
	if all := lines.All(); len(all) != 1 || all[0].Message != "Unsolicited response received on idle HTTP channel" {
		t.Errorf("logged %+v", all)
	}
}
