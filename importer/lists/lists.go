package lists

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient"
)

// List is a list of the service as it was at one moment.
type List struct {
	Name    string
	Fetched time.Time // when the reading of it began
	// Items have the id and the members that the spec of the list names.
	Items []apiclient.ListItem
}

// Digest is the same for lists of equal items, whatever their order.
func (l *List) Digest() string {
	lines := make([]string, len(l.Items))
	for n, item := range l.Items {
		lines[n] = fmt.Sprintf("%q %q", item.ID, item.Texts)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// Age is how long ago the list was fetched, in words: "3 hours".
func (l *List) Age(now time.Time) string {
	age := now.Sub(l.Fetched)
	switch {
	case age < time.Minute:
		return "less than a minute"
	case age < time.Hour:
		return count(int(age/time.Minute), "minute")
	case age < 48*time.Hour:
		return count(int(age/time.Hour), "hour")
	}
	return count(int(age/(24*time.Hour)), "day")
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Store is the lists of one service, kept in a folder.
type Store struct {
	Folder  string // made when the first list is kept
	Service string // the address of the service, as the configuration has it
	// Ask reads a list from the service; apiclient's Client.List is the one there is. nil where the service may not be
	// asked.
	Ask func(ctx context.Context, spec apiclient.ListSpec) (apiclient.Listing, error)
	Now func() time.Time // time.Now when nil
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// Fetch asks the service for a list and keeps it.
func (s *Store) Fetch(ctx context.Context, spec apiclient.ListSpec) (*List, error) {
	began := s.now().UTC().Truncate(time.Second)
	listing, err := s.Ask(ctx, spec)
	if err != nil {
		return nil, err
	}
	list := &List{Name: spec.Name, Fetched: began, Items: listing.Items}
	return list, s.keep(spec, list)
}

// Current returns the list that was kept if it is not older than maxAge, and otherwise fetches it.
func (s *Store) Current(ctx context.Context, spec apiclient.ListSpec, maxAge time.Duration) (*List, error) {
	if maxAge > 0 {
		// Whatever is wrong with a kept list, a new one is fetched in its place.
		if list, err := s.Cached(spec); err == nil {
			if age := s.now().Sub(list.Fetched); age >= 0 && age <= maxAge {
				return list, nil
			}
		}
	}
	return s.Fetch(ctx, spec)
}
