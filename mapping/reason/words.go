package reason

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// sentence is what a code says. {name} stands for an argument; {"name"} for a quoted value, cut if it is long; {'name'}
// for a name that is quoted as a whole; {(name)} for an argument in brackets that may be missing; {$name} for an
// operand of a command line; and {code} for the code itself.
type sentence struct{ message, hint string }

// slot matches the place of an argument.
var slot = regexp.MustCompile(`\{(["'($]?)([a-z_]+)["')]?\}`)

// form is a parsed sentence.
type form struct {
	message, hint []part
	args          []string // the names of the arguments
	clipped       []bool   // which of them are quoted values
}

// part is a text and the argument after it: its index, codeItself or noArgument.
type part struct {
	text  string
	quote string
	arg   int
}

// codeItself is the index of {code}; noArgument means that there is no argument.
const codeItself, noArgument = -2, -1

var parsed = func() map[string]*form {
	forms := make(map[string]*form, len(sentences))
	for name, s := range sentences {
		f := &form{}
		f.message, f.hint = f.parse(s.message), f.parse(s.hint)
		forms[name] = f
	}
	return forms
}()

func (f *form) parse(text string) (parts []part) {
	from := 0
	for _, at := range slot.FindAllStringSubmatchIndex(text, -1) {
		p := part{text[from:at[0]], text[at[2]:at[3]], codeItself}
		if name := text[at[4]:at[5]]; name != "code" {
			if p.arg = slices.Index(f.args, name); p.arg < 0 {
				p.arg = len(f.args)
				f.args, f.clipped = append(f.args, name), append(f.clipped, p.quote == `"`)
			}
		}
		parts, from = append(parts, p), at[1]
	}
	return append(parts, part{text[from:], "", noArgument})
}

// find returns the form of a sentence with this number of arguments, or nil.
func find(code, formOf string, args int) *form {
	base, _, _ := strings.Cut(formOf, "+")
	if base != "" {
		code += "/" + base
	}
	if f := parsed[code]; f != nil && len(f.args) == args {
		return f
	}
	return nil
}

// Words returns the message and the hint of a code with its arguments. A ledger may hold codes and forms of a later
// release: for those Words shows the code and the arguments, or nothing if there are no arguments.
func Words(code, formOf string, args []string) (message, hint string) {
	f := find(code, formOf, len(args))
	if f == nil {
		if len(args) > 0 {
			message = code + ": " + strings.Join(args, ", ")
		}
		return message, ""
	}
	message, hint = fill(f.message, code, args), fill(f.hint, code, args)
	for n, also := range strings.Split(formOf, "+") {
		if f := parsed["+"+also]; n > 0 && f != nil {
			hint += " " + fill(f.hint, code, nil)
		}
	}
	return message, hint
}

func fill(parts []part, code string, args []string) string {
	if len(parts) == 1 {
		return parts[0].text
	}
	var text []byte
	for _, p := range parts {
		text = append(text, p.text...)
		switch {
		case p.arg == noArgument:
		case p.arg == codeItself:
			text = append(text, code...)
		case p.quote == `"` || p.quote == "'":
			text = strconv.AppendQuote(text, args[p.arg])
		case p.quote == "(" && args[p.arg] != "":
			text = append(strconv.AppendQuote(append(text, " ("...), args[p.arg]), ')')
		case p.quote == "$":
			text = append(text, Operand(args[p.arg])...)
		case p.quote == "":
			text = append(text, args[p.arg]...)
		}
	}
	return string(text)
}

// Argument returns the argument of a reason by its name in the sentence, or "" if there is none.
func Argument(code, formOf string, args []string, name string) string {
	if f := find(code, formOf, len(args)); f != nil {
		if n := slices.Index(f.args, name); n >= 0 {
			return args[n]
		}
	}
	return ""
}

// Argument returns an argument of the reason by its name.
func (r Reason) Argument(name string) string { return Argument(r.Code, r.Form, r.Args, name) }

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
