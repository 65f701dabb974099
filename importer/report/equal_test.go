package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shownNumbers are the numbers of a page, by what stands beside them, as the browser shows them.
type shownNumbers struct {
	Rows, Records, Tiles, Chips map[string]int
	Statuses                    map[string]int
	Causes                      []int // rows, by place among the causes and the notes
	Past                        [][]string
}

const readNumbers = `(() => {
	const number = text => Number(text.replace(/[^0-9-]/g, ''));
	const table = nth => Object.fromEntries([...document.querySelectorAll('.accounts .account')[nth].querySelectorAll('tbody tr')].map(row =>
		[row.cells[0].firstChild.textContent.trim(), number(row.cells[1].textContent)]));
	const causes = [];
	for (const link of document.querySelectorAll('.causes a[data-cause]')) causes[link.dataset.cause] = number(link.closest('tr').querySelector('b').textContent);
	return JSON.stringify({
		Rows: table(0), Records: table(1),
		Tiles: Object.fromEntries([...document.querySelectorAll('.tiles a')].map(tile => [tile.querySelector('span').textContent, number(tile.querySelector('b').textContent)])),
		Chips: Object.fromEntries([...document.querySelectorAll('.chips button')].map(chip => { const [, word, n] = chip.textContent.match(/^(.*) ([0-9,]+)$/); return [word, number(n)]; })),
		Statuses: Object.fromEntries([...document.querySelectorAll('.statuses span')].filter(span => span.querySelector('b')).map(span => [span.firstChild.textContent.trim(), number(span.querySelector('b').textContent)])),
		Causes: causes,
		Past: [...document.querySelectorAll('.past tbody tr')].map(row => [...row.cells].slice(1).map(cell => cell.textContent)),
	});
})()`

// told is what the JSON form says, as far as the page shows it in numbers.
type told struct {
	Summary struct {
		Rows struct {
			Read      int `json:"read"`
			InRecords int `json:"in_records"`
			Skipped   []struct {
				Reason string `json:"reason"`
				Rows   int    `json:"rows"`
			} `json:"skipped"`
		} `json:"rows"`
		Records struct {
			Total     int `json:"total"`
			ByOutcome []struct {
				Outcome string `json:"outcome"`
				Records int    `json:"records"`
			} `json:"by_outcome"`
		} `json:"records"`
		Causes   []toldCause `json:"causes"`
		Notes    []toldCause `json:"notes"`
		Requests struct {
			Total    int `json:"total"`
			ByStatus []struct {
				Status   int `json:"status"`
				Requests int `json:"requests"`
			} `json:"by_status"`
		} `json:"requests"`
		Corrected *struct {
			Records int `json:"records"`
			Again   int `json:"again"`
		} `json:"corrected"`
		LastRuns []struct {
			Records map[string]int `json:"records"`
		} `json:"last_runs"`
	} `json:"summary"`
}

type toldCause struct {
	Rows    int `json:"rows"`
	Records int `json:"records"`
}

// numbers are those that the page should show.
func (told told) numbers() shownNumbers {
	s := told.Summary
	want := shownNumbers{Rows: map[string]int{"read": s.Rows.Read, "in records": s.Rows.InRecords}, Records: map[string]int{"all records": s.Records.Total},
		Tiles: map[string]int{}, Chips: map[string]int{}, Statuses: map[string]int{}}
	for _, skip := range s.Rows.Skipped {
		want.Rows["skipped: "+skip.Reason] = skip.Rows
	}
	for _, count := range s.Records.ByOutcome {
		words := strings.ReplaceAll(count.Outcome, "_", " ")
		want.Tiles[words] = count.Records
		if count.Records > 0 {
			want.Records[words], want.Chips[words] = count.Records, count.Records
		}
	}
	for _, cause := range append(s.Causes, s.Notes...) {
		want.Causes = append(want.Causes, cause.Rows)
	}
	for _, status := range s.Requests.ByStatus {
		name := fmt.Sprint(status.Status)
		if status.Status == 0 {
			name = "no answer"
		}
		want.Statuses[name] = status.Requests
	}
	return want
}

// TestNumbersOnThePageAreThoseOfTheJSON reads the numbers off the page in a browser, asks its table for the records of every
// cause, and compares all with the JSON beside it.
func TestNumbersOnThePageAreThoseOfTheJSON(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(testing.TB) *book{
		"one of everything": func(t testing.TB) *book { m := morning(t); m.end(interrupted); return m },
		"corrected nights":  func(t testing.TB) *book { _, _, next := correctedNights(t); return next },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := make(t)
			b := newTab(t)
			data, err := os.ReadFile(b.open(from).JSON)
			from.must(err)
			var told told
			from.must(json.Unmarshal(data, &told))
			var shown shownNumbers
			from.must(json.Unmarshal([]byte(b.Eval(readNumbers)), &shown))
			past := shown.Past
			shown.Past = nil
			if diff := cmp.Diff(told.numbers(), shown); diff != "" {
				t.Errorf("the JSON, and the page (-JSON +page):\n%s", diff)
			}
			for n, run := range told.Summary.LastRuns {
				if len(told.Summary.LastRuns) < 2 {
					break
				}
				var want []string
				for _, outcome := range []string{"created", "updated", "rejected", "unchanged"} {
					want = append(want, fmt.Sprint(run.Records[outcome]))
				}
				if diff := cmp.Diff(want, past[n][:4]); diff != "" {
					t.Errorf("run %d (-JSON +page):\n%s", n, diff)
				}
			}
			places := append(told.Summary.Causes, told.Summary.Notes...)
			if c := told.Summary.Corrected; c != nil {
				places = append(places, toldCause{Records: c.Records})
				if text := b.Text("#corrected-title + p"); !strings.HasPrefix(text, fmt.Sprintf("%d records rejected before were imported this time. %d was rejected again.", c.Records, c.Again)) {
					t.Errorf("the page says of corrections %q", text)
				}
			}
			for place, cause := range places {
				b.refreshed(fmt.Sprintf(`document.querySelector('a[data-cause="%d"]').click()`, place))
				want := fmt.Sprintf("1–%d of %d record", cause.Records, cause.Records)
				if got := b.status(); !strings.HasPrefix(got, want) {
					t.Errorf("cause %d: the table says %q, want %q", place, got, want)
				}
			}
			b.quiet()
		})
	}
}
