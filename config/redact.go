package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"docketsync/config/diagnostic"
)

// secretKey finds the first setting of a line that holds a secret, and everything behind it. Behind the key the whole line is
// hidden: it may be broken in any way, and may hold more secrets.
var secretKey = sync.OnceValue(func() *regexp.Regexp {
	names := strings.Join(slices.Sorted(maps.Keys(secretNames(reflect.TypeFor[Config](), map[reflect.Type]bool{}))), "|")
	return regexp.MustCompile(`^(\s*(?:-\s*)?(?:.*?[{,]\s*)?["']?(?:` + names + `)["']?\s*:)(.*)$`)
})

// secretNames are the names of all settings below a type that hold a secret.
func secretNames(t reflect.Type, seen map[reflect.Type]bool) map[string]bool {
	names := map[string]bool{}
	if t.Kind() != reflect.Struct || seen[t] {
		return names
	}
	seen[t] = true
	for field := range t.Fields() {
		of := field.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); of == reflect.TypeFor[Secret]() && key != "" && key != "-" {
			names[key] = true
		}
		maps.Copy(names, secretNames(of, seen))
	}
	return names
}

// secretURL finds a password in a database URL.
var secretURL = regexp.MustCompile(`(\w+://[^/\s:@]*:)([^'"\n]*)@`)

// redact takes secrets out of the excerpts and messages of faults. A secret has no place in a file, but whoever writes
// one there by mistake must not find it in a log because of the message that says so. It works on the texts, line by
// line, since a file may be too broken to know its keys; known are the secrets that were read before it broke.
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
			faults[i].Message = strings.ReplaceAll(faults[i].Message, secret, hidden)
			faults[i].Hint = strings.ReplaceAll(faults[i].Hint, secret, hidden)
			faults[i].Excerpt = strings.ReplaceAll(faults[i].Excerpt, secret, hidden)
		}
	}
	return faults
}

// redactLines hides the value behind each secret key, and the lines below that belong to it by being indented further.
func redactLines(lines []string) (redacted, secrets []string) {
	redacted = make([]string, len(lines))
	below := -1 // the indentation of the secret key whose value goes on
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

// redactValue hides what stands behind a secret key, unless it only says where the secret is, and the comment behind that: somebody
// may have put the secret there. Messages quote values and never comments, so the words of a comment are none to look for.
func redactValue(text string) (redacted string, secrets []string) {
	value, comment := cutComment(text)
	redacted = value
	if plain := strings.TrimSpace(value); plain != "" && !reference(plain) {
		blanks := value[:len(value)-len(strings.TrimLeft(value, " \t"))]
		redacted, secrets = blanks+hidden, words(plain)
	}
	if comment {
		redacted = strings.TrimRight(redacted, " \t") + " # " + hidden
	}
	return redacted, secrets
}

// cutComment cuts the comment off a value: what stands behind a # at its beginning or behind a blank, outside quotes.
func cutComment(text string) (value string, comment bool) {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" \t{[,:", text[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
			return text[:i], true
		}
	}
	return text, false
}

// referenceOnly is a value that only says where the secret is.
var referenceOnly = regexp.MustCompile(`^\{?\s*(?:env|file)\s*:\s*[\w./~\\:-]+\s*\}?\s*\}?\s*$`)

func reference(value string) bool { return referenceOnly.MatchString(value) }

// named is a part of a hidden line that is no secret.
var named = regexp.MustCompile(`\b(?:env|file)\s*:\s*[\w./~\\-]+|\bdefault\s*:`)

// settingNames are the names of all settings, which messages need.
var settingNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for path := range referenceOf(Documentation) {
		names[path[strings.LastIndexByte(path, '.')+1:]] = true
	}
	return names
})

// words splits what is hidden into what a message might quote of it. Behind one secret other settings may stand in the line.
func words(value string) []string {
	value = named.ReplaceAllString(value, "")
	list := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\"'{}[],*&:", r) })
	return slices.DeleteFunc(list, func(word string) bool { return settingNames()[word] })
}
