package payload

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What passes as it stands is what Encode writes when it takes the payload apart, and with each byte of a payload changed or gone, and each member gone.
func TestWhatPassesAsItStandsIsWhatEncodeWrites(t *testing.T) {
	t.Parallel()
	payloads := map[string]Operation{
		fullCase: CreateCase, aCase: CreateCase, fullFolder: CreateFolder, fullUpdate: UpdateCase, anUpdate: UpdateCase, fullMark: UpdateTrademark, aMark: UpdateTrademark,
		strings.Replace(fullMark, `no\ntes`, "notes", 1): UpdateTrademark,
		`{"id":"..","registry_id":"r","mark_text":"é","application_number":"A","application_date":null,"good_and_services":[],"notes":"z"}`: UpdateTrademark,
	}
	switches := []Switches{{}, {Variant: VariantB}, {ActiveAsText: true}, {OmitDoNotCreateFile: true}, {RegistrationNumberAsInteger: true}, {ComponentID: ComponentIDSame}}
	passed := map[string]bool{}
	check := func(op Operation, text string, s Switches) {
		id, ok := canonicalID(op, []byte(text), s)
		if !ok || !utf8.ValidString(text) { // of which Encode makes sure first
			return
		}
		passed[text] = true
		if p, err := written(op, []byte(text), s); err != nil || string(p.Body) != text || p.ID != id {
			t.Errorf("%s %+v: %s, id %q, is written as %s, id %q: %v", op, s, text, id, p.Body, p.ID, err)
		}
	}
	for text, op := range payloads {
		for _, s := range switches {
			check(op, text, s)
			parts := strings.Split(text, ",") // most of them are members
			for n := range parts {
				check(op, strings.Join(slices.Concat(parts[:n], parts[n+1:]), ","), s)
			}
			check(op, strings.ReplaceAll(text, `"id":null,`, ""), s)
			for n := range text {
				check(op, text[:n]+text[n+1:], s)
				for _, b := range "\"\\,:[]{} \x01nt0é" {
					check(op, text[:n]+string(b)+text[n+1:], s)
					check(op, text[:n]+string(b)+text[n:], s)
				}
			}
		}
	}
	for _, text := range []string{aCase, aMark} {
		if !passed[text] {
			t.Errorf("%s is taken apart", text)
		}
	}
}
