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
	// Over is how long before the readings the last request for the record is known to have ended, by one clock.
	Over time.Duration
	// Asked is when the first of the two readings began.
	Asked time.Time
	Listing
	// Holders are the records whose ids in the list the ledger knows.
	Holders map[string][]ledger.Identity
	// Made are the ids that the service gave to recently created records. A list without them is incomplete, or another
	// service's.
	Made []string
}

// Finding is what follows from an inquiry. Leave means that it is not certain. Why always says what was seen.
type Finding struct {
	Decision ledger.Decision
	ID       string
	Why      string
}

// Answer is the result of asking the service about one record in doubt.
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

// ListOf returns the list that would have a record of the operation, and the member of the payload by which it is
// found. It returns "" for updates: a list shows what exists, not whether it was updated.
func ListOf(op payload.Operation) (list, member string) {
	about := op.About()
	if about.List == "" {
		return "", ""
	}
	return about.List, about.Key
}

// Find decides what an inquiry shows, and is certain only if nothing else can be the case:
//   - The record exists if exactly one item has its number (or name), in both readings; that item also agrees in
//     everything else that can be compared; no other item is spelled like it; and its id is not that of another record
//     of ours.
//   - It does not exist if no item has its number or anything like it, both readings show the same items, the recently
//     created records are among them, and the record was first looked for at least settleAfter ago: lists lag behind,
//     and a service may still be working on a request whose connection broke. The time at which it was sent does not
//     count, because that is by the clock of the machine that sent it.
//   - Everything else is left in doubt. So is every update: no list has its fields, a case that an update of a mark
//     made cannot be told from others, and goods and services entries are not listed with what made them.
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

// sent returns the text or number that was sent as a member of the payload.
func (q Inquiry) sent(member string) string { return payload.Text(q.Record.Sent(), member) }

func left(format string, args ...any) Finding {
	return Finding{Decision: ledger.Leave, Why: fmt.Sprintf(format, args...)}
}

// Candidates returns the ids of the items that have the record's number or name.
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
		// If it was not sent, the service chose the value itself.
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

// absent decides if no item has the record's number or name, or anything like it.
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

// lacks returns the ids of recently created records that the list does not have.
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

// matches returns the items that have a number or name exactly as it was sent, and those that spell it differently.
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

// roughly returns a number or name as somebody else may have written it: without capitals, punctuation and leading
// zeros. It only serves to be careful, never to find.
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

// Listing is a list of the service in two readings. Keys is how many of an item's texts, from the first, are numbers or
// names by which a record is found. The others are, in order, the values of the payload's members Same.
type Listing struct {
	First, Second []apiclient.ListItem
	Keys          int
	Same          []string
}

// Index finds the items of a listing by the rough spelling of their numbers or names.
type Index struct {
	*Listing
	op            payload.Operation
	asked         time.Time
	first, second map[string][]apiclient.ListItem
}

// Index returns the index for records of an operation. asked is when the first of the two readings began.
func (l *Listing) Index(op payload.Operation, asked time.Time) *Index {
	return &Index{Listing: l, op: op, asked: asked, first: l.like(l.First), second: l.like(l.Second)}
}

// Ask returns the inquiry about a record, with only the items that are spelled like it, which may be none.
func (x *Index) Ask(record ledger.Record) Inquiry {
	_, member := ListOf(x.op)
	q := Inquiry{Record: record, Operation: x.op, Asked: x.asked, Listing: *x.Listing}
	rough := roughly(q.sent(member))
	q.First, q.Second = x.first[rough], x.second[rough]
	return q
}

// like returns the items of a reading by the rough spelling of their numbers or names.
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
