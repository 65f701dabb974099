package unchanged

import (
	"errors"
	"slices"
	"testing"
)

// TestDamagedSegmentsAreErrors cuts and changes a segment everywhere: what comes of it is an error or a segment, never a panic.
func TestDamagedSegmentsAreErrors(t *testing.T) {
	t.Parallel()
	b := segment{}
	for n, text := range []string{"", "plain", "00ff", "0b5e4c5a-7f11-4b7e-9a55-000000000001", "0B5E", "ÿ\x00"} {
		b.entries = append(b.entries, entry{key: "key " + text, digest: pack(text), id: pack(text), places: []Place{{n, 7 - n}, {0, 1 << 40}}})
	}
	b.encode()
	whole, err := decodeSegment(1, b.content)
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range whole.entries {
		if e.key != b.entries[n].key || e.digest.String() != b.entries[n].digest.String() || !e.id.is(b.entries[n].id.String()) || !slices.Equal(e.places, b.entries[n].places) {
			t.Errorf("%+v came back as %+v", b.entries[n], e)
		}
	}
	for at := range b.content {
		if _, err := decodeSegment(1, b.content[:at]); !errors.Is(err, errSegment) {
			t.Errorf("cut at %d: %v", at, err)
		}
		for _, odd := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			damaged := []byte(b.content)
			damaged[at] = odd
			if block, err := decodeSegment(1, string(damaged)); err == nil {
				for _, e := range block.entries {
					_ = e.digest.String() + e.id.String()
				}
			}
		}
	}
}
