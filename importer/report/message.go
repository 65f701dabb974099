package report

import (
	"regexp"
	"strings"
)

// varying are the parts of a message that are about one record: ids, quoted values, numbers.
var varying = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|"[^"]*"|“[^”]*”|(^|[\s(:=])'[^']*'|\d+`)

// pattern is a message without what is about one record, so that equal troubles of different records are one cause.
func pattern(message string) string { return varying.ReplaceAllString(message, "…") }

// shared is what two messages have in common, with "…" for the part in which they differ; the first one when that would
// leave too little to be understood.
func shared(a, b string) string {
	if a == b || b == "" {
		return a
	}
	const mark = "…"
	if before, after, ok := strings.Cut(a, mark); ok && len(b) >= len(before)+len(after) && strings.HasPrefix(b, before) && strings.HasSuffix(b, after) {
		return a
	}
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	head, tail := wholeWords(a[:start], a[len(a)-end:])
	if len(strings.Trim(head+tail, " \"'.,:;()")) < 12 {
		return a
	}
	return head + mark + tail
}

// wholeWords cuts the end of head and the beginning of tail back to where a word ends and begins.
func wholeWords(head, tail string) (string, string) {
	const edges = " \"'(),:;"
	head = head[:strings.LastIndexAny(head, edges)+1]
	at := strings.IndexAny(tail, edges+".")
	if at < 0 {
		return head, ""
	}
	return head, tail[at:]
}

func or(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
