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

// placesInWords matches the rows that a message names, such as those with the same key.
var placesInWords = regexp.MustCompile(`\brows? \d[\d, ]*`)

// Print returns what an acknowledgement recognises a record by until it changes, or "" if the record cannot be
// acknowledged. For a rejected record it is made of the cells of its rows, if the ledger keeps them, and its reasons,
// wherever the rows are in the file. Without rows it is made of what was to be sent. For a record that the service
// holds differently it is made of what its row says, and what the service stored differently of it.
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
		why.Cell, why.Row, why.Source, why.Hint, why.Form, why.Args = "", 0, 0, "", "", nil // as earlier releases made it
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

// Prints returns all prints that an acknowledgement of the record may have: its Print, and, if nothing but a different
// stored value is to be acknowledged, the print without that value, as earlier releases made it.
func (r Record) Prints() []string {
	list := []string{r.Print()}
	if s := r.Stale(); s.Differs > 0 && !s.Unsent {
		list = append(list, ChangePrint+r.Digest)
	}
	return list
}

// stored returns a hash of what the service stored differently than it was sent.
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

// ChangePrint is the prefix, before the digest, of the Print of a record that the service holds differently.
const ChangePrint = "change "

// Holding are the states of records that the service holds.
var Holding = []State{Unchanged, Accepted}

// Stale says in what the service's record differs from the source, where no update will correct it.
type Stale struct {
	Unsent  bool `json:"-"` // its row has changed, and at least part of the change cannot be sent
	Differs int  `json:"-"` // how many values the service stored differently than they were sent
}

// Any reports whether there is any difference.
func (s Stale) Any() bool { return s.Unsent || s.Differs > 0 }

// Stale returns what the notes of a record that the service holds say of this.
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
