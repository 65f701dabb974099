package samples_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// sentMark is what of a mark went out.
type sentMark struct {
	ID      string `json:"id"`
	Text    string `json:"mark_text"`
	Number  string `json:"application_number"`
	Filed   string `json:"application_date"`
	Number2 string `json:"registration_number"`
	Expires string `json:"expiry_date"`
	Entries []struct {
		Language string `json:"language_id"`
		Text     string `json:"text"`
		Class    string `json:"search_class_id"`
	} `json:"good_and_services"`
}

// checkMarks compares what was sent with the marks that the exports were made of: what goes in comes out, whatever the
// form in between.
func checkMarks(t *testing.T, i *importer.Importer, run string, marks []mark) {
	t.Helper()
	sent := payloads[sentMark](t, i, run)
	found := 0
	for _, m := range marks {
		got, ok := sent[m.ref]
		if !ok {
			continue // rejected: expected.json has it
		}
		found++
		number, _ := m.registration()
		want := []string{guid("trademark", m.ref), m.text, m.number(), moment(m.filed), number, moment(m.expiry())}
		have := []string{got.ID, got.Text, got.Number, got.Filed, got.Number2, got.Expires}
		if !slices.Equal(want, have) {
			t.Errorf("%s was sent as %q, want %q", m.ref, have, want)
		}
		var classes []string
		for _, entry := range got.Entries {
			classes = append(classes, entry.Class+entry.Language+entry.Text)
		}
		var wanted []string
		for _, class := range m.classes {
			wanted = append(wanted, guid("class", searchClasses()[class-1].name)+guid("language", languageName(m.language))+goods[m.language][class])
		}
		slices.Sort(classes)
		slices.Sort(wanted)
		if !slices.Equal(wanted, classes) {
			t.Errorf("the goods of %s were sent as %q, want %q", m.ref, classes, wanted)
		}
	}
	if found < len(marks)*2/3 {
		t.Errorf("%d of %d marks were sent, too few to say anything", found, len(marks))
	}
}

// checkMatters compares the cases sent with the matters that the workbook was made of.
func checkMatters(t *testing.T, i *importer.Importer, run string) {
	t.Helper()
	sent := payloads[struct {
		Name, Number string
		Active       bool
		Owner        string `json:"user_id"`
		Client       string `json:"client_id"`
	}](t, i, run)
	for _, m := range matters() {
		got, ok := sent[m.number]
		if !ok {
			continue
		}
		if got.Name != m.name || got.Number != m.number || got.Active != (m.closed == "") || got.Owner != guid("user", m.responsible) || got.Client != guid("company", m.client) {
			t.Errorf("%s was sent as %+v", m.number, got)
		}
	}
	if _, ok := sent["104417"]; !ok {
		t.Error("the matter whose number stands in a number cell was not sent by its digits")
	}
}

func moment(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format("2006-01-02T15:04:05Z")
}

func languageName(code string) string {
	return languages[slices.IndexFunc(languages, func(l struct{ code, name string }) bool { return l.code == code })].name
}

// payloads are what the accepted records of a run sent, by key.
func payloads[T any](t *testing.T, i *importer.Importer, run string) map[string]T {
	t.Helper()
	sent := map[string]T{}
	for record, err := range i.Ledger.Records(t.Context(), run, ledger.RecordFilter{States: []ledger.State{ledger.Accepted}}) {
		if err != nil {
			t.Fatal(err)
		}
		var payload T
		if err := json.Unmarshal(record.Payload, &payload); err != nil {
			t.Fatal(err)
		}
		sent[record.Key] = payload
	}
	return sent
}
