package apiclient

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// hidden replaces a secret.
const hidden = "[hidden]"

// leastSecret is the minimum length of a secret. Shorter ones occur in too many words to be removed from them, so the
// redactor does not look for them. They are accepted only for a service on this machine, where they protect nothing.
const leastSecret = 8

// redactor removes the secrets it knows from text, in plain form and in the escaped forms in which an answer may echo
// them (JSON, percent and HTML escapes). The zero redactor knows none.
type redactor struct {
	mu      sync.RWMutex
	secrets []string
	escaped []*regexp.Regexp // for each secret, matching any mixture of escapes
}

// add adds a secret. Replaced cookies stay known, because a late answer may echo them.
func (r *redactor) add(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(secret) < leastSecret || slices.Contains(r.secrets, secret) {
		return
	}
	r.secrets = append(r.secrets, secret)
	// The longest first: if a secret begins with another one, its tail must not stay.
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

// spellings are the HTML names of characters, and the plus sign for a space in a query.
var spellings = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", ' ': `\+`}

// in reports whether the text contains a secret.
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

// shorten cuts the text after limit characters and appends "…". It first repairs a text that is not UTF-8.
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
