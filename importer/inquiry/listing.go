package inquiry

import (
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// Listing is a list of the service in two readings. Keys is how many of an item's texts, from the first on, are numbers or names;
// the others hold what the members Same of a payload are sent as.
type Listing struct {
	First, Second []apiclient.ListItem
	Keys          int
	Same          []string
}

// Index finds the items of a listing by how their numbers or names are roughly spelled.
type Index struct {
	*Listing
	op            payload.Operation
	asked         time.Time
	first, second map[string][]apiclient.ListItem
}

// Index is the index for records of an operation; asked is when the first of the two readings began.
func (l *Listing) Index(op payload.Operation, asked time.Time) *Index {
	return &Index{Listing: l, op: op, asked: asked, first: l.like(l.First), second: l.like(l.Second)}
}

// Ask makes the inquiry about a record, of the items that are spelled like it alone; a record has none when nothing is.
func (x *Index) Ask(record ledger.Record) Inquiry {
	_, member := ListOf(x.op)
	q := Inquiry{Record: record, Operation: x.op, Asked: x.asked, Keys: x.Keys, Same: x.Same}
	rough := roughly(q.sent(member))
	q.First, q.Second = x.first[rough], x.second[rough]
	return q
}

// like is the items of a reading by how their numbers or names are roughly spelled.
func (l *Listing) like(items []apiclient.ListItem) map[string][]apiclient.ListItem {
	found := map[string][]apiclient.ListItem{}
	for _, item := range items {
		seen := map[string]bool{"": true}
		for _, text := range item.Texts[:l.Keys] {
			if rough := roughly(text); !seen[rough] {
				seen[rough] = true
				found[rough] = append(found[rough], item)
			}
		}
	}
	return found
}
