package config

import "strings"

// choices are the settings that take one of a few words, by their path without the numbers of lists. What is checked and
// what editors offer are the same.
var choices = map[string][]string{
	"service.create_case_variant":          {"A", "B"},
	"service.switches.active":              {"boolean", "text"},
	"service.switches.registration_number": {"text", "integer"},
	"service.switches.component_id":        {"omit", "same", "null"},
	"service.switches.do_not_create_file":  {"send", "omit"},
	"service.switches.folder_file_number":  {"number", "text"},
	"service.switches.update_answer":       {"json", "any"},
	"service.proxy":                        {"none", "environment"},
	"retry.creates":                        {"never", "always"},
	"ledger_server.lagging_standby":        {"refuse", "accept"},
	"ledger_server.unverified":             {"refuse", "accept"},
	"secret_files.readable":                {"refuse", "accept"},
	"log.level":                            {"debug", "info", "warn", "error"},
	"log.format":                           {"console", "json"},
	"guards.empty":                         {"stop", "ignore"},
	"guards.header":                        {"stop", "ignore"},
	"guards.columns":                       {"stop", "ignore"},
	"guards.same_file":                     {"stop", "ignore"},
	"guards.listed":                        {"stop", "ignore"},
	"jobs.guards.listed":                   {"stop", "ignore"},
	"jobs.guards.empty":                    {"stop", "ignore"},
	"jobs.guards.header":                   {"stop", "ignore"},
	"jobs.guards.columns":                  {"stop", "ignore"},
	"jobs.guards.same_file":                {"stop", "ignore"},
	"jobs.vanished":                        {"list", "inactive"},
	"jobs.source.inbox.holds":              {"export", "changes"},
	"jobs.source.inbox.take":               {"all", "newest"},
	"jobs.source.inbox.order":              {"time", "name"},
	"notify.ping.on":                       {"success", "always"},
	"notify.channels.mail.tls":             {"starttls", "implicit", "none"},
	"console.users.role":                   {"viewer", "operator"},
	"jobs.source.format":                   {"csv", "xlsx", "ods", "xls"},
	"jobs.source.escape":                   {"double", "backslash"},
	"jobs.when.catch_up":                   {"once", "never"},
}

// settingPath is the path of a setting without the numbers of lists: "jobs.source.format".
func settingPath(path []any) string {
	var keys []string
	for _, step := range path {
		if key, ok := step.(string); ok {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, ".")
}
