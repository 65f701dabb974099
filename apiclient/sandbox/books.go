package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Books is all that a sandbox holds, in an order that does not depend on when it came: cases by origin, first number and
// name, folders by name, trademarks by id. Nothing in it tells of times; ids that the sandbox gave are in members named
// ID alone, so that the books of two sandboxes can be compared once those are blanked.
type Books struct {
	Cases      []HeldCase      `json:"cases"`
	Folders    []HeldFolder    `json:"folders"`
	Trademarks []HeldTrademark `json:"trademarks"`
}

// HeldCase is a case as it stands now. FirstNumber is the number it was created with.
type HeldCase struct {
	ID          string          `json:"id"`
	Origin      Operation       `json:"origin"`
	FirstNumber string          `json:"first_number"`
	Number      string          `json:"number"`
	Name        string          `json:"name"`
	Active      bool            `json:"active"`
	Template    string          `json:"template"`
	Owner       string          `json:"owner"`
	Status      string          `json:"status"`
	Client      string          `json:"client"`
	Supervisors json.RawMessage `json:"supervisors"`
	Tags        json.RawMessage `json:"tags"`
	Components  json.RawMessage `json:"components"`
	Folder      string          `json:"folder"`    // its name
	Trademark   string          `json:"trademark"` // the id of the one whose update made the case
}

// HeldFolder is a folder with the number of files it was created with; the files are among the cases.
type HeldFolder struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Client string `json:"client"`
	Files  int    `json:"files"`
}

// HeldTrademark is a trademark of the directory as it stands now. Members are those that were ever sent, in alphabetical
// order; Goods are in the order of language, class and text.
type HeldTrademark struct {
	ID       string          `json:"id"`
	MarkText string          `json:"mark_text"`
	Registry string          `json:"registry"`
	Number   string          `json:"number"`
	Members  json.RawMessage `json:"members"`
	Updates  int             `json:"updates"`
	Goods    []HeldGoods     `json:"goods"`
}

// HeldGoods is an entry of a trademark's goods and services.
type HeldGoods struct {
	ID       string `json:"id"`
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	Text     string `json:"text"`
}

// Books reads everything into memory: it is for sandboxes of a test's size. The three lists are read one after the
// other, so they agree with each other only while nothing is sent.
func (s *Server) Books(ctx context.Context) (Books, error) {
	b := Books{Cases: []HeldCase{}, Folders: []HeldFolder{}, Trademarks: []HeldTrademark{}}
	err := s.store.view(ctx, func(q querier) error {
		return errors.Join(b.readCases(ctx, q), b.readFolders(ctx, q), b.readTrademarks(ctx, q))
	})
	return b, err
}

func (b *Books) readCases(ctx context.Context, q querier) error {
	return each(ctx, q, `select c.id, c.origin, c.first_number, c.number, c.name, c.active, c.template, c.owner, c.status, c.client,
		c.supervisors, c.tags, c.components, coalesce(f.name, ''), c.trademark
		from cases c left join folders f on f.id = c.folder order by c.origin, c.first_number, c.name, c.seq`, func(scan func(...any) error) error {
		var c HeldCase
		err := scan(&c.ID, &c.Origin, &c.FirstNumber, &c.Number, &c.Name, &c.Active, &c.Template, &c.Owner, &c.Status, &c.Client,
			(*[]byte)(&c.Supervisors), (*[]byte)(&c.Tags), (*[]byte)(&c.Components), &c.Folder, &c.Trademark)
		b.Cases = append(b.Cases, c)
		return err
	})
}

func (b *Books) readFolders(ctx context.Context, q querier) error {
	return each(ctx, q, `select id, name, client, (select count(*) from cases where folder = folders.id) from folders order by name, seq`,
		func(scan func(...any) error) error {
			var f HeldFolder
			err := scan(&f.ID, &f.Name, &f.Client, &f.Files)
			b.Folders = append(b.Folders, f)
			return err
		})
}

func (b *Books) readTrademarks(ctx context.Context, q querier) error {
	goods := map[string][]HeldGoods{}
	err := each(ctx, q, `select trademark, id, language, search_class, body from goods order by trademark, language, search_class, body, seq`,
		func(scan func(...any) error) error {
			var mark string
			var g HeldGoods
			err := scan(&mark, &g.ID, &g.Language, &g.Class, &g.Text)
			goods[mark] = append(goods[mark], g)
			return err
		})
	if err != nil {
		return err
	}
	return each(ctx, q, `select id, mark_text, registry, number, members, updates from trademarks order by id`, func(scan func(...any) error) error {
		t := HeldTrademark{}
		err := scan(&t.ID, &t.MarkText, &t.Registry, &t.Number, (*[]byte)(&t.Members), &t.Updates)
		t.Goods = append([]HeldGoods{}, goods[t.ID]...)
		b.Trademarks = append(b.Trademarks, t)
		return err
	})
}

// books answers GET /v1/sandbox/books.
func (s *Server) books(w http.ResponseWriter, r *http.Request) {
	b, err := s.Books(r.Context())
	if err != nil {
		refusal(http.StatusInternalServerError, "", "the sandbox cannot read its data: %v", err).write(w)
		return
	}
	answer{status: http.StatusOK, body: b}.write(w)
}
