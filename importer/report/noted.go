package report

import "docketsync/importer/ledger"

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
