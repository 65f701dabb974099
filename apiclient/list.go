package apiclient

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// Limits on reading a list, whatever a server does.
const (
	listRequestsLimit = 10_000  // requests for one reading
	listItemsLimit    = 500_000 // items of one list: they are held in memory
	listReadings      = 3       // readings of a changing list before giving up
)

// ListSpec says how one list operation of the service is called, and where its answers hold what is wanted.
// interface.md shows no list, so all of it comes from the configuration.
type ListSpec struct {
	Name string // the list's name in messages
	Path string // below BaseURL, beginning with "/"
	// Take is how many items a page should hold, at least 2. With 0 there is a single request without skip and take,
	// for a list that the service returns whole.
	Take int
	// Items is the member that holds the items. It is "" for an answer that is an array, or that has the items in items
	// or data.
	Items string
	// Total is the member that says how many items there are in all pages: a list with fewer is incomplete. It is
	// ignored if answers lack it.
	Total string
	// ID is the member of an item that holds its id.
	ID string
	// Members are the wanted members of an item. A dot leads into an object: "client.name".
	Members []string
	// Whole says that each item is also returned as it is (ListItem.Object).
	Whole bool `json:"-"`
}

// ListItem is one item of a list. Texts holds the values of ListSpec.Members in order: texts as they are, numbers digit
// by digit, "" for null and missing members.
type ListItem struct {
	ID    string
	Texts []string
	// Object is the item as JSON, if ListSpec.Whole asks for it. It is not compared.
	Object []byte
}

// List reads a list operation to its end and returns its items in the service's order, each once. The error is an
// *Error; its Code is CodeAnswer if the answers do not match the spec.
//
// Every page but the first is requested so that it begins with the last item of the page before. As long as it contains
// an item seen before, no item can have slipped between the two. If it does not, items were removed meanwhile, and the
// list is read again from the beginning, three times at most. Items that are added meanwhile may or may not be missing.
// A short page is not taken for the end, because a server may return fewer items than requested. Nor is the service's
// total, which may count something else. The end is where nothing follows the last item; the total only shows that a
// list is too short.
func (c *Client) List(ctx context.Context, spec ListSpec) ([]ListItem, error) {
	return c.untorn(ctx, spec, func() error { return nil }, nil)
}

// Walk reads a list operation to its end without keeping it. It calls page with the items that each page adds, and
// begin before the first page and whenever it reads a changed list again from the beginning. An item may come twice.
// Otherwise Walk is like List, except that a page must contain an item of the page directly before it.
func (c *Client) Walk(ctx context.Context, spec ListSpec, begin func() error, page func([]ListItem) error) error {
	_, err := c.untorn(ctx, spec, begin, page)
	return err
}

// untorn reads a list until nothing can be missing; see readPages.
func (c *Client) untorn(ctx context.Context, spec ListSpec, begin func() error, each func([]ListItem) error) ([]ListItem, error) {
	var torn []string
	for range listReadings {
		if err := begin(); err != nil {
			return nil, err
		}
		items, why, err := c.readPages(ctx, spec, each)
		if err != nil || why == "" {
			return items, err
		}
		torn = append(torn, why)
	}
	hint := "try again when there are fewer changes in the service"
	if len(slices.Compact(slices.Clone(torn))) == 1 {
		hint += fmt.Sprintf("; or, if its total is not the number of its items, set service.lists.%s.total to a member that is, or to one that the answer does not have", spec.Name)
	}
	return nil, &Error{Code: CodeAnswer, Message: fmt.Sprintf("the list %s cannot be read completely: %s in each of %d attempts", spec.Name, torn[len(torn)-1], len(torn)), Hint: hint}
}

// readPages makes one reading. torn, if not empty, says why items may be missing. each, if not nil, receives what every
// page adds; it is not kept then.
func (c *Client) readPages(ctx context.Context, spec ListSpec, each func([]ListItem) error) (items []ListItem, torn string, err error) {
	r := newReading(spec.Take)
	for request := 1; ; request++ {
		if request > listRequestsLimit || len(r.items) > listItemsLimit {
			return nil, "", &Error{Code: CodeAnswer,
				Message: fmt.Sprintf("the list %s has not ended after %d requests and %d items", spec.Name, request-1, len(r.items)),
				Hint:    "check its path and paging (skip and take)"}
		}
		page, err := c.listPage(ctx, spec, r.skip())
		if err != nil {
			return nil, "", err
		}
		verdict := r.add(page)
		if each != nil {
			if err := each(r.handOver(page.items)); err != nil {
				return nil, "", err
			}
		}
		switch verdict {
		case pagingMore:
		case pagingEnd:
			return r.items, "", nil
		case pagingTorn:
			return nil, "items changed position while it was read", nil
		case pagingShort:
			return nil, fmt.Sprintf("it reported %d items and returned %d", page.total, r.at), nil
		case pagingStuck:
			return nil, "", &Error{Code: CodeAnswer,
				Message: fmt.Sprintf("the list %s returned its first items again with skip %d: the service does not support skip and take for it", spec.Name, r.skip()),
				Hint:    "check its path; if the service always returns the whole list, set take: 0"}
		}
	}
}

// listPage requests one page.
func (c *Client) listPage(ctx context.Context, spec ListSpec, skip int) (listPage, error) {
	d := &delivery{client: c, operation: opList, repeatable: true, harmless: true, address: c.base + spec.Path}
	if spec.Take > 0 {
		d.address += "?skip=" + strconv.Itoa(skip) + "&take=" + strconv.Itoa(spec.Take)
	}
	d.cookie = c.session.possible()
	d.deliver(ctx)
	if d.result.Verdict == Accepted {
		return c.cleanPage(readListPage(spec, d.answer))
	}
	failure, ok := d.result.Err.(*Error)
	if !ok {
		return listPage{}, d.result.Err
	}
	failure.Message = "the list " + spec.Name + " cannot be read: " + failure.Message
	if failure.Hint == "" && failure.Code == CodeRefused {
		failure.Hint = "check its path and the user's permissions"
	}
	return listPage{}, failure
}

// cleanPage removes secrets from a page. An item whose id contains a secret is an error.
func (c *Client) cleanPage(page listPage, err error) (listPage, error) {
	if failure, ok := err.(*Error); ok {
		failure.Message = c.secrets.clean(failure.Message)
		return page, failure
	}
	for _, item := range page.items {
		if c.secrets.in(item.ID) {
			return page, &Error{Code: CodeAnswer, Message: "an id in the list contains a sign-in secret", Hint: "ask the operator of the service"}
		}
		for i, text := range item.Texts {
			item.Texts[i] = c.secrets.clean(text)
		}
		if c.secrets.in(string(item.Object)) {
			return page, &Error{Code: CodeAnswer, Message: "an item of the list contains a sign-in secret", Hint: "ask the operator of the service"}
		}
	}
	return page, err
}
