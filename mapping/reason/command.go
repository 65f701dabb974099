package reason

import (
	"regexp"
	"runtime"
	"strings"
)

// plainWord matches a word that every shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord quotes a word of a command line for a POSIX shell, or for both shells of Windows.
func ShellWord(word string, windows bool) string {
	switch {
	case plainWord.MatchString(word) || windows && plainWord.MatchString(strings.ReplaceAll(word, `\`, "/")):
		return word
	case windows:
		return `"` + word + `"` // a Windows path cannot contain a quote
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// RunRefused is the command that sends again what the service refused; a job may follow it.
const RunRefused = "docketsync run --retry-refused"

// Operand quotes a word of a command line for a shell, such as a key, so that it is not taken for a flag even if it
// begins with a dash. Flags must come before it.
func Operand(word string) string {
	quoted := ShellWord(word, runtime.GOOS == "windows")
	if strings.HasPrefix(word, "-") {
		return "-- " + quoted
	}
	return quoted
}
