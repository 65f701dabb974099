package support

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// hider says of texts only whether they are the same.
type hider struct{ key [32]byte }

// letters are the letters that spell hashes: no vowel, no digit.
const letters = "bcdfghjkmnpqrtvw"

// hash returns what stands for a text in this bundle, "" for an empty one.
func (h hider) hash(text string) string {
	if text == "" {
		return ""
	}
	sum := hmac.New(sha256.New, h.key[:])
	sum.Write([]byte(text))
	var spelled strings.Builder
	for _, b := range sum.Sum(nil)[:10] {
		spelled.WriteByte(letters[b>>4])
		spelled.WriteByte(letters[b&15])
	}
	return spelled.String()
}

// ownWord matches how the program spells codes, states and verdicts.
var ownWord = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

// word returns a text that is one of the program's words, "" for any other text.
func word[T ~string](text T) string {
	if ownWord.MatchString(string(text)) {
		return string(text)
	}
	return ""
}

// mostForm is how many characters of a form are shown.
const mostForm = 24

// form returns how a value is written: 9 for a digit, a for a run of letters, and the marks between them.
func form(value string) string {
	var b strings.Builder
	letter := false
	for _, r := range value {
		if b.Len() >= mostForm {
			b.WriteString("…")
			break
		}
		was := letter
		letter = unicode.IsLetter(r) || unicode.IsMark(r)
		switch {
		case letter && !was:
			b.WriteByte('a')
		case letter:
		case unicode.IsDigit(r):
			b.WriteByte('9')
		case strings.ContainsRune(" /.,:-+", r):
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// phrases are what the network and its libraries say in errors. The rest of such an error is left out, because it names
// hosts.
var phrases = []string{"connection refused", "connection reset", "broken pipe", "no such host", "i/o timeout", "deadline exceeded", "context canceled",
	"TLS handshake", "certificate", "unknown authority", "expired", "unexpected EOF", "EOF", "no route to host", "network is unreachable",
	"proxy", "redirect", "malformed", "server misbehaving", "too large", "stream error", "GOAWAY", "not JSON", "web page", "no id"}

// said returns the known phrases in an error, nil if there is none.
func said(text string) (found []string) {
	for _, phrase := range phrases {
		if strings.Contains(text, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}

// messages lists all that docketsync logs, without fields: the first argument of each call that logs. A test keeps the
// list complete.
//
//go:embed messages.txt
var messages string

// line is a line of the log, as a bundle has it.
type line struct {
	Time    string   `json:"time,omitempty"`
	Level   string   `json:"level,omitempty"`
	Message string   `json:"message,omitempty"` // "" for one that is not docketsync's
	Phrases []string `json:"phrases,omitempty"`
}

var (
	lineTime  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)`)
	lineLevel = regexp.MustCompile(`\b(debug|info|warn|error)\b`)
)

// log copies the time and level of each line, and which of docketsync's messages it is.
func (w *writer) log(from io.Reader) error {
	known := strings.Split(strings.TrimSpace(messages), "\n")
	return w.lines("log.jsonl", func(write func(any) error) error {
		read := bufio.NewReaderSize(from, 1<<20)
		for {
			text, err := read.ReadString('\n')
			if strings.TrimSpace(text) != "" {
				if err := write(shown(text, known)); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// shown returns the part of a line that docketsync has written itself.
func shown(text string, known []string) line {
	l := line{Time: lineTime.FindString(text), Level: lineLevel.FindString(text), Phrases: said(text)}
	for _, message := range known {
		if len(message) > len(l.Message) && strings.Contains(text, message) {
			l.Message = message
		}
	}
	return l
}
