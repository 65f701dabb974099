// Package terminal is what a person at a command line sees of docketsync: results on standard output, as text or as
// JSON; progress and the log on standard error; tables, pages that are broken at the width of the terminal, and the
// summary of a run.
//
// A Screen is passed to whatever has something to say. Everything is written through a writer: texts from files and
// from the service may contain control characters, which a terminal obeys, so these are written as escapes, wherever
// they come from. If there is no terminal, text stays the same from run to run, one line for one thing, for grep and
// for tests.
//
// It imports what it shows (progress of the importer, reports) and knows nothing of commands or configuration.
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

// Screen says where and how a command writes: Out takes its result, Err its progress and log.
type Screen struct {
	Out, Err io.Writer

	JSON    bool // the result as JSON
	Quiet   bool // no progress, and only errors in the log
	Verbose bool // each step in the log
	NoColor bool // no bold type

	mu       sync.Mutex
	shown    Display           // of the current work, nil for none; a daemon and a console do one job at a time
	last     importer.Progress // how far it is
	inFlight InFlight
}

// Result writes a command's result: v, which is an object, as JSON if that was asked for, otherwise what text writes.
// The first member of the JSON names the form by the word and version of its schema ("run/1"), so that a script knows
// what it reads.
func (s *Screen) Result(form string, v any, text func(io.Writer)) error {
	return s.write(form, "  ", v, text)
}

// Line writes one of many results: v as a line of JSON if that was asked for, otherwise what text writes.
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

// Strong shows a word in bold on a terminal.
func (s *Screen) Strong(w io.Writer, word string) string {
	if _, ok := leadsTo(w); s.NoColor || !ok {
		return word
	}
	return text.Bold.Sprint(word)
}

// Table returns a plain table without frames.
func (s *Screen) Table(w io.Writer) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	return t
}

// Logger returns a logger to standard error, from a level on, as JSON or for a console. It is passed to whatever logs;
// there is no global one.
func (s *Screen) Logger(from, format string) *zap.Logger {
	level := zapcore.InfoLevel
	_ = level.Set(from) // an invalid level changes nothing
	if from == "info" && format == "console" && !s.Verbose {
		// On a console, the progress already says it.
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

// libraryLog takes what net/http writes to the standard library's logger; its transport has no other. What it quotes of
// an answer without a request may be anything, and is left out.
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

// User is the user of this machine, "" if the system does not say.
func User() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
