package report

import "regexp"

// varying are the parts of a message that are about one record: ids, quoted values, numbers.
var varying = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|"[^"]*"|“[^”]*”|(^|[\s(:=])'[^']*'|\d+`)

// pattern is a message without what is about one record, so that equal troubles of different records are one cause.
func pattern(message string) string { return varying.ReplaceAllString(message, "…") }

func or(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
