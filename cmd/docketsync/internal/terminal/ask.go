package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

// Asker asks a question that is answered with yes or no.
type Asker func(ctx context.Context, question string) (bool, error)

// Attended returns what asks the person at the terminal, nil where there is none: whoever wrote a script, or a timetable, has been asked
// when they wrote it. The question goes to the terminal itself, wherever output leads.
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

// ask waits for a line, or until ctx ends. Whatever is not yes is no.
func ask(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // what cannot be read is no
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
