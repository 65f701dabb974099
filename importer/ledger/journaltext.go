package ledger

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// journalVersion begins every row of the journal: another way to write it gets another number, since a row may have been
// written by the docketsync before.
const journalVersion = 2

// appendGroup writes a group as a row of the journal: its outcomes, then its intents and when they were committed. Numbers
// are varints; text has its length before it; what is seldom there and has members is JSON.
func appendGroup(b []byte, group []*commit, now time.Time) ([]byte, error) {
	outcomes, intents := 0, 0
	for _, c := range group {
		outcomes += len(c.outcomes)
		intents += len(c.intents)
	}
	b = append(b, journalVersion)
	b = binary.AppendVarint(b, int64(outcomes))
	var err error
	for _, c := range group {
		for n := range c.outcomes {
			if b, err = appendOutcome(b, &c.outcomes[n]); err != nil {
				return b, err
			}
		}
	}
	b = binary.AppendVarint(b, int64(intents))
	b = binary.AppendVarint(b, now.UnixMicro())
	for _, c := range group {
		for _, p := range c.intents {
			b = binary.AppendVarint(b, p.number)
			b = binary.AppendVarint(b, p.seq)
		}
	}
	return b, nil
}

func appendOutcome(b []byte, o *settled) ([]byte, error) {
	b = binary.AppendVarint(b, o.number)
	b = binary.AppendVarint(b, o.seq)
	b = appendText(b, string(o.State))
	b = binary.AppendVarint(b, int64(o.Status))
	b = appendText(b, o.Message)
	b = appendText(b, o.ServiceID)
	b = binary.AppendVarint(b, o.At.UnixMicro())
	b, err := appendList(b, o.Reasons)
	if err != nil {
		return b, err
	}
	if b, err = appendList(b, o.Entries); err != nil {
		return b, err
	}
	b = appendText(b, strings.Join(o.ReadBack, ","))
	b = binary.AppendVarint(b, int64(len(o.Also)))
	for _, id := range o.Also {
		b = appendText(appendText(appendText(b, id.Scope), id.Key), id.ServiceID)
	}
	b = binary.AppendVarint(b, int64(len(o.Attempts)))
	for n := range o.Attempts {
		a := &o.Attempts[n]
		b = binary.AppendVarint(b, a.Started.UnixMicro())
		b = binary.AppendVarint(b, a.Duration.Microseconds())
		b = binary.AppendVarint(b, int64(a.Status))
		b = appendText(appendText(appendText(b, a.Verdict), a.Error), a.Answer)
	}
	return b, nil
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}

func appendList[T any](b []byte, list []T) ([]byte, error) {
	if len(list) == 0 {
		return appendText(b, ""), nil
	}
	data, err := json.Marshal(list)
	return appendText(b, string(data)), err
}

// readGroup reads what appendGroup wrote.
func readGroup(text string) (g groupText, err error) {
	if text == "" || text[0] < 1 || text[0] > journalVersion {
		return g, fmt.Errorf("a row of the journal has an unknown format: %w", fault.ErrCorrupt)
	}
	r := journalReader{version: text[0], rest: text[1:]}
	g.outcomes = make([]settled, r.count())
	for n := range g.outcomes {
		r.outcome(&g.outcomes[n])
	}
	g.intents = make([]leaving, r.count())
	at := r.number()
	for n := range g.intents {
		g.intents[n] = leaving{place{number: r.number(), seq: r.number()}, at}
	}
	if r.err == nil && r.rest != "" {
		r.fail()
	}
	return g, r.err
}

// journalReader reads a row of the journal from its beginning. After an error it reads nothing but zeros.
type journalReader struct {
	version byte
	rest    string
	err     error
}

func (r *journalReader) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("a row of the journal is damaged: %w", fault.ErrCorrupt)
	}
	r.rest = ""
}

func (r *journalReader) number() int64 {
	// Varint wants bytes; a number has no more of them than this.
	var head [binary.MaxVarintLen64]byte
	n, size := binary.Varint(head[:copy(head[:], r.rest)])
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count is a number of things that take a byte each at the least.
func (r *journalReader) count() int64 {
	n := r.number()
	if n < 0 || n > int64(len(r.rest)) {
		r.fail()
		return 0
	}
	return n
}

func (r *journalReader) text() string {
	n := r.count()
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func readList[T any](r *journalReader) (list []T) {
	if err := store.Unlisted([]byte(r.text()), &list); err != nil {
		r.fail()
	}
	return list
}

func (r *journalReader) outcome(o *settled) {
	o.number, o.seq = r.number(), r.number()
	o.State, o.Status = State(r.text()), int(r.number())
	o.Message, o.ServiceID = r.text(), r.text()
	o.At = time.UnixMicro(r.number())
	o.Reasons, o.Entries = readList[Reason](r), readList[Entry](r)
	if r.version > 1 { // before, no answer was compared
		if fields := r.text(); fields != "" {
			o.ReadBack = strings.Split(fields, ",")
		}
	}
	if n := r.count(); n > 0 {
		o.Also = make([]Identity, n)
	}
	for n := range o.Also {
		o.Also[n] = Identity{Scope: r.text(), Key: r.text(), ServiceID: r.text()}
	}
	if n := r.count(); n > 0 {
		o.Attempts = make([]Attempt, n)
	}
	for n := range o.Attempts {
		a := &o.Attempts[n]
		a.Started, a.Duration = time.UnixMicro(r.number()), time.Duration(r.number())*time.Microsecond
		a.Status = int(r.number())
		a.Verdict, a.Error, a.Answer = r.text(), r.text(), r.text()
	}
}
