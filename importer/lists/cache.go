package lists

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"docketsync/apiclient"
)

// kept is the file of a list.
type kept struct {
	Service string             `json:"service"`
	Spec    apiclient.ListSpec `json:"spec"`
	Fetched time.Time          `json:"fetched"`
	Items   [][]string         `json:"items"` // id, then the members
}

// MissingError says that a list is not at hand without asking the service.
type MissingError struct {
	List string
	Why  string
}

// Error says what is missing and what to do.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the list %s of the service %s\nFetch it with 'docketsync lists refresh %s', or run or plan the job once", e.List, e.Why, e.List)
}

func (s *Store) path(name string) string { return filepath.Join(s.Folder, name+".json") }

// Cached returns the list that was fetched last. The error is a *MissingError when there is none that could be used.
func (s *Store) Cached(spec apiclient.ListSpec) (*List, error) {
	missing := func(why string) (*List, error) { return nil, &MissingError{spec.Name, why} }
	text, err := os.ReadFile(s.path(spec.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing("has not been fetched yet")
	case err != nil:
		return nil, fmt.Errorf("the list %s as it was fetched cannot be read: %w", spec.Name, err)
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return missing("was kept in " + s.path(spec.Name) + ", which is damaged")
	}
	switch {
	case k.Service != s.Service:
		return missing("was fetched from another service, " + k.Service)
	case source(k.Spec) != source(spec):
		return missing("is configured otherwise since it was fetched")
	}
	list := &List{Name: spec.Name, Fetched: k.Fetched}
	for _, item := range k.Items {
		if len(item) != len(spec.Members)+1 {
			return missing("was kept in " + s.path(spec.Name) + ", which is damaged")
		}
		list.Items = append(list.Items, apiclient.ListItem{ID: item[0], Texts: item[1:]})
	}
	return list, nil
}

// source is what decides which items a list has and what they hold.
func source(spec apiclient.ListSpec) string {
	return fmt.Sprintf("%q %q %q %q", spec.Path, spec.Items, spec.ID, spec.Members)
}

// keep writes the file of a list.
func (s *Store) keep(spec apiclient.ListSpec, list *List) error {
	k := kept{Service: s.Service, Spec: spec, Fetched: list.Fetched, Items: make([][]string, len(list.Items))}
	for n, item := range list.Items {
		k.Items[n] = append([]string{item.ID}, item.Texts...)
	}
	text, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(s.Folder, 0o700)
	}
	if err == nil {
		err = replace(s.path(spec.Name), text)
	}
	if err != nil {
		return fmt.Errorf("the list %s was fetched and cannot be kept: %w", spec.Name, err)
	}
	return nil
}

// replace puts a file in the place of another in one step. Temporary files are readable by their owner alone.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
