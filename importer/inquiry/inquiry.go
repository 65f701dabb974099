package inquiry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// Inquiry is what the service was asked about one record in doubt: a list of what it holds, read twice to the end.
type Inquiry struct {
	Record    ledger.Record
	Operation payload.Operation
	// Over is for how long before the readings the last request for the record is known to have ended, by one clock.
	Over time.Duration
	// Asked is when the first of the two readings began.
	Asked time.Time
	Listing
	// Holders are the records of which the ledger knows the ids in the list.
	Holders map[string][]ledger.Identity
	// Made are the ids that the service gave to what was created lately. A list without them is not all that the service holds,
	// or another service's.
	Made []string
}

// Finding is what follows from an inquiry. Leave means that it is not certain; Why says in any case what was seen.
type Finding struct {
	Decision ledger.Decision
	ID       string
	Why      string
}

// Answer is what asking the service about one record in doubt came to.
type Answer struct {
	Run      string          `json:"run"`
	Seq      int64           `json:"seq"`
	Key      string          `json:"key"`
	Scope    string          `json:"operation"`
	Decision ledger.Decision `json:"decision"`
	ID       string          `json:"id,omitempty"`
	Why      string          `json:"why"`
	Settled  bool            `json:"settled"` // the decision was written into the ledger
}

// ListOf is the list in which a record of the operation would stand, and the member of the payload that it is found by;
// "" for updates: a list shows what is there, not whether it was updated.
func ListOf(op payload.Operation) (list, member string) {
	about := op.About()
	if about.List == "" {
		return "", ""
	}
	return about.List, about.Key
}

// Find decides what an inquiry shows, and is certain only where nothing else can be the case:
//
//   - The record is there when exactly one item has its number (or name), in both readings, when that item also agrees in
//     everything else that can be compared, when no other item is spelled like it, and when its id is not that of another
//     record of ours.
//   - It is not there when no item has its number or anything like it, when both readings show the same items, when those
//     that were created lately are among them, and when the record was first looked for at least settleAfter before: lists lag
//     behind, and a service may still be at work on a request whose connection broke. When it was sent does not count, since that is by
//     the clock of the machine that sent it.
//   - Everything else is left in doubt. So is every update: its fields are in no list, a case that an update of a mark made
//     cannot be told from others, and goods and services entries are not listed with what made them.
func (q Inquiry) Find(settleAfter time.Duration) Finding {
	list, member := ListOf(q.Operation)
	if list == "" {
		return left("no list shows whether an update was acted on")
	}
	key := q.sent(member)
	if key == "" {
		return left("the request has no %s to search for", member)
	}
	exact, like := q.matches(q.Second, key)
	switch {
	case len(exact) > 1:
		return left("%d items of the list %s have the %s %q: %s", len(exact), list, member, key, idsOf(exact))
	case len(exact) == 1 && len(like) > 0:
		return left("the list %s has the %s %q with the id %s, and similar spellings: %s", list, member, key, exact[0].ID, idsOf(like))
	case len(like) > 0:
		return left("the list %s has no exact match for the %s %q, but similar spellings: %s", list, member, key, idsOf(like))
	case len(exact) == 1:
		return q.present(list, member, key, exact[0])
	}
	return q.absent(list, member, key, settleAfter)
}

// sent is the text or number that was sent as a member of the payload.
func (q Inquiry) sent(member string) string { return payload.Text(q.Record.Sent(), member) }

func left(format string, args ...any) Finding {
	return Finding{Decision: ledger.Leave, Why: fmt.Sprintf(format, args...)}
}

// Candidates are the ids of the items that have the record's number or name.
func (q Inquiry) Candidates() (ids []string) {
	_, member := ListOf(q.Operation)
	key := q.sent(member)
	if key == "" {
		return nil
	}
	exact, _ := q.matches(q.Second, key)
	return sortedIDs(exact)
}

