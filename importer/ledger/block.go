package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// blockRecords is how many records a block holds when it is written in one go: enough that the rows that refer to blocks are
// few, and so few that one of them is soon read.
const blockRecords = 1024

// block is unchanged records in the order of a run, as they are shared by the runs that found them so.
type block struct {
	number  int64  // in the database; 0 while it is not written
	content string // as stored
	entries []blockEntry
}

// blockEntry is one record of a block.
type blockEntry struct {
	key        string
	digest, id packedText
	rows       []blockRow
}

// blockRow is where a part of it came from, before the shift of the stretch.
type blockRow struct{ source, number int }

// shifted tells by how much row numbers differ from those of the entry, when they do so all alike.
func (e *blockEntry) shifted(rows []Row) (shift int, ok bool) {
	if len(rows) != len(e.rows) || len(rows) == 0 {
		return 0, false
	}
	shift = rows[0].Number - e.rows[0].number
	for n, row := range rows {
		if row.Source != e.rows[n].source || row.Number-e.rows[n].number != shift || len(row.Cells) > 0 {
			return 0, false
		}
	}
	return shift, true
}

// record is the entry as a record of a run.
func (e *blockEntry) record(run, scope string, seq int64, shift int) Record {
	r := Record{Run: run, Seq: seq, Scope: scope, Key: e.key, Action: None, State: Unchanged, Digest: e.digest.String(), ServiceID: e.id.String()}
	r.Rows = make([]Row, len(e.rows))
	for n, row := range e.rows {
		r.Rows[n] = Row{Source: row.source, Number: row.number + shift}
	}
	return r
}

// packedText is a text, in half the bytes where it is hexadecimal digits or a GUID.
type packedText struct {
	kind byte
	raw  string
}

const (
	plainText byte = iota
	hexText
	guidText
	textKinds
)

// dashes are where those of a GUID stand.
var dashes = [...]int{8, 13, 18, 23}

func pack(text string) packedText {
	if raw, ok := unhex(text); ok {
		return packedText{hexText, raw}
	}
	if len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		if raw, ok := unhex(strings.ReplaceAll(text, "-", "")); ok && len(raw) == 16 {
			return packedText{guidText, raw}
		}
	}
	return packedText{plainText, text}
}

// unhex reads lower-case hexadecimal digits.
func unhex(text string) (raw string, ok bool) {
	if len(text) == 0 || strings.ToLower(text) != text {
		return "", false
	}
	bytes, err := hex.DecodeString(text)
	return string(bytes), err == nil
}

// String is the text that was packed.
func (p packedText) String() string {
	switch p.kind {
	case hexText:
		return hex.EncodeToString([]byte(p.raw))
	case guidText:
		text := hex.EncodeToString([]byte(p.raw))
		for _, at := range dashes {
			text = text[:at] + "-" + text[at:]
		}
		return text
	}
	return p.raw
}

// is tells whether it is this text; it allocates nothing for digests.
func (p packedText) is(text string) bool {
	var digits [64]byte
	if p.kind == hexText && len(p.raw) <= len(digits)/2 {
		return string(digits[:hex.Encode(digits[:], []byte(p.raw))]) == text
	}
	return p.String() == text
}

// blockForm is the first byte of a block's content.
const blockForm = 1

// encode makes the content of a block of its entries. Each key is written as what it shares with the one before and the rest,
// each row number as its distance from the one before.
func (b *block) encode() {
	out := make([]byte, 0, 64*len(b.entries))
	out = append(out, blockForm)
	out = binary.AppendUvarint(out, uint64(len(b.entries)))
	last, number := "", 0
	for n := range b.entries {
		e := &b.entries[n]
		shared := 0
		for shared < len(last) && shared < len(e.key) && last[shared] == e.key[shared] {
			shared++
		}
		out = binary.AppendUvarint(out, uint64(shared))
		out = binary.AppendUvarint(out, uint64(len(e.key)-shared))
		out = append(out, e.key[shared:]...)
		last = e.key
		for _, text := range [...]packedText{e.digest, e.id} {
			out = binary.AppendUvarint(out, uint64(len(text.raw))*uint64(textKinds)+uint64(text.kind))
			out = append(out, text.raw...)
		}
		out = binary.AppendUvarint(out, uint64(len(e.rows)))
		for _, row := range e.rows {
			out = binary.AppendUvarint(out, uint64(row.source))
			out = binary.AppendVarint(out, int64(row.number-number))
			number = row.number
		}
	}
	b.content = string(out)
}

var errBlock = errors.New("a block of unchanged records cannot be read")

// decodeBlock reads what encode wrote.
func decodeBlock(number int64, content string) (*block, error) {
	r := blockReader{rest: content}
	if r.text(1) != string(rune(blockForm)) {
		return nil, fmt.Errorf("block %d: %w: it is of another form", number, errBlock)
	}
	count := r.uint()
	if count < 0 || count > len(content) {
		return nil, fmt.Errorf("block %d: %w", number, errBlock)
	}
	b := &block{number: number, content: content, entries: make([]blockEntry, count)}
	// Keys stand one behind the other in one text, and rows in one list, so that a block costs few allocations.
	keys := make([]byte, 0, len(content)/2)
	ends := make([]int, count)
	rows := make([]blockRow, 0, count)
	line := 0
	for n := range b.entries {
		e := &b.entries[n]
		start := 0
		if n > 1 {
			start = ends[n-2]
		}
		shared := r.uint()
		if n == 0 && shared > 0 || n > 0 && shared > ends[n-1]-start {
			r.bad = true
		}
		if r.bad {
			break
		}
		keys = append(append(keys, keys[start:start+shared]...), r.text(r.uint())...)
		ends[n] = len(keys)
		e.digest, e.id = r.packed(), r.packed()
		first := len(rows)
		for range r.uint() {
			row := blockRow{source: r.uint()}
			line += r.int()
			row.number = line
			if r.bad {
				break
			}
			rows = append(rows, row)
		}
		e.rows = rows[first:len(rows):len(rows)]
	}
	if r.bad || r.rest != "" {
		return nil, fmt.Errorf("block %d: %w", number, errBlock)
	}
	all, start := string(keys), 0
	for n := range b.entries {
		b.entries[n].key, start = all[start:ends[n]], ends[n]
	}
	return b, nil
}

// blockReader takes a content apart; bad says that there was less than there should be.
type blockReader struct {
	rest string
	bad  bool
}

func (r *blockReader) uint() int {
	value := uint64(0)
	for at := 0; at < len(r.rest) && at < binary.MaxVarintLen64; at++ {
		value |= uint64(r.rest[at]&0x7f) << (7 * at)
		if r.rest[at] < 0x80 {
			r.rest = r.rest[at+1:]
			return int(value)
		}
	}
	r.rest, r.bad = "", true
	return 0
}

func (r *blockReader) int() int {
	value := uint64(r.uint())
	return int(int64(value>>1) ^ -int64(value&1))
}

func (r *blockReader) text(length int) string {
	if length < 0 || length > len(r.rest) {
		r.rest, r.bad = "", true
		return ""
	}
	text := r.rest[:length]
	r.rest = r.rest[length:]
	return text
}

func (r *blockReader) packed() packedText {
	head := r.uint()
	if head < 0 {
		r.bad = true
		return packedText{}
	}
	p := packedText{byte(head % int(textKinds)), r.text(head / int(textKinds))}
	r.bad = r.bad || p.kind == guidText && len(p.raw) != 16
	return p
}
