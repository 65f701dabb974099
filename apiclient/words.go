package apiclient

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
)

// Limits on what is kept of the service's words.
const (
	messageLimit = 1000 // characters of a message
	reasonLimit  = 300  // characters of one reason
	reasonsLimit = 50   // reasons of one answer
)

// The members in which services report what went wrong; interface.md does not show the shape of an error (part 7). The
// first of messageNames that holds text is the message; the texts of the others are reasons.
var (
	messageNames = []string{"message", "detail", "error_description", "title", "error", "description", "reason"}
	reasonNames  = []string{"errors", "reasons", "details", "violations", "validation_errors", "validationerrors", "modelstate", "problems"}
	fieldNames   = []string{"field", "path", "property", "propertyname", "property_name", "name", "pointer", "location", "loc", "key"}
)

// words extracts message and reasons from the body of an error, whatever its shape. They are unprocessed until tidy has
// seen them.
func words(body []byte, isJSON bool) (message string, reasons []string) {
	switch {
	case len(body) == 0:
		return "", nil
	case !isJSON && ofPages.Match(body):
		message = htmlText(string(body))
	case !isJSON:
		message = string(body)
	default:
		message, reasons = jsonWords(body)
	}
	if len(reasons) > reasonsLimit {
		reasons = append(reasons[:reasonsLimit], "… and more")
	}
	return strings.TrimSpace(message), reasons
}

// tidy removes secrets from words, and then cuts what is too long.
func tidy(message string, reasons []string, clean func(string) string) (string, []string) {
	for i, reason := range reasons {
		reasons[i] = shorten(clean(reason), reasonLimit)
	}
	return shorten(clean(message), messageLimit), reasons
}

func jsonWords(body []byte) (message string, reasons []string) {
	members, isObject := jsontext.SplitObject(body)
	if !isObject {
		if _, isList := jsontext.SplitList(body); isList {
			return "", flatten("", body)
		}
		return jsontext.Text(body), nil
	}
	message = firstText(members, messageNames)
	for _, name := range reasonNames {
		if inner, ok := members.Find(name); ok {
			reasons = append(reasons, flatten("", inner)...)
		}
	}
	if inner, ok := members.Find("error"); ok && inner[0] == '{' { // {"error": {"message": …}}
		return jsonWords(inner)
	}
	if message == "" && len(reasons) == 0 { // an object of fields, or an unexpected shape
		reasons = flatten("", body)
	}
	return message, reasons
}

// flatten returns one line for each text, number and boolean in the value, preceded by its field, in the service's
// order.
func flatten(field string, value []byte) (lines []string) {
	lead := ""
	if field != "" {
		lead = field + ": "
	}
	if items, ok := jsontext.SplitList(value); ok {
		for _, item := range items {
			lines = append(lines, flatten(field, item)...)
		}
		return lines
	}
	members, ok := jsontext.SplitObject(value)
	if text := firstText(members, messageNames); text != "" {
		if name := firstText(members, fieldNames); name != "" {
			lead = name + ": "
		}
		return []string{lead + text}
	}
	for _, m := range members {
		lines = append(lines, flatten(strings.Trim(field+"."+m.Text(), "."), m.Value)...)
	}
	if ok || jsontext.IsNull(value) {
		return lines
	}
	return []string{lead + jsontext.Text(value)}
}

// firstText returns the first of the named members that holds text.
func firstText(members jsontext.Object, names []string) string {
	for _, name := range names {
		if value, ok := members.Find(name); ok && value[0] == '"' {
			if text := jsontext.Text(value); strings.TrimSpace(text) != "" {
				return text
			}
		}
	}
	return ""
}

// isPage reports whether an answer is a web page, by its declared type or its content.
func isPage(header http.Header, body []byte) bool {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return slices.Contains([]string{"text/html", "application/xhtml+xml"}, strings.ToLower(strings.TrimSpace(kind))) || ofPages.Match(body)
}

var (
	ofPages = regexp.MustCompile(`(?i)<!doctype html|<(html|body|form|title)[\s/>]`)
	// toSignIn matches pages that ask for a password, or whose title says that they are for signing in.
	toSignIn = regexp.MustCompile(`(?i)<input[^>]*\btype\s*=\s*["']?password|<title[^>]*>[^<]*\b(sign|log).?(in|on)\b`)
	unseen   = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags     = regexp.MustCompile(`(?s)<[^>]*>`)
	title    = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
)

// htmlText returns the title and the visible text of a page, on one line.
func htmlText(page string) string {
	text := tags.ReplaceAllString(unseen.ReplaceAllString(page, " "), " ")
	if found := title.FindStringSubmatch(page); found != nil {
		text = found[1] + " — " + text
	}
	return "web page: " + inLine(text)
}

// inLine returns a text of a page on one line.
func inLine(text string) string { return strings.Join(strings.Fields(html.UnescapeString(text)), " ") }
