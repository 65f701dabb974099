package apiclient

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// hidden stands where a secret was.
const hidden = "[hidden]"

// leastSecret is how many characters a secret has at least. Shorter ones stand in too many words to be taken out of them: the
// redactor does not look for them, and they are taken where they guard nothing, by a service on this machine, alone.
const leastSecret = 8

// redactor removes the secrets it knows from text, in plain form and in the escaped forms in which an answer may echo them
// (JSON, percent and HTML escapes). The zero redactor knows none.
type redactor struct {
	mu      sync.RWMutex
	secrets []string
	escaped []*regexp.Regexp // of each secret, in any mixture of escapes
}

// add makes the redactor know one more secret. Cookies that were replaced stay known: a late answer may echo them.
func (r *redactor) add(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(secret) < leastSecret || slices.Contains(r.secrets, secret) {
		return
	}
	r.secrets = append(r.secrets, secret)
	// The longest first: a secret that begins with another must not leave its tail behind.
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	r.escaped = make([]*regexp.Regexp, len(r.secrets))
	for i, secret := range r.secrets {
		r.escaped[i] = escapedForms(secret)
	}
}

// escapedForms matches the secret with each of its characters plain or escaped.
func escapedForms(secret string) *regexp.Regexp {
	var pattern strings.Builder
	for _, c := range secret {
		plain := regexp.QuoteMeta(string(c))
		fmt.Fprintf(&pattern, `(?:%s|\\%s|\\u(?i:%04x)|&#0*%d;|&#[xX]0*(?i:%x);`, plain, plain, c, c, c)
		pattern.WriteString("|")
		for _, b := range []byte(string(c)) {
			fmt.Fprintf(&pattern, `%%(?i:%02x)`, b)
		}
		if other := spellings[c]; other != "" {
			pattern.WriteString("|" + other)
		}
		pattern.WriteString(")")
	}
	return regexp.MustCompile(pattern.String())
}

// spellings are the names of characters in HTML, and the plus sign of a blank in a query.
var spellings = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", ' ': `\+`}

// in tells whether the text holds a secret.
func (r *redactor) in(text string) bool { return r.clean(text) != text }

// clean returns the text without secrets.
func (r *redactor) clean(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	escapes := strings.ContainsAny(text, `\%&`)
	for i, secret := range r.secrets {
		if strings.Contains(text, secret) {
			text = strings.ReplaceAll(text, secret, hidden)
		}
		if escapes {
			text = r.escaped[i].ReplaceAllLiteralString(text, hidden)
		}
	}
	return text
}

// cleanCut is clean for a text that was cut off at its end, perhaps in the middle of a secret.
func (r *redactor) cleanCut(text string) string {
	text = r.clean(text)
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, secret := range r.secrets {
		for n := min(len(secret)-1, len(text)); n >= 4; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + hidden
			}
		}
	}
	return text
}

// shorten cuts the text after limit characters and says so with "…"; a text that is not UTF-8 is mended first.
func shorten(text string, limit int) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "�")
	}
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	for i := range text {
		if limit == 0 {
			return text[:i] + "…"
		}
		limit--
	}
	return text
}
