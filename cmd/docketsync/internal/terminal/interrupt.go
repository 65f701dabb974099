package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// noted is a display that passes its progress on to the screen, for an interrupt.
type noted struct {
	Display
	screen *Screen
}

func (n noted) Update(p importer.Progress) {
	n.screen.mu.Lock()
	n.screen.shown, n.screen.last = n.Display, p
	n.screen.mu.Unlock()
	n.Display.Update(p)
}

func (n noted) Done() {
	n.screen.mu.Lock()
	n.screen.shown, n.screen.last = nil, importer.Progress{}
	n.screen.mu.Unlock()
	n.Display.Done()
}

// InFlight returns how many requests have no answer yet, and how long the service may take for one.
type InFlight func() (requests int, within time.Duration)

// Sends sets how an interrupt finds out what a client still waits for.
func (s *Screen) Sends(inFlight InFlight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight = inFlight
}

// Interrupted says at once that somebody asked the process to stop, what it still waits for, and what a second
// interrupt does.
func (s *Screen) Interrupted() {
	s.mu.Lock()
	shown, last, inFlight := s.shown, s.last, s.inFlight
	s.mu.Unlock()
	requests, within := 0, time.Duration(0)
	if inFlight != nil {
		requests, within = inFlight()
	}
	said := fmt.Sprintf("docketsync: %s\n", stopping(last, requests, within))
	if above, ok := shown.(io.Writer); ok {
		if _, err := io.WriteString(above, said); err == nil {
			return
		}
	}
	fmt.Fprint(s.Err, said)
}

// stopping says what an interrupt means for work whose progress is p, while so many requests have no answer yet. p has
// no phase if no work is in progress.
func stopping(p importer.Progress, requests int, within time.Duration) string {
	const again = "Press Ctrl-C again to stop at once"
	switch {
	case requests > 0 && p.Phase == ledger.Pushing:
		return fmt.Sprintf("interrupted; nothing more is sent. Waiting for the answer to %s already sent, for up to %s.\n%s: what has no answer by then may be in doubt.",
			wording.Counted(requests, "request"), within, again)
	case p.Phase == ledger.Pushing:
		return "interrupted; nothing more is sent and no answer is missing. Writing the report.\n" + again + ": the next start writes it."
	case p.Phase != "":
		return "interrupted; nothing has been sent for this job.\n" + again + "."
	}
	return "interrupted; stopping.\n" + again + "."
}

// Asker asks a question to answer with yes or no.
type Asker func(ctx context.Context, question string) (bool, error)

// Attended returns what asks the person at the terminal, nil if there is none: whoever wrote a script or a timetable
// decided then. The question goes to the terminal itself, wherever output is redirected.
func Attended() Asker {
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return nil
	}
	return func(ctx context.Context, question string) (bool, error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return ask(ctx, os.Stdin, os.Stderr, question)
		}
		defer tty.Close()
		return ask(ctx, tty, tty, question)
	}
}

// ask waits for a line, or until ctx ends. Anything but yes means no.
func ask(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // what cannot be read means no
		said <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false, fmt.Errorf("you interrupted it at the question, so nothing was sent")
	case answer := <-said:
		return answer == "y" || answer == "yes", nil
	}
}
