package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docketsync/mapping/reason"
)

// placesInWords are the rows that a message names, such as those that have the same key.
var placesInWords = regexp.MustCompile(`\brows? \d[\d, ]*`)

// Print is what a record that somebody may acknowledge is recognised by until it changes, "" for another one. For a rejected record it is the
// cells of its rows and its reasons, wherever in the file they stand, if the ledger keeps the cells, and without rows what was to be sent; for one that the service holds
// otherwise it is what its row would have the service hold, and what the service stored of it otherwise.
func (r Record) Print() string {
	if s := r.Stale(); s.Differs > 0 {
		return ChangePrint + r.Digest + " " + r.stored()
	} else if s.Unsent {
		return ChangePrint + r.Digest
	}
	if r.State != Rejected && r.State != Refused || len(r.Rows) == 0 && r.Digest == "" {
		return ""
	}
	print := struct {
		Cells   []string
		Reasons []Reason
		Message string
	}{}
	if len(r.Reasons) == 0 {
		print.Message = r.Message // otherwise the reasons say it
	}
	if len(r.Rows) == 0 {
		print.Cells = []string{r.Digest}
	}
	for _, row := range r.Rows {
		if len(row.Cells) == 0 {
			return ""
		}
		print.Cells = append(print.Cells, string(row.Cells))
	}
	for _, why := range r.Reasons {
		why.Cell, why.Row, why.Source, why.Hint, why.Form, why.Args = "", 0, 0, "", "", nil // as releases before them made it
		if r.State == Refused {                                                             // the next morning it is rejected without being sent, and is still the same
			why.Code = reason.RefusedBefore
		}
		why.Message = placesInWords.ReplaceAllString(why.Message, "row")
		print.Reasons = append(print.Reasons, why)
	}
	slices.Sort(print.Cells)
	slices.SortStableFunc(print.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	text, err := json.Marshal(print)
	if err != nil {
		return "" // it holds nothing that cannot be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Prints are all prints of an acknowledgement that is one of the record: its Print, and one without what the service stored otherwise, as earlier
// releases made it, where that is all there is to acknowledge.
func (r Record) Prints() []string {
	list := []string{r.Print()}
	if s := r.Stale(); s.Differs > 0 && !s.Unsent {
		list = append(list, ChangePrint+r.Digest)
	}
	return list
}

// stored is a sum of what the service stored otherwise than it was sent.
func (r Record) stored() string {
	var list []string
	for _, note := range r.Notes {
		if note.Code == reason.Differs {
			list = append(list, fmt.Sprintf("%q %q", note.Field, note.Stored))
		}
	}
	slices.Sort(list)
	sum := sha256.Sum256([]byte(strings.Join(list, "\n")))
	return hex.EncodeToString(sum[:])
}

// ChangePrint begins the Print of a record that the service holds otherwise, before the digest.
const ChangePrint = "change "

// Holding are the states of records that the service holds.
var Holding = []State{Unchanged, Accepted}

// Stale says in what the service holds a record otherwise than the source has it, which no update mends.
type Stale struct {
	Unsent  bool `json:"-"` // its row has changed, and the change, or a part of it, cannot be sent
	Differs int  `json:"-"` // values that the service stored otherwise than they were sent
}

// Any tells whether there is anything.
func (s Stale) Any() bool { return s.Unsent || s.Differs > 0 }

// Stale is what its notes tell of a record that the service holds.
func (r Record) Stale() (s Stale) {
	if slices.Contains(Holding, r.State) {
		for _, note := range r.Notes {
			s.Unsent = s.Unsent || note.Unsent()
			if note.Code == reason.Differs {
				s.Differs++
			}
		}
	}
	return s
}
