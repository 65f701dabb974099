package apiclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
)

// shelf is a list on a server, as pages are cut from it.
type shelf struct {
	ids   []string
	most  int // items that a page holds at the most, whatever is asked for; 0 for as many as asked
	total bool
}

func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, "id"+strconv.Itoa(i))
	}
	return ids
}

func (s *shelf) page(skip, take int) listPage {
	if s.most > 0 {
		take = min(take, s.most)
	}
	from := min(skip, len(s.ids))
	page := listPage{total: -1}
	if s.total {
		page.total = int64(len(s.ids))
	}
	for _, id := range s.ids[from:min(from+take, len(s.ids))] {
		page.items = append(page.items, ListItem{ID: id, Texts: []string{"name of " + id}})
	}
	return page
}

// readShelf reads a shelf; change is called between two pages.
func readShelf(s *shelf, take int, change func()) (ids []string, requests int, end paging) {
	r := newReading(take)
	for end = pagingMore; end == pagingMore && requests < 1000; requests++ {
		if requests > 0 {
			change()
		}
		end = r.add(s.page(r.skip(), take))
	}
	for _, item := range r.items {
		ids = append(ids, item.ID)
	}
	return ids, requests, end
}

func TestPagesJoinAtEveryBoundary(t *testing.T) {
	t.Parallel()
	for _, total := range []bool{false, true} {
		for _, most := range []int{0, 2, 3} {
			for take := 2; take <= 5; take++ {
				for n := range 14 {
					s := &shelf{ids: numbered(n), most: most, total: total}
					ids, requests, end := readShelf(s, take, func() {})
					if end != pagingEnd || !slices.Equal(ids, s.ids) {
						t.Errorf("%d items by %d (server gives %d, total %t): %v after %d requests, end %d", n, take, most, total, ids, requests, end)
					}
				}
			}
		}
	}
}

// TestTotalThatIsNoTotal reads lists of services that mean something else by total: the items of the page, or a count with a cap.
func TestTotalThatIsNoTotal(t *testing.T) {
	t.Parallel()
	for name, total := range map[string]func(page int) int{
		"items of the page": func(page int) int { return page },
		"a capped count":    func(int) int { return 100 },
	} {
		for _, most := range []int{100, 40} {
			t.Run(fmt.Sprint(name, ", pages of ", most), func(t *testing.T) {
				t.Parallel()
				s := &shelf{ids: numbered(150), most: most}
				server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
					skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
					take, _ := strconv.Atoi(r.URL.Query().Get("take"))
					var items []string
					for _, item := range s.page(skip, take).items {
						items = append(items, fmt.Sprintf(`{"id":%q,"name":"N"}`, item.ID))
					}
					fmt.Fprintf(w, `{"items":[%s],"total":%d}`, strings.Join(items, ","), total(len(items)))
				})
				spec := companies
				spec.Take = 100
				got, err := newClient(t, server.URL).List(t.Context(), spec)
				if err != nil || len(got) != len(s.ids) {
					t.Errorf("%d of %d items, error %v", len(got), len(s.ids), err)
				}
			})
		}
	}
}

// TestPagesOfAChangingList adds and removes items anywhere between two pages: a reading that ends well has every item that
// was there from beginning to end.
func TestPagesOfAChangingList(t *testing.T) {
	t.Parallel()
	whole, torn := 0, 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := &shelf{ids: numbered(2 + random.IntN(20)), total: seed%3 == 0}
		stayed := slices.Clone(s.ids)
		changes := 1 + random.IntN(4)
		change := func() {
			changes--
			at := random.IntN(len(s.ids) + 1)
			if random.IntN(2) == 0 || at == len(s.ids) {
				s.ids = slices.Insert(s.ids, at, fmt.Sprintf("new%d", changes))
				return
			}
			gone := s.ids[at]
			s.ids = slices.Delete(s.ids, at, at+1)
			stayed = slices.DeleteFunc(stayed, func(id string) bool { return id == gone })
		}
		ids, _, end := readShelf(s, 2+random.IntN(5), func() {
			for range min(changes, random.IntN(4)) {
				change()
			}
		})
		if end != pagingEnd {
			torn++
			continue
		}
		whole++
		for _, id := range stayed {
			if !slices.Contains(ids, id) {
				t.Fatalf("seed %d: %s was there all the time and is missing from %v", seed, id, ids)
			}
		}
	}
	if whole < 1000 || torn < 100 {
		t.Errorf("%d readings ended well and %d were given up: the test shows too little", whole, torn)
	}
}

