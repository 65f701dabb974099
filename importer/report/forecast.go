package report

import (
	"time"

	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/reading"
)

// Forecast is when a run was expected to end, when it began to send or was resumed, and when it did.
type Forecast struct {
	forecast.Made
	Ended   time.Time `json:"ended,omitzero"` // zero while it goes on
	Stopped bool      `json:"stopped,omitempty"`
}

func forecastOf(run ledger.Run, notes reading.Notes) *Forecast {
	if notes.Forecast == nil {
		return nil
	}
	return &Forecast{*notes.Forecast, run.Ended, run.Phase == ledger.Stopped}
}

// finely is how narrow a band is whose times are told to the second.
const finely = 2 * time.Minute

// String says how good the forecast was: "Forecast: 02:10 to 02:30; ended 02:24".
func (f Forecast) String() string {
	now := f.Ended
	if now.IsZero() {
		now = f.Begins
	}
	at := func(t time.Time) string { return moment.Hour(t, now) }
	if f.Most.Sub(f.Least) < finely {
		at = moment.Clock
	}
	text := "Forecast: " + at(f.Least) + " to " + at(f.Most)
	switch {
	case f.Ended.IsZero():
		return text
	case f.Stopped:
		return text + "; stopped " + at(f.Ended)
	}
	return text + "; ended " + at(f.Ended)
}
