// Package terminal is the side of docketsync that a person at a command line sees: results on standard output, as text or as
// JSON; progress and the log on standard error; tables, pages that are broken at the width of the terminal, and the summary of
// a run.
//
// A Screen is passed to whatever has something to say. What is written goes through a writer: words of files and of the service
// end up on a terminal, and a terminal obeys control characters, so these are written as escapes wherever they come from.
// Where there is no terminal, text stays the same from run to run, one line for one thing, for grep and for tests.
//
// It imports what it shows (progress of the importer, reports) and knows nothing of commands, configuration or what is run.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os/user"
	"strings"
	"sync"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"docketsync/importer"
)

// Screen is where a command writes, and how: Out takes its result, Err its progress and log.
type Screen struct {
	Out, Err io.Writer

	JSON    bool // the result as JSON
	Quiet   bool // no progress, and only errors in the log
	Verbose bool // each step in the log
	NoColor bool // no bold type

	mu       sync.Mutex
	shown    Display           // of the work that is being done, nil for none: a daemon and a console carry out one job at a time
	last     importer.Progress // how far it is
	inFlight InFlight
}

// Result writes a command's result: v, which is an object, as JSON when that was asked for, otherwise what text writes. Its first member names the form, the
// word and version that a schema has ("run/1"), so that a script knows what it reads.
func (s *Screen) Result(form string, v any, text func(io.Writer)) error {
	return s.write(form, "  ", v, text)
}

// Line writes one of many results: v as a line of JSON when that was asked for, otherwise what text writes.
func (s *Screen) Line(form string, v any, text func(io.Writer)) error {
	return s.write(form, "", v, text)
}

func (s *Screen) write(form, indent string, v any, text func(io.Writer)) error {
	if !s.JSON {
		text(s.Out)
		return nil
	}
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	first := fmt.Sprintf(`"form":"docketsync-%s"`, form)
	if indent != "" {
		first = fmt.Sprintf("\n%s\"form\": \"docketsync-%s\"", indent, form)
	}
	_, err := fmt.Fprintf(s.Out, "{%s,%s", first, object.Bytes()[1:])
	return err
}

// Strong sets a word off on a terminal.
func (s *Screen) Strong(w io.Writer, word string) string {
	if _, ok := leadsTo(w); s.NoColor || !ok {
		return word
	}
	return text.Bold.Sprint(word)
}

// Table begins a plain table without frames.
func (s *Screen) Table(w io.Writer) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	return t
}

// Logger writes to standard error, from a level on and as JSON or for a console. It is passed to whatever logs; there is no
// global one.
func (s *Screen) Logger(from, format string) *zap.Logger {
	level := zapcore.InfoLevel
	_ = level.Set(from) // which stays as it is where that is no level
	if from == "info" && format == "console" && !s.Verbose {
		// On a console the progress says it already.
		level = zapcore.WarnLevel
	}
	if s.Quiet {
		level = zapcore.ErrorLevel
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewConsoleEncoder(encoding)
	if format == "json" {
		encoder = zapcore.NewJSONEncoder(encoding)
	}
	logger := zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(s.Err)), level))
	RedirectLibraries(libraryLog{logger})
	return logger
}

// libraryLog takes what net/http says to the standard library's logger, of which it has no other for its transport. What it quotes
// of an answer to no request may hold anything, and is left out.
type libraryLog struct{ log *zap.Logger }

func (l libraryLog) Write(p []byte) (int, error) {
	said, _, _ := strings.Cut(strings.TrimSpace(string(p)), " starting with ")
	l.log.Warn(said)
	return len(p), nil
}

// RedirectLibraries keeps libraries from writing to standard error by themselves.
func RedirectLibraries(to io.Writer) {
	log.SetFlags(0)
	log.SetOutput(to)
}

// User is the user of this machine, "" when the system does not say.
func User() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