// listed starts a sandbox with so many companies, and the members that its lists have.
func listed(t *testing.T, companies int, faults string) (*sandbox.Server, string) {
	t.Helper()
	text, err := os.ReadFile("sandbox/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	directory, err := sandbox.ReadDirectory(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	directory.Companies = nil
	for n := range companies {
		directory.Companies = append(directory.Companies, sandbox.Company{ID: fmt.Sprintf("d0000000-0000-4000-8000-%012d", n), Name: fmt.Sprintf("Company %d", n)})
	}
	f, err := sandbox.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.Open(sandbox.Options{Directory: directory, SubscriptionKey: testKey, AuthCookie: testCookie, Faults: f})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, box.Close()); err != nil {
			t.Error(err)
		}
	})
	return box, "http://" + listener.Addr().String()
}

var companies = ListSpec{Name: "companies", Path: "/v1/lists/companies", Take: 20, Total: "total", ID: "id", Members: []string{"name"}}

func TestListThroughFaults(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]string{
		"none":                    "",
		"cut connections":         "lists=yes,seed=3,drop_before=0.2,drop_after=0.2,truncate=0.1",
		"failures and busy times": "lists=yes,seed=4,500_before=0.2,503=0.1,html=0.1,empty=0.1",
		"too many requests":       "lists=yes,rate=20,burst=2",
		"cookies that end":        "lists=yes,cookie_after=7",
		"slow":                    "lists=yes,slow=5ms,slow_after=5ms",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, base := listed(t, 430, faults)
			c := newClient(t, base, func(o *Options) {
				o.SignIn = SignIn{Path: "/v1/login", User: "bosei", Password: "battery staple"}
				o.Pace = pace.Options{Concurrency: 4, Fixed: true, Trip: 1000}
			})
			got, err := c.List(t.Context(), companies)
			if err != nil {
				t.Fatal(err)
			}
			for n, item := range got {
				if want := (ListItem{ID: fmt.Sprintf("d0000000-0000-4000-8000-%012d", n), Texts: []string{fmt.Sprint("Company ", n)}}); !cmp.Equal(item, want) {
					t.Fatalf("item %d is %v", n, item)
				}
			}
			if len(got) != 430 {
				t.Errorf("got %d items", len(got))
			}
			stats := c.Stats()
			switch {
			case name == "cookies that end" && stats.Renewals == 0, name == "too many requests" && stats.TooMany == 0,
				strings.Contains(faults, "seed") && stats.Extra == 0:
				t.Errorf("the faults did not strike: %+v", stats)
			}
		})
	}
}

// TestListOfASandboxThatGrows creates cases between the pages.
func TestListOfASandboxThatGrows(t *testing.T) {
	t.Parallel()
	box, base := listed(t, 3, "")
	c := newClient(t, base)
	create := func(n int) {
		r := c.Send(t.Context(), encoded(payload.CreateCase, fmt.Sprintf(`{"name":"A case","number":"%d","active":true,`+
			`"file_template_id":"a0000000-0000-4000-8000-000000000002","user_id":"c0000000-0000-4000-8000-000000000001"}`, n)), false)
		if r.Verdict != Accepted {
			t.Fatal(r.Message)
		}
	}
	for n := range 12 {
		create(n)
	}
	// The page is cut by the real sandbox; a case is created before every request for one.
	proxied := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("skip") != "0" && r.URL.Query().Get("skip") < "3" {
			create(100)
		}
		box.Handler().ServeHTTP(w, r)
	})
	spec := ListSpec{Name: "cases", Path: "/v1/lists/files", Take: 3, Total: "total", ID: "id", Members: []string{"number", "file_template.name"}}
	got, err := newClient(t, proxied.URL).List(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, item := range got {
		numbers = append(numbers, item.Texts[0])
	}
	if want := append(strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11"), "100"); !slices.Equal(numbers[:12], want[:12]) || numbers[12] != "100" {
		t.Errorf("numbers %v", numbers)
	}
	if got[0].Texts[1] == "" {
		t.Error("the name of the template is missing: a dot leads into an object")
	}
}

func TestListsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const two = `[{"id":"a","name":"A"},{"id":"b","name":"B"}]`
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		spec   func(*ListSpec)
		code   Code
		words  string
	}{
		"skip is ignored":      {status(200, two), func(s *ListSpec) { s.Take = 2 }, CodeAnswer, "does not support skip and take for it; check its path; if the service always returns the whole list, set take: 0"},
		"skip ignored, long":   {status(200, two), func(s *ListSpec) { s.Take = 100 }, CodeAnswer, "the service does not support skip and take for it"},
		"always fewer":         {status(200, `{"total":9,"items":`+two+`}`), func(s *ListSpec) { s.Take = 0 }, CodeAnswer, "set service.lists.companies.total"},
		"fewer than it says":   {status(200, `{"total":9,"items":`+two+`}`), func(s *ListSpec) { s.Take = 0 }, CodeAnswer, "it reported 9 items and returned 2 in each of 3 attempts"},
		"not there":            {status(404, `{"message":"no such thing"}`), nil, CodeRefused, "the list companies cannot be read: the service answered 404 Not Found: no such thing; check its path"},
		"no way in":            {status(403, `{}`), nil, CodeSignIn, "the list companies cannot be read: the service rejected the subscription key"},
		"no list in it":        {status(200, `{"rows":[]}`), nil, CodeAnswer, "has no list in items or data; it has rows"},
		"another member":       {status(200, `{"rows":[]}`), func(s *ListSpec) { s.Items = "data" }, CodeAnswer, `no list in the field "data"`},
		"a list, not a member": {status(200, two), func(s *ListSpec) { s.Items = "data" }, CodeAnswer, "is a list"},
		"a text":               {status(200, `"none"`), nil, CodeAnswer, "neither a list nor an object"},
		"items are texts":      {status(200, `["a"]`), nil, CodeAnswer, "not an object"},
		"no id":                {status(200, `[{"ID":"a","name":"A"},{"guid":"b"}]`), nil, CodeAnswer, `item 2 of the page has no id in the field "id"; it has guid`},
		"two ids":              {status(200, `[{"id":"a","ID":"A"},{"id":"b","name":"B","id":"c"}]`), nil, CodeAnswer, `item 2 of the page has two values in the field "id"`},
		"name is an object":    {status(200, `[{"id":"a","name":{}}]`), nil, CodeAnswer, `the field "name" of item 1 is an object or a list, not text`},
		"a redirect":           {status(302, "", "Location", "/login"), nil, CodeRedirect, "redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := companies
			if test.spec != nil {
				test.spec(&spec)
			}
			_, err := newClient(t, answerWith(t, test.answer).URL).List(t.Context(), spec)
			var failure *Error
			if !errors.As(err, &failure) || failure.Code != test.code || !strings.Contains(err.Error()+failure.Hint, test.words) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestListShapes(t *testing.T) {
	t.Parallel()
	want := []ListItem{{ID: "7", Texts: []string{"A"}}, {ID: "b", Texts: []string{""}}}
	for name, test := range map[string]struct {
		answer string
		spec   ListSpec
	}{
		"an array":         {`[{"id":7,"name":"A"},{"id":"b","name":null}]`, ListSpec{ID: "id", Members: []string{"name"}}},
		"data":             {`{"data":[{"id":7,"name":"A"},{"id":"b"}]}`, ListSpec{ID: "id", Members: []string{"name"}}},
		"deep members":     {`{"result":{"rows":[{"key":{"id":7},"name":"A"},{"key":{"id":"b"}}]}}`, ListSpec{Items: "result.rows", ID: "key.id", Members: []string{"name"}}},
		"a byte order":     {"\ufeff" + `{"items":[{"id":7,"name":"A"},{"id":"b"}]}`, ListSpec{ID: "id", Members: []string{"name"}}},
		"other capitals":   {`{"Items":[{"Id":7,"Name":"A"},{"Id":"b"}]}`, ListSpec{ID: "id", Members: []string{"name"}}},
		"a dot in a name":  {`[{"id":7,"n.m":"A"},{"id":"b"}]`, ListSpec{ID: "id", Members: []string{"n.m"}}},
		"one item no more": {`{"total":2,"items":[{"id":7,"name":"A"},{"id":"b"}]}`, ListSpec{ID: "id", Total: "total", Take: 50, Members: []string{"name"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.spec.Name, test.spec.Path = "x", "/x"
			got, err := newClient(t, answerWith(t, status(200, test.answer)).URL).List(t.Context(), test.spec)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestListRequest shows what goes out: a GET with the two headers and no body, paged.
func TestListRequest(t *testing.T) {
	t.Parallel()
	var seen []string
	server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.Method, " ", r.URL, " ", r.ContentLength, " ", r.Header.Get("subscription-key") == testKey, r.Header.Get(defaultCookieHeader) == testCookie, r.Header.Get("Content-Type")))
		ids := map[string]string{"0": `[{"id":1},{"id":2}]`, "1": `[{"id":2},{"id":3}]`, "2": `[{"id":3}]`}
		_, _ = w.Write([]byte(ids[r.URL.Query().Get("skip")]))
	})
	got, err := newClient(t, server.URL).List(t.Context(), ListSpec{Name: "x", Path: "/x", Take: 2, ID: "id"})
	if err != nil || len(got) != 3 {
		t.Fatalf("%v %v", got, err)
	}
	want := []string{"GET /x?skip=0&take=2 0 true true", "GET /x?skip=1&take=2 0 true true", "GET /x?skip=2&take=2 0 true true"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestListEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	_, base := listed(t, 5, "lists=yes,503=1")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := newClient(t, base).List(ctx, companies); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
