// Package wording has what every text about a run is made of: numbers with their nouns, places in files, times, and the
// sentence that says that a service is not the live one. Only this package decides about plurals, thousands and
// shortened texts, so that the page, the workbook, mails and the terminal all say the same. It imports the ledger, for
// rows and runs, and the description of operations, for what a firm calls their records.
package wording

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// Counted is a number with its noun: "1 row", "58,201 rows". The plural has an s unless it is given.
func Counted(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return Thousands(n) + " " + many[0]
	}
	return Thousands(n) + " " + one + "s"
}

// ToSend says what a run would send: "12 creates and 412 updates".
func ToSend(creates, updates int) string {
	var parts []string
	if creates > 0 {
		parts = append(parts, Counted(creates, "create"))
	}
	if updates > 0 || creates == 0 {
		parts = append(parts, Counted(updates, "update"))
	}
	return strings.Join(parts, " and ")
}

// Plural returns the word for a number of things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Thousands is a number with commas: 58,201.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// UpperFirst capitalises a text, unless its first word is a name that is spelled like that (client_id:, a.csv).
func UpperFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(strings.TrimRight(first, ".,;"), "_.:/=@") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// Prefixed puts a prefix before a text, unless the text is empty.
func Prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func Sentence(text string) string { return UpperFirst(strings.TrimRight(text, ". ")) + "." }

// Noun is what the people of a firm call an operation's records.
func Noun(operation string) (one, many string) {
	about := payload.Operation(operation).About()
	return cmp.Or(about.One, "record"), cmp.Or(about.Many, "records")
}

// Lasted is a duration as a person says it.
func Lasted(d time.Duration) string {
	switch {
	case d < 0: // the clock was set back
		return "an unknown time"
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Short cuts a text for the table; the whole is in the record's details.
func Short(text string, runes int) string {
	if len(text) <= runes {
		return text
	}
	n := 0
	for at := range text {
		if n == runes-1 {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// Tail is the end of a run's id, where ids differ most.
func Tail(id string) string { return id[max(0, len(id)-6):] }

// Host is the host of a service's address, with its port if it names one.
func Host(service string) string {
	if u, err := url.Parse(service); err == nil && u.Host != "" {
		return u.Host
	}
	return service
}

// Rehearsal is what everything about a run says first if its service is not a live one but the sandbox, or an address
// of this machine; "" otherwise. service is the ledger's name for it.
func Rehearsal(service string) string {
	if service == "sandbox" {
		return "Rehearsal: the service is the sandbox, not the live one."
	}
	if service == "this machine" { // as earlier releases called both
		return "Rehearsal: the service is on this machine, not the live one."
	}
	u, err := url.Parse(service)
	if err != nil || !payload.Loopback(u.Hostname()) {
		return ""
	}
	return fmt.Sprintf("Rehearsal: the service is %s on this machine, not the live one.", service)
}

// Service says what kind of service payloads go to: the sentence of Rehearsal, or which host is the live one; "" for none yet.
func Service(service string) string {
	if said := Rehearsal(service); said != "" || service == "" {
		return said
	}
	return fmt.Sprintf("Live: the service is %s.", Host(service))
}

// SourceOf returns a source of a run by its index, or an empty one if there is none.
func SourceOf(run ledger.Run, source int) ledger.Source {
	if source < 0 || source >= len(run.Sources) {
		return ledger.Source{}
	}
	return run.Sources[source]
}

// SourceName is the name of a source for a person: the file's name without its folders, and the sheet.
func SourceName(run ledger.Run, source int) string {
	s := SourceOf(run, source)
	if s.File == "" {
		return "an unknown file"
	}
	if s.Sheet == "" {
		return BaseName(s.File)
	}
	return BaseName(s.File) + ", " + s.Sheet
}

// BaseName is the last part of a path, of any system.
func BaseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// Positions says where rows are: "row 17", "rows 3, 4 and 9"; with the file if the run has several.
func Positions(run ledger.Run, rows []ledger.Row) string {
	last := -1
	return listed(rows, func(row ledger.Row) string {
		text := strconv.Itoa(row.Number)
		if len(run.Sources) > 1 && row.Source != last {
			text = SourceName(run, row.Source) + " " + text
		}
		last = row.Source
		return text
	})
}

// Places says where rows are, file by file: "matters.xlsx, Matters, row 17".
func Places(run ledger.Run, rows []ledger.Row) string {
	if len(rows) == 0 {
		return noRow
	}
	var parts []string
	for first, n := 0, 1; n <= len(rows); n++ {
		if n == len(rows) || rows[n].Source != rows[first].Source {
			parts = append(parts, SourceName(run, rows[first].Source)+", "+listed(rows[first:n], func(row ledger.Row) string { return strconv.Itoa(row.Number) }))
			first = n
		}
	}
	return strings.Join(parts, "; ")
}

const noRow = "no row"

// listed names rows, up to seven of them, or six and how many more.
func listed(rows []ledger.Row, name func(ledger.Row) string) string {
	const shown = 6
	var parts []string
	for n, row := range rows {
		if n == shown && len(rows) > shown+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(rows)-shown))
			break
		}
		parts = append(parts, name(row))
	}
	switch len(parts) {
	case 0:
		return noRow
	case 1:
		return "row " + parts[0]
	}
	return "rows " + strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
