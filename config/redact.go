package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// secretKey finds the first setting of a line that holds a secret, and everything after it. The rest of the line is
// hidden: the line may be broken in any way, and may contain more secrets.
var secretKey = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for name, secret := range settingNames() {
		if secret {
			names = append(names, name)
		}
	}
	return regexp.MustCompile(`^(\s*(?:-\s*)?(?:.*?[{,]\s*)?["']?(?:` + strings.Join(names, "|") + `)["']?\s*:)(.*)$`)
})

// settingNames returns the names of all settings, which messages need, each with whether a setting of that name holds a
// secret.
var settingNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, op := range payload.Operations {
		names[string(op)] = false
	}
	takeNames(names, reflect.TypeFor[Config](), map[reflect.Type]bool{})
	return names
})

// takeNames adds the names of all settings below a type.
func takeNames(names map[string]bool, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for field := range t.Fields() {
		if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key != "" && key != "-" {
			names[key] = names[key] || field.Type == reflect.TypeFor[Secret]()
		}
		takeNames(names, field.Type, seen)
	}
}

// secretURL finds a password in a database URL.
var secretURL = regexp.MustCompile(`(\w+://[^/\s:@]*:)([^'"\n]*)@`)

// redact removes secrets from the excerpts and messages of faults. A secret does not belong in a file, but if somebody
// writes one there by mistake, the message that says so must not put it into a log. redact works on the texts line by
// line, because a file may be too broken to know its keys. known are the secrets that were read before it broke.
func redact(texts map[string][]byte, faults diagnostic.Faults, known ...held) diagnostic.Faults {
	var secrets []string
	lines, redacted := map[string][]string{}, map[string][]string{}
	for name, text := range texts {
		var found []string
		lines[name] = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		redacted[name], found = redactLines(lines[name])
		secrets = append(secrets, found...)
	}
	for _, secret := range known {
		secrets = append(secrets, strings.Fields(secret.Reveal())...)
	}
	secrets = slices.DeleteFunc(secrets, func(text string) bool { return len(text) < 4 })
	for i, fault := range faults {
		if of := lines[fault.File]; fault.Excerpt != "" && fault.Line <= len(of) && redacted[fault.File][fault.Line-1] != of[fault.Line-1] {
			faults[i].Excerpt = diagnostic.Excerpt(redacted[fault.File][fault.Line-1], fault.Column)
		}
		for _, secret := range secrets {
			for _, text := range []*string{&faults[i].Message, &faults[i].Hint, &faults[i].Excerpt} {
				*text = hide(*text, secret)
			}
		}
	}
	return faults
}

// hide hides a secret in a text. It leaves the longer name of a setting alone: what is missing from a name that everybody
// knows is the secret.
func hide(text, secret string) string {
	inName := func(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' }
	done := ""
	for at := strings.Index(text, secret); at >= 0; at = strings.Index(text, secret) {
		from, to := at, at+len(secret)
		for from > 0 && inName(text[from-1]) {
			from--
		}
		for to < len(text) && inName(text[to]) {
			to++
		}
		if _, is := settingNames()[text[from:to]]; is && to-from > len(secret) {
			done += text[:to]
		} else {
			to = at + len(secret)
			done += text[:at] + hidden
		}
		text = text[to:]
	}
	return done + text
}

// redactLines hides the value after each secret key, and the lines below that belong to it because they are indented
// further.
func redactLines(lines []string) (redacted, secrets []string) {
	redacted = make([]string, len(lines))
	below := -1 // the indentation of the secret key whose value continues
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t-"))
		if below >= 0 && (strings.TrimSpace(line) == "" || indent > below) {
			value, found := redactValue(line[indent:])
			redacted[i], secrets = line[:indent]+value, append(secrets, found...)
			continue
		}
		below = -1
		redacted[i] = line
		if match := secretKey().FindStringSubmatch(line); match != nil {
			below = indent
			value, found := redactValue(match[2])
			redacted[i], secrets = match[1]+value, append(secrets, found...)
		}
		for _, match := range secretURL.FindAllStringSubmatch(line, -1) {
			secrets = append(secrets, words(match[2])...)
		}
		for _, match := range passwordParameter.FindAllStringSubmatch(line, -1) {
			secrets = append(secrets, words(match[2])...)
		}
		redacted[i] = secretURL.ReplaceAllString(redacted[i], "${1}"+hidden+"@")
		redacted[i] = passwordParameter.ReplaceAllString(redacted[i], "${1}"+hidden)
	}
	return redacted, secrets
}

// redactValue hides what follows a secret key, unless it only says where the secret is. It also hides a comment after
// that, because somebody may have put the secret there. Messages quote values but never comments, so the words of a
// comment are not returned as secrets.
func redactValue(text string) (redacted string, secrets []string) {
	value, comment := text, document.CommentAt(text)
	if comment >= 0 {
		value = text[:comment]
	}
	redacted = value
	if plain := strings.TrimSpace(value); plain != "" && !reference.MatchString(plain) {
		blanks := value[:len(value)-len(strings.TrimLeft(value, " \t"))]
		redacted, secrets = blanks+hidden, words(plain)
	}
	if comment >= 0 {
		redacted = strings.TrimRight(redacted, " \t") + " # " + hidden
	}
	return redacted, secrets
}

// plainPath and whereItIs match a reference to a secret that is written so that it cannot be the secret itself.
const (
	plainPath = `(?:[\w~:-]{0,32}[./\\])+[\w~:-]{0,32}`
	whereItIs = `env\s*:\s*[A-Z_][A-Z0-9_]*|file\s*:\s*` + plainPath
)

var isPlainPath = regexp.MustCompile(`^` + plainPath + `$`).MatchString

// reference matches a value that only says where the secret is.
var reference = regexp.MustCompile(`^\{?\s*(?:` + whereItIs + `)\s*\}?\s*\}?\s*$`)

// named matches a part of a hidden line that is not a secret.
var named = regexp.MustCompile(`\b(?:` + whereItIs + `)|\bdefault\s*:`)

// words splits what is hidden into the words that a message might quote. Other settings may follow a secret on its
// line.
func words(value string) []string {
	value = named.ReplaceAllString(value, "")
	list := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\"'{}[],*&:", r) })
	return slices.DeleteFunc(list, func(word string) bool { _, is := settingNames()[word]; return is })
}
