package support

import (
	"bufio"
	_ "embed"
	"io"
	"regexp"
	"strings"
)

// messages are all that docketsync logs, without what follows: the first argument of each call that logs. A test keeps the list.
//
//go:embed messages.txt
var messages string

// line is one of the log, as a bundle has it.
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

// log takes over when each line was written, how grave it is, and which of docketsync's messages it is.
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

// shown is the part of a line that docketsync has written itself.
func shown(text string, known []string) (l line) {
	l.Time = lineTime.FindString(text)
	if level := lineLevel.FindString(text); level != "" {
		l.Level = level
	}
	for _, message := range known {
		if len(message) > len(l.Message) && strings.Contains(text, message) {
			l.Message = message
		}
	}
	l.Phrases = said(text)
	return l
}
