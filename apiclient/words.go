package apiclient

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
)

// What is kept of the service's words.
const (
	messageLimit = 1000 // characters of a message
	reasonLimit  = 300  // characters of one reason
	reasonsLimit = 50   // reasons of one answer
)

// The members in which services put what went wrong; interface.md does not show the shape of an error (part 7). Of messageNames
// the first that holds text is the message; what the others hold are reasons.
var (
	messageNames = []string{"message", "detail", "error_description", "title", "error", "description", "reason"}
	reasonNames  = []string{"errors", "reasons", "details", "violations", "validation_errors", "validationerrors", "modelstate", "problems"}
	fieldNames   = []string{"field", "path", "property", "propertyname", "property_name", "name", "pointer", "location", "loc", "key"}
)

// words takes message and reasons out of the body of an error, whatever its shape. They are as they came until
// tidy has seen them.
func words(body []byte, isJSON bool) (message string, reasons []string) {
	switch {
	case len(body) == 0:
		return "", nil
	case !isJSON && looksLikeHTML(body):
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

// tidy takes secrets out of words, and then cuts what is too long.
func tidy(message string, reasons []string, clean func(string) string) (string, []string) {
	for i, reason := range reasons {
		reasons[i] = shorten(clean(reason), reasonLimit)
	}
	return shorten(clean(message), messageLimit), reasons
}

func jsonWords(body []byte) (message string, reasons []string) {
	value := decodeOrdered(body)
	switch value := value.(type) {
	case string:
		return value, nil
	case []any:
		return "", flatten("", value)
	case ordered:
		message = value.text(messageNames)
		for _, name := range reasonNames {
			if inner, ok := value.find(name); ok {
				reasons = append(reasons, flatten("", inner)...)
			}
		}
		if inner, ok := value.find("error"); ok {
			if object, ok := inner.(ordered); ok { // {"error": {"message": …}}
				return jsonWords(object.raw)
			}
		}
		if message == "" && len(reasons) == 0 { // an object of fields, or a shape nobody foresaw
			reasons = flatten("", value)
		}
	default:
		message = string(body)
	}
	return message, reasons
}

// flatten makes one line of each text in the value, preceded by the field it belongs to.
func flatten(field string, value any) []string {
	lead := ""
	if field != "" {
		lead = field + ": "
	}
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return []string{lead + value}
	case []any:
		var lines []string
		for _, item := range value {
			lines = append(lines, flatten(field, item)...)
		}
		return lines
	case ordered:
		if text := value.text(messageNames); text != "" {
			if name := value.text(fieldNames); name != "" {
				return []string{name + ": " + text}
			}
			return []string{lead + text}
		}
		var lines []string
		for _, member := range value.members {
			lines = append(lines, flatten(strings.Trim(field+"."+member.name, "."), member.value)...)
		}
		return lines
	case json.RawMessage:
		return []string{lead + string(value)}
	}
	return nil
}

// ordered is a JSON object whose members keep their order, so that the reasons come as the service gave them.
type ordered struct {
	members []member
	raw     []byte
}

type member struct {
	name  string
	value any
}

func (o ordered) find(name string) (any, bool) {
	i := slices.IndexFunc(o.members, func(m member) bool { return strings.EqualFold(m.name, name) })
	if i < 0 {
		return nil, false
	}
	return o.members[i].value, true
}

// text is the first of the named members that holds text.
func (o ordered) text(names []string) string {
	for _, name := range names {
		if value, ok := o.find(name); ok {
			if text, ok := value.(string); ok && strings.TrimSpace(text) != "" {
				return text
			}
		}
	}
	return ""
}

// decodeOrdered reads JSON that is known to be valid into string, []any, ordered, nil, or json.RawMessage for numbers and
// booleans.
func decodeOrdered(text []byte) any {
	text = bytes.TrimSpace(text)
	switch text[0] {
	case '"':
		return jsontext.Text(text)
	case 'n':
		return nil
	case '[':
		items, _ := jsontext.SplitList(text)
		values := make([]any, len(items))
		for i, item := range items {
			values[i] = decodeOrdered(item)
		}
		return values
	case '{':
		object := ordered{raw: text}
		parts, _ := jsontext.SplitObject(text)
		for _, part := range parts {
			object.members = append(object.members, member{name: jsontext.Text([]byte(`"` + string(part.Name) + `"`)), value: decodeOrdered(part.Value)})
		}
		return object
	}
	return json.RawMessage(text)
}

func looksLikeHTML(body []byte) bool {
	start := bytes.ToLower(body[:min(len(body), 512)])
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.Contains(start, []byte("<html")) || bytes.Contains(start, []byte("<body"))
}

var (
	unseen = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->`)
	tags   = regexp.MustCompile(`(?s)<[^>]*>`)
	title  = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
)

// htmlText is the title and the visible text of a page, in one line.
func htmlText(page string) string {
	text := tags.ReplaceAllString(unseen.ReplaceAllString(page, " "), " ")
	if found := title.FindStringSubmatch(page); found != nil {
		text = found[1] + " — " + text
	}
	return "web page: " + strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}
