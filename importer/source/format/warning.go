package format

// Warning is a doubt that did not stop the reading. Code is a stable word for grouping; Rows are the first rows it is
// about (at most WarningRows), Count how many there are in all.
type Warning struct {
	Code    string `json:"code"`
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Rows    []int  `json:"rows,omitempty"`
	Count   int    `json:"count,omitempty"`
	Column  int    `json:"-"` // from 0, of dates_turned
}

// WarningRows is how many rows a warning names.
const WarningRows = 10

// AddRow counts one more row under the warning.
func (w *Warning) AddRow(row int) {
	w.Count++
	if len(w.Rows) < WarningRows {
		w.Rows = append(w.Rows, row)
	}
}

// Counted is the warning about the rows that were counted, in a list of its own; none where none were.
func (w Warning) Counted(code, sheet, message, hint string) []Warning {
	if w.Count == 0 {
		return nil
	}
	w.Code, w.Sheet, w.Message, w.Hint = code, sheet, message, hint
	return []Warning{w}
}