// present decides about the one item that has the record's number or name.
func (q Inquiry) present(list, member, key string, item apiclient.ListItem) Finding {
	id, err := uuid.Parse(item.ID)
	if err != nil {
		return left("the list %s has it with the id %q, which is not a GUID", list, item.ID)
	}
	before, _ := q.matches(q.First, key)
	if len(before) != 1 || before[0].ID != item.ID {
		return left("the list %s changed while it was read; ask again", list)
	}
	for n, name := range q.Same {
		// What was not sent the service chose by itself.
		if has, sent := item.Texts[q.Keys+n], q.sent(name); sent != "" && !sameText(has, sent) {
			return left("the list %s has the %s %q with the id %s, but its %s is %q and %q was sent", list, member, key, id, name, has, sent)
		}
	}
	for _, holder := range q.Holders[payload.PlainID(item.ID)] {
		return left("the list %s has the %s %q with the id %s, which belongs to the record %s of %s", list, member, key, id, holder.Key, holder.Scope)
	}
	agrees := member
	if len(q.Same) > 0 {
		agrees += " and " + strings.Join(q.Same, ", ")
	}
	return Finding{Decision: ledger.Exists, ID: id.String(), Why: fmt.Sprintf("the list %s has exactly one item with its %s, id %s", list, agrees, id)}
}

// absent decides when no item has the record's number or name, or anything like it.
func (q Inquiry) absent(list, member, key string, settleAfter time.Duration) Finding {
	if q.Over < settleAfter {
		return left("the list %s does not have the %s %q, but docketsync first looked for it only %s ago; ask again in %s",
			list, member, key, q.Over.Round(time.Second), (settleAfter - q.Over).Round(time.Second))
	}
	if before, near := q.matches(q.First, key); len(before)+len(near) > 0 || !slices.Equal(sortedIDs(q.First), sortedIDs(q.Second)) {
		return left("the list %s does not have the %s %q, but it changed while it was read; ask again", list, member, key)
	}
	if lacks := q.lacks(); len(lacks) > 0 {
		return left("the list %s does not have the %s %q, but it also lacks %d of the %d records created recently (such as id %s), so it is incomplete",
			list, member, key, len(lacks), len(q.Made), lacks[0])
	}
	return Finding{Decision: ledger.Absent, Why: fmt.Sprintf("none of the %d items of the list %s has the %s %q, confirmed by two readings, %s after the first look for it",
		len(q.Second), list, member, key, q.Over.Round(time.Second))}
}

// lacks are the ids of what was created lately that the list does not have.
func (q Inquiry) lacks() (ids []string) {
	listed := map[string]bool{}
	for _, item := range q.Second {
		listed[payload.PlainID(item.ID)] = true
	}
	for _, id := range q.Made {
		if !listed[payload.PlainID(id)] {
			ids = append(ids, id)
		}
	}
	return ids
}

// matches are the items that have a number or name as it was sent, and those that have it in another spelling.
func (q Inquiry) matches(items []apiclient.ListItem, key string) (exact, like []apiclient.ListItem) {
	rough := roughly(key)
	for _, item := range items {
		names := item.Texts[:q.Keys]
		switch {
		case slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == strings.TrimSpace(key) }):
			exact = append(exact, item)
		case slices.ContainsFunc(names, func(name string) bool { return roughly(name) == rough }):
			like = append(like, item)
		}
	}
	return exact, like
}

// roughly is a number or name as somebody else may have written it: without capitals, punctuation and leading zeros. It
// only serves to be careful, never to find.
func roughly(text string) string {
	var b strings.Builder
	digits := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			digits = false
			continue
		}
		if r == '0' && !digits {
			continue
		}
		digits = unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func sameText(has, sent string) bool {
	a, errA := uuid.Parse(has)
	b, errB := uuid.Parse(sent)
	if errA == nil && errB == nil {
		return a == b
	}
	return strings.TrimSpace(has) == strings.TrimSpace(sent)
}

func idsOf(items []apiclient.ListItem) string {
	return strings.Join(sortedIDs(items), ", ")
}

func sortedIDs(items []apiclient.ListItem) []string {
	ids := map[string]bool{}
	for _, item := range items {
		ids[item.ID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// Listing is a list of the service in two readings. Keys is how many of an item's texts, from the first on, are numbers or names by which
// a record is found; the others hold, in their order, what the members Same of a payload are sent as.
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
	q := Inquiry{Record: record, Operation: x.op, Asked: x.asked, Listing: *x.Listing}
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
