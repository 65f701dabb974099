// Package referencelist saves the lists that the service's list operations return: names and ids that lookups are made
// of.
//
// A list is fetched whole (Store.Fetch) and saved in a file of its own, from which later readers take it
// (Store.Cached): where it came from, when, and its items. A file replaces the older one in a single step, so a reader
// finds one or the other, and a process that dies leaves nothing half written. Only the owner may read it: it holds the
// names of a firm's clients.
//
// A saved list is valid for one service and one way of reading it. A file that was fetched from another address or with
// other settings is not used.
//
// Nothing here decides that an old list is good enough. Store.Current is told how old a list may be, and fails if a
// newer one is needed and the service cannot be asked; whoever uses Store.Cached tells the user how old the list is.
package referencelist

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient"
	"docketsync/importer/atomicfile"
	"docketsync/importer/report/wording"
)

// Store keeps the lists of one service in a folder.
type Store struct {
	Folder  string // created when the first list is saved
	Service string // the address of the service, as the configuration has it
	// Ask reads a list from the service; apiclient's Client.List is the only implementation. It is nil if the service
	// may not be asked.
	Ask func(ctx context.Context, spec apiclient.ListSpec) ([]apiclient.ListItem, error)
	Now func() time.Time // time.Now when nil
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// Fetch asks the service for a list and saves it.
func (s *Store) Fetch(ctx context.Context, spec apiclient.ListSpec) (*List, error) {
	began := s.now().UTC().Truncate(time.Second)
	items, err := s.Ask(ctx, spec)
	if err != nil {
		return nil, err
	}
	list := &List{Name: spec.Name, Fetched: began, Items: items}
	return list, s.save(spec, list)
}

// Current returns the saved list if it is not older than maxAge, and fetches it otherwise.
func (s *Store) Current(ctx context.Context, spec apiclient.ListSpec, maxAge time.Duration) (*List, error) {
	if maxAge > 0 {
		// If anything is wrong with a saved list, a new one is fetched in its place.
		if list, err := s.Cached(spec); err == nil {
			if age := s.now().Sub(list.Fetched); age >= 0 && age <= maxAge {
				return list, nil
			}
		}
	}
	return s.Fetch(ctx, spec)
}

// file is the stored form of a list.
type file struct {
	Service string             `json:"service"`
	Spec    apiclient.ListSpec `json:"spec"`
	Fetched time.Time          `json:"fetched"`
	Items   [][]string         `json:"items"` // id, then the members
}

// MissingError says that there is no usable saved list.
type MissingError struct {
	List string
	Why  string
}

// Error says what is missing and what to do.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the list %s of the service %s\nFetch it with 'docketsync lists refresh %s', or run or plan the job once", e.List, e.Why, e.List)
}

func (s *Store) path(name string) string { return filepath.Join(s.Folder, name+".json") }

// Cached returns the list that was fetched last. The error is a *MissingError if there is no usable one.
func (s *Store) Cached(spec apiclient.ListSpec) (*List, error) {
	missing := func(why string) (*List, error) { return nil, &MissingError{spec.Name, why} }
	text, err := os.ReadFile(s.path(spec.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing("has not been fetched yet")
	case err != nil:
		return nil, fmt.Errorf("the saved list %s cannot be read: %w", spec.Name, err)
	}
	var stored file
	if err := json.Unmarshal(text, &stored); err != nil {
		return missing("cannot be read: its file " + s.path(spec.Name) + " is damaged")
	}
	switch {
	case stored.Service != s.Service:
		return missing("was fetched from another service, " + stored.Service)
	case origin(stored.Spec) != origin(spec):
		return missing("was fetched with other settings")
	}
	list := &List{Name: spec.Name, Fetched: stored.Fetched}
	for _, item := range stored.Items {
		if len(item) != len(spec.Members)+1 {
			return missing("cannot be read: its file " + s.path(spec.Name) + " is damaged")
		}
		list.Items = append(list.Items, apiclient.ListItem{ID: item[0], Texts: item[1:]})
	}
	return list, nil
}

// origin returns what decides which items a list has and what they hold.
func origin(spec apiclient.ListSpec) string {
	return fmt.Sprintf("%q %q %q %q", spec.Path, spec.Items, spec.ID, spec.Members)
}

// save writes the file of a list.
func (s *Store) save(spec apiclient.ListSpec, list *List) error {
	stored := file{Service: s.Service, Spec: spec, Fetched: list.Fetched, Items: make([][]string, len(list.Items))}
	for n, item := range list.Items {
		stored.Items[n] = append([]string{item.ID}, item.Texts...)
	}
	text, err := json.Marshal(stored)
	if err == nil {
		err = os.MkdirAll(s.Folder, 0o700)
	}
	if err == nil {
		err = atomicfile.Put(s.path(spec.Name), 0o600, text)
	}
	if err != nil {
		return fmt.Errorf("the list %s was fetched but cannot be saved: %w", spec.Name, err)
	}
	return nil
}

// List is a list of the service, as it was at one moment.
type List struct {
	Name    string
	Fetched time.Time // when reading began
	// Items have the id and the members that the list's spec names.
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
		return wording.Counted(int(age/time.Minute), "minute")
	case age < 48*time.Hour:
		return wording.Counted(int(age/time.Hour), "hour")
	}
	return wording.Counted(int(age/(24*time.Hour)), "day")
}
