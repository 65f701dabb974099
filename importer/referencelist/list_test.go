package referencelist_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient"
	"docketsync/importer/referencelist"
)

var companies = apiclient.ListSpec{Name: "companies", Path: "/v1/lists/companies", Take: 100, ID: "id", Members: []string{"name", "short"}}

// shop is a store whose service answers as the test says, at a time that the test says.
type shop struct {
	referencelist.Store
	items []apiclient.ListItem
	err   error
	asked int
	time  time.Time
}

func newShop(t *testing.T) *shop {
	s := &shop{time: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), items: []apiclient.ListItem{{ID: "1", Texts: []string{"Acme", ""}}, {ID: "2", Texts: []string{"Åker", "Å"}}}}
	s.Store = referencelist.Store{Folder: filepath.Join(t.TempDir(), "deep", "lists"), Service: "https://service.example", Now: func() time.Time { return s.time },
		Ask: func(context.Context, apiclient.ListSpec) ([]apiclient.ListItem, error) {
			s.asked++
			return s.items, s.err
		}}
	return s
}

func TestWhatWasFetchedIsKept(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	fetched, err := s.Fetch(t.Context(), companies)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Cached(companies)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fetched, kept); diff != "" {
		t.Errorf("kept (-fetched +kept):\n%s", diff)
	}
	files, err := os.ReadDir(s.Folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestKeptListsThatCountAsNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*shop, *apiclient.ListSpec)
		why    string
	}{
		"another service": {func(s *shop, _ *apiclient.ListSpec) { s.Service = "https://other.example" }, "was fetched from another service, https://service.example"},
		"another path":    {func(_ *shop, spec *apiclient.ListSpec) { spec.Path = "/v2/companies" }, "was fetched with other settings"},
		"another member":  {func(_ *shop, spec *apiclient.ListSpec) { spec.Members = []string{"name", "long"} }, "was fetched with other settings"},
		"not fetched":     {func(_ *shop, spec *apiclient.ListSpec) { spec.Name = "users" }, "has not been fetched yet"},
		"a damaged file": {func(s *shop, _ *apiclient.ListSpec) {
			if err := os.WriteFile(filepath.Join(s.Folder, "companies.json"), []byte(`{"service":`), 0o600); err != nil {
				panic(err)
			}
		}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, spec := newShop(t), companies
			if _, err := s.Fetch(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			test.change(s, &spec)
			_, err := s.Cached(spec)
			var missing *referencelist.MissingError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), test.why) || !strings.Contains(err.Error(), "docketsync lists refresh "+spec.Name) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("a page may be larger since", func(t *testing.T) {
		t.Parallel()
		s, spec := newShop(t), companies
		if _, err := s.Fetch(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		spec.Take = 500
		if _, err := s.Cached(spec); err != nil {
			t.Error(err)
		}
	})
}

func TestCurrentFetchesWhatIsTooOld(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		maxAge, later time.Duration
		asked         int
	}{
		"every time unless said otherwise": {0, 0, 2},
		"young enough":                     {time.Hour, time.Hour, 1},
		"too old":                          {time.Hour, time.Hour + time.Second, 2},
		"from the future":                  {time.Hour, -time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			for range 2 {
				if _, err := s.Current(t.Context(), companies, test.maxAge); err != nil {
					t.Fatal(err)
				}
				s.time = s.time.Add(test.later)
			}
			if s.asked != test.asked {
				t.Errorf("the service was asked %d times, want %d", s.asked, test.asked)
			}
		})
	}
}

// TestOldListsAreNotUsedInSecret shows that a service which does not answer is an error, with a list at hand that is too old.
func TestOldListsAreNotUsedInSecret(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if _, err := s.Fetch(t.Context(), companies); err != nil {
		t.Fatal(err)
	}
	s.time, s.err = s.time.Add(2*time.Hour), errors.New("no answer")
	if list, err := s.Current(t.Context(), companies, time.Hour); !errors.Is(err, s.err) {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := s.Cached(companies); err != nil || list.Age(s.time) != "2 hours" {
		t.Errorf("the kept list is gone: %v", err)
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		59 * time.Second: "less than a minute", time.Minute: "1 minute", 59 * time.Minute: "59 minutes", time.Hour: "1 hour",
		47 * time.Hour: "47 hours", 48 * time.Hour: "2 days",
	} {
		if got := (&referencelist.List{Fetched: at.Add(-age)}).Age(at); got != want {
			t.Errorf("%s is %q, want %q", age, got, want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	a := referencelist.List{Name: "a", Items: []apiclient.ListItem{{ID: "1", Texts: []string{"A"}}, {ID: "2", Texts: []string{"B"}}}}
	b := referencelist.List{Name: "b", Fetched: time.Now(), Items: []apiclient.ListItem{a.Items[1], a.Items[0]}}
	if a.Digest() != b.Digest() {
		t.Error("order, name and time change the digest")
	}
	b.Items[0].Texts = []string{"b"}
	if a.Digest() == b.Digest() {
		t.Error("a changed name does not change the digest")
	}
}
