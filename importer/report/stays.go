package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
)

// CodeDiffers is the code of a note about a value that the service's answer shows otherwise than it was sent.
const CodeDiffers = "stored_differently"

// FieldOf is the path of a field without places in lists.
func FieldOf(path string) string { return inList.ReplaceAllString(path, "") }

// CodeStays is the code of a note about a value that is no longer in the export and stays in the service, as nothing that can be
// sent removes it.
const CodeStays = "stays_in_service"

// Noted counts the values that notes of one kind are about, which a person has to see to in the service: those that stay there, with
// the file stays.csv, and those that it stores otherwise, with differs.csv.
type Noted struct {
	Records int `json:"records"`
	Values  int `json:"values"`
}

// count counts what of a record has the code. n may be nil.
func (n *Noted) count(r ledger.Record, code string) *Noted {
	values := 0
	for _, note := range r.Notes {
		if note.Code == code {
			values++
		}
	}
	if values == 0 {
		return n
	}
	if n == nil {
		n = &Noted{}
	}
	n.Records++
	n.Values += values
	return n
}

// notedWriter lists the notes of one kind, one value a line.
type notedWriter struct {
	csvWriter
	code   string
	header []string
	values func(ledger.Reason) []string
}

func newStays(w io.Writer, s *Summary) *notedWriter {
	return &notedWriter{csvWriter{out: bufio.NewWriter(w), run: s.Run}, CodeStays, []string{"stays in the service"},
		func(n ledger.Reason) []string { return []string{n.Value} }}
}

func newDiffers(w io.Writer, s *Summary) *notedWriter {
	return &notedWriter{csvWriter{out: bufio.NewWriter(w), run: s.Run}, CodeDiffers, []string{"sent", "stored in the service"},
		func(n ledger.Reason) []string { return []string{n.Value, n.Stored} }}
}

func (c *notedWriter) begin() error {
	_, _ = c.out.WriteString(byteOrderMark)
	return c.line(append([]string{"key", "service id", "rows", "field"}, c.header...))
}

func (c *notedWriter) add(e entry) error {
	rows := make([]string, len(e.Rows))
	for n, row := range e.Rows {
		rows[n] = strconv.Itoa(row.Number)
	}
	for _, note := range e.Notes {
		if note.Code != c.code {
			continue
		}
		if err := c.line(append([]string{e.Key, e.ServiceID, strings.Join(rows, ", "), note.Field}, c.values(note)...)); err != nil {
			return err
		}
	}
	return nil
}

// goodsPath is where the entries of a trademark stand in its payload (interface.md part 4.3). They are no list whose order says
// anything.
const goodsPath = "good_and_services"

// Entry tells whether the value is one of a goods and services entry.
func (c Change) Entry() bool { return strings.HasPrefix(c.Field, goodsPath+"[") }

// besideEntries gives the values of the entries that a mark had before the places of the same entries now: of equal ones, then of
// those of equal id, or class and language. One that is gone gets a place behind all others.
func besideEntries(earlier []leaf, before, now json.RawMessage) []leaf {
	was, is := entriesOf(before), entriesOf(now)
	if len(was) == 0 {
		return earlier
	}
	places, taken, free := make([]int, len(was)), make([]bool, len(is)), len(is)
	for n := range places {
		places[n] = -1
	}
	for _, alike := range []func(a, b goodsEntry) bool{
		func(a, b goodsEntry) bool { return bytes.Equal(a.raw, b.raw) },
		func(a, b goodsEntry) bool {
			return a.ID == b.ID && (a.ID != "" || a.Language+a.Class == b.Language+b.Class)
		},
	} {
		for n := range was {
			for m := range is {
				if places[n] < 0 && !taken[m] && alike(was[n], is[m]) {
					places[n], taken[m] = m, true
				}
			}
		}
	}
	for n := range places {
		if places[n] < 0 {
			places[n], free = free, free+1
		}
	}
	for n, l := range earlier {
		if rest, ok := strings.CutPrefix(l.path, goodsPath+"["); ok {
			digits, inner, _ := strings.Cut(rest, "]")
			if at, err := strconv.Atoi(digits); err == nil && at < len(places) {
				earlier[n].path = goodsPath + "[" + strconv.Itoa(places[at]) + "]" + inner
			}
		}
	}
	return earlier
}

// goodsEntry is as much of an entry as tells which it is.
type goodsEntry struct {
	ID       string `json:"id"`
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	raw      json.RawMessage
}

// entriesOf are the entries of a payload, none where it has none.
func entriesOf(payload json.RawMessage) []goodsEntry {
	var members struct {
		Entries []json.RawMessage `json:"good_and_services"`
	}
	if !bytes.Contains(payload, []byte(goodsPath)) || json.Unmarshal(payload, &members) != nil {
		return nil
	}
	list := make([]goodsEntry, len(members.Entries))
	for n, raw := range members.Entries {
		list[n].raw = raw
		_ = json.Unmarshal(raw, &list[n]) // what is no entry is like no other
	}
	return list
}
