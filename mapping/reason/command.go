package reason

import (
	"regexp"
	"runtime"
	"strings"
)

// plainWord is what every shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord is a word of a command line as a POSIX shell takes it, or as both shells of Windows do.
func ShellWord(word string, windows bool) string {
	switch {
	case plainWord.MatchString(word) || windows && plainWord.MatchString(strings.ReplaceAll(word, `\`, "/")):
		return word
	case windows:
		return `"` + word + `"` // no path of Windows holds a quote
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// RunRefused is the command that sends again what the service refused; the job may stand behind it.
const RunRefused = "docketsync run --retry-refused"

// Operand is a word of a command line for a shell, such as a key, that is no flag even if it begins with a dash; flags have to stand before it.
func Operand(word string) string {
	quoted := ShellWord(word, runtime.GOOS == "windows")
	if strings.HasPrefix(word, "-") {
		return "-- " + quoted
	}
	return quoted
}
