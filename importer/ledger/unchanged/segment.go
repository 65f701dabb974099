package unchanged

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"docketsync/importer/ledger/varint"
)

// segmentRecords is how many records a segment holds that is written in one go: enough that few rows refer to segments,
// and few enough that one is read quickly.
const segmentRecords = 1024

// segment is unchanged records in the order of a run, shared by the runs that found them so.
type segment struct {
	number  int64  // in the database; 0 while it is not written
	content string // as stored
	entries []entry
}

// entry is one record of a segment.
type entry struct {
	key        string
	digest, id packedText
	places     []Place // before the shift of the range
}

// shifted returns by how much row numbers differ from those of the entry, if all differ alike.
func (e *entry) shifted(places []Place) (shift int, ok bool) {
	if len(places) != len(e.places) || len(places) == 0 {
		return 0, false
	}
	shift = places[0].Number - e.places[0].Number
	for n, place := range places {
		if place.Source != e.places[n].Source || place.Number-e.places[n].Number != shift {
			return 0, false
		}
	}
	return shift, true
}

// segmentForm is the first byte of a segment's content.
const segmentForm = 1

// encode makes the content of a segment from its entries. Each key is written as the length that it shares with the
// previous one and the rest, and each row number as its distance from the previous one.
func (s *segment) encode() {
	out := make([]byte, 0, 64*len(s.entries))
	out = append(out, segmentForm)
	out = binary.AppendUvarint(out, uint64(len(s.entries)))
	last, number := "", 0
	for n := range s.entries {
		e := &s.entries[n]
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
		out = binary.AppendUvarint(out, uint64(len(e.places)))
		for _, place := range e.places {
			out = binary.AppendUvarint(out, uint64(place.Source))
			out = binary.AppendVarint(out, int64(place.Number-number))
			number = place.Number
		}
	}
	s.content = string(out)
}

var errSegment = errors.New("a segment of unchanged records cannot be read")

// decodeSegment reads what encode wrote.
func decodeSegment(number int64, content string) (*segment, error) {
	r := segmentReader{varint.Reader{Rest: []byte(content)}, content}
	if r.Byte() != segmentForm {
		return nil, fmt.Errorf("segment %d: %w: it is of another form", number, errSegment)
	}
	count := int(r.Uint())
	if count < 0 || count > len(content) {
		return nil, fmt.Errorf("segment %d: %w", number, errSegment)
	}
	s := &segment{number: number, content: content, entries: make([]entry, count)}
	// Keys follow each other in one text, and places in one list, so that a segment costs few allocations.
	keys := make([]byte, 0, len(content)/2)
	ends := make([]int, count)
	places := make([]Place, 0, count)
	line := 0
	for n := range s.entries {
		e := &s.entries[n]
		start := 0
		if n > 1 {
			start = ends[n-2]
		}
		shared := r.Uint()
		if n == 0 && shared > 0 || n > 0 && shared > uint64(ends[n-1]-start) {
			r.Bad = true
		}
		if r.Bad {
			break
		}
		keys = append(append(keys, keys[start:start+int(shared)]...), r.Part()...)
		ends[n] = len(keys)
		e.digest, e.id = r.packed(), r.packed()
		first := len(places)
		for range r.Uint() {
			place := Place{Source: int(r.Uint())}
			line += int(r.Int())
			place.Number = line
			if r.Bad {
				break
			}
			places = append(places, place)
		}
		e.places = places[first:len(places):len(places)]
	}
	if r.Bad || len(r.Rest) > 0 {
		return nil, fmt.Errorf("segment %d: %w", number, errSegment)
	}
	all, start := string(keys), 0
	for n := range s.entries {
		s.entries[n].key, start = all[start:ends[n]], ends[n]
	}
	return s, nil
}

// segmentReader reads a content, and returns texts as parts of it.
type segmentReader struct {
	varint.Reader
	content string
}

func (r *segmentReader) text(length uint64) string {
	at := len(r.content) - len(r.Rest)
	return r.content[at : at+len(r.Bytes(length))]
}

func (r *segmentReader) packed() packedText {
	head := r.Uint()
	p := packedText{byte(head % uint64(textKinds)), r.text(head / uint64(textKinds))}
	r.Bad = r.Bad || p.kind == guidText && len(p.raw) != 16
	return p
}

// packedText is a text, in half the bytes if it is hexadecimal digits or a GUID.
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

// dashes are the positions of the dashes of a GUID.
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

// String returns the text that was packed.
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

// is reports whether it is this text. It allocates nothing for digests.
func (p packedText) is(text string) bool {
	var digits [64]byte
	if p.kind == hexText && len(p.raw) <= len(digits)/2 {
		return string(digits[:hex.Encode(digits[:], []byte(p.raw))]) == text
	}
	return p.String() == text
}
