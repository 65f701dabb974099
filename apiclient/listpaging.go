package apiclient

import (
	"cmp"
	"strings"
)

// paging says what follows after a page of a list.
type paging uint8

const (
	pagingMore  paging = iota // request the next page
	pagingEnd                 // that was all
	pagingTorn                // the list changed, so items may have been missed
	pagingShort               // it ended before the total that the service gave
	pagingStuck               // the server ignores skip
)

// reading puts the pages of a list together. It has no clock or connection: what a page means depends only on the pages
// before it.
type reading struct {
	take  int
	at    int // position after the last item of the last page
	items []ListItem
	ids   map[string]bool // of items
	known map[string]bool // whole items
	first string          // id of the first item
	last  string          // id of the last new item
}

func newReading(take int) *reading {
	return &reading{take: take, ids: map[string]bool{}, known: map[string]bool{}}
}

// skip returns where the next page should begin: at the last item of the page before. After a page with a single item
// nothing is repeated, because a server that ignores skip would look like one that does not.
func (r *reading) skip() int {
	if r.at < 2 {
		return r.at
	}
	return r.at - 1
}

// add takes the page that was requested at skip.
func (r *reading) add(page listPage) paging {
	began := r.at == 0
	seen := 0
	for _, item := range page.items {
		if r.ids[item.ID] {
			seen++
		}
	}
	if verdict := r.follows(page, began, seen); verdict != pagingMore {
		return verdict
	}
	last := r.last
	fresh := r.keep(page.items)
	r.at = r.skip() + len(page.items)
	switch {
	case r.take == 0, len(page.items) == 0, !began && !fresh && len(page.items) == 1 && page.items[0].ID == last:
		if int64(r.at) < page.total { // reaching it proves nothing: it may count only the page, or stop at a cap
			return pagingShort
		}
		return pagingEnd // the last item stands alone, so nothing follows it
	case began || fresh:
		return pagingMore
	case len(page.items) == 1:
		return pagingTorn // an earlier item stands here alone: the list has become shorter
	}
	return pagingMore // items were inserted before: what follows comes with the next page
}

// follows says whether a page can be joined to those before it.
func (r *reading) follows(page listPage, began bool, seen int) paging {
	switch {
	case began:
		return pagingMore
	case len(page.items) == 0 && r.at == 1:
		return pagingMore // there was a single item, and nothing follows it
	case len(page.items) == 0:
		return pagingTorn
	case page.items[0].ID == r.first && seen == len(page.items) && seen < r.take && int64(seen) == page.total && seen == r.at:
		return pagingEnd // the whole list again, from a service that always returns it whole
	case page.items[0].ID == r.first && seen == len(page.items):
		return pagingStuck
	case seen == 0:
		return pagingTorn
	}
	return pagingMore
}

// handOver returns the new items of the last page and forgets all but that page, which the next one must join.
func (r *reading) handOver(page []ListItem) []ListItem {
	items := r.items
	r.items = nil
	clear(r.ids)
	clear(r.known)
	for _, item := range page {
		r.known[item.whole()], r.ids[item.ID] = true, true
	}
	return items
}

// whole returns what an item is recognized by.
func (i ListItem) whole() string { return i.ID + "\x00" + strings.Join(i.Texts, "\x00") }

// keep adds the new items and reports whether there were any.
func (r *reading) keep(items []ListItem) (fresh bool) {
	for _, item := range items {
		whole := item.whole()
		if r.known[whole] {
			continue
		}
		r.first = cmp.Or(r.first, item.ID)
		r.known[whole], r.ids[item.ID] = true, true
		r.items = append(r.items, item)
		r.last, fresh = item.ID, true
	}
	return fresh
}
