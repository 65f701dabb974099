package infer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// widest is the maximum width of a line with its comment beside it, in characters; a longer comment goes above the
// line.
const widest = 120

// text writes the mapping file.
func (d *draft) text(file string, p Proposal) string {
	var b strings.Builder
	wrapped(&b, "# ", fmt.Sprintf("Proposed from %s, %s. Read it through, fill in the lookups, then run docketsync check.", shown(file), table.Count(p.Rows, "row", "rows")))
	write(&b, line{"operation: " + string(p.Operation), p.Why})
	for _, l := range d.header {
		write(&b, l)
	}
	b.WriteString("fields:\n")
	for _, l := range d.fields {
		write(&b, l)
	}
	if len(d.lookups) > 0 {
		b.WriteString("lookups:\n")
	}
	for _, l := range d.lookups {
		write(&b, l.line())
	}
	d.writeUnused(&b)
	return b.String()
}

func (l Lookup) line() line {
	if l.Ledger {
		return line{"  " + l.Name + ": {ledger: " + string(payload.CreateCase) + "}", "ids from earlier runs; or a CSV file with the columns name and id"}
	}
	why := table.Count(len(l.Names), "name", "names") + " to give an id"
	if l.More {
		why = fmt.Sprintf("the first %d names; there are more, so an export of the service's own ids is better", len(l.Names))
	}
	return line{"  " + l.Name + ": lookups/" + l.Name + ".csv", why}
}

// write writes a line with its reason beside it, or above it if they are long.
func write(b *strings.Builder, l line) {
	switch {
	case l.why == "":
		b.WriteString(l.text + "\n")
	case utf8.RuneCountInString(l.text)+utf8.RuneCountInString(l.why)+4 <= widest:
		b.WriteString(l.text + "  # " + l.why + "\n")
	default:
		indent := l.text[:len(l.text)-len(strings.TrimLeft(l.text, " "))]
		wrapped(b, indent+"# ", l.why)
		b.WriteString(l.text + "\n")
	}
}

func wrapped(b *strings.Builder, prefix, text string) {
	line := prefix
	for i, word := range strings.Fields(text) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > widest {
			b.WriteString(line + "\n")
			line = prefix
		} else if i > 0 {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

// writeUnused lists the columns that no field uses; empty ones share one sentence.
func (d *draft) writeUnused(b *strings.Builder) {
	var empty []string
	first := true
	for _, u := range d.unused() {
		if u.Filled == 0 {
			empty = append(empty, u.Column)
			continue
		}
		if first {
			b.WriteString("\n# Not used:\n")
			first = false
		}
		in := fmt.Sprintf("%d of %d rows", u.Filled, d.survey.rows)
		if u.Filled == d.survey.rows {
			in = "all rows"
		}
		wrapped(b, "#   ", fmt.Sprintf("%s: %s, such as %s", shown(u.Column), in, u.Example))
	}
	if len(empty) > 0 {
		b.WriteString("\n")
		wrapped(b, "# ", "Empty in every row: "+shownList(empty))
	}
}

// shownList lists columns; a run of columns without names is shown by its first and last.
func shownList(refs []string) string {
	var list []string
	for i := 0; i < len(refs); i++ {
		from := i
		for strings.HasPrefix(refs[i], "@") && i+1 < len(refs) && strings.HasPrefix(refs[i+1], "@") {
			i++
		}
		if i > from {
			list = append(list, fmt.Sprintf("%s to %s", refs[from], refs[i]))
		} else {
			list = append(list, shown(refs[i]))
		}
	}
	return strings.Join(list, ", ")
}

// plainText matches what YAML reads as text without quotes, in a block and in flow style.
var plainText = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N} _./()+&°º-]*$`)

// Scalar writes a text as YAML, in a block or in flow style. It uses single quotes if the text could be mistaken for
// something else.
func Scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return "'" + text + "'"
	}
	if plainText.MatchString(text) && !strings.HasSuffix(text, " ") {
		return text
	}
	if strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' ' }) >= 0 {
		return strconv.Quote(strings.ToValidUTF8(text, "\ufffd")) // what single quotes cannot hold, such as line breaks
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
