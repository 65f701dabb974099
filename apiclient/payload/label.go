package payload

import (
	"regexp"
	"strconv"
	"strings"
)

// labels are the words for fields whose names do not say it themselves.
var labels = map[string]string{
	"id": "id in the service", "file_template_id": "case template", "user_id": "responsible person", "client_id": "client", "file_client_id": "client",
	"file_status_id": "status", "files": "cases", "client_agent_id": "agent", Goods: "goods and services", "search_class_id": "class",
	"mark_text": "mark", "application_date": "filing date", "do_not_create_file": "create no case", "image_url": "address of the image",
	"file_template_component_id": "component",
}

// place is the place of an entry in a list: [0].
var place = regexp.MustCompile(`\[(\d+)\]`)

// Label says in the words of the trade what a field is, by its name or by the path of a value: "files[0].number" is "cases 1, number".
func Label(path string) string {
	parts := strings.Split(path, ".")
	for n, part := range parts {
		name := place.ReplaceAllString(part, "")
		label, known := labels[name]
		if !known {
			label = strings.ReplaceAll(strings.TrimSuffix(name, "_id"), "_", " ")
		}
		if at := place.FindStringSubmatch(part); at != nil {
			if entry, err := strconv.Atoi(at[1]); err == nil {
				label += " " + strconv.Itoa(entry+1)
			}
		}
		parts[n] = label
	}
	return strings.Join(parts, ", ")
}
