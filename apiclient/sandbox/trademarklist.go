package sandbox

import (
	"context"
	"encoding/json"
)

// listedTrademark is a trademark in a list: every member as it was last sent, and the goods and services with their ids.
type listedTrademark struct {
	ID         string                     `json:"id"`
	MarkText   string                     `json:"mark_text"`
	RegistryID string                     `json:"registry_id"`
	Updates    int64                      `json:"updates"`
	Members    map[string]json.RawMessage `json:"members"`
	Goods      []goodsRow                 `json:"good_and_services"`
}

func (s *Server) trademarkList(ctx context.Context, at window) (list, error) {
	l, marks := list{}, []listedTrademark{}
	err := s.store.view(ctx, func(q querier) error {
		err := q.QueryRowContext(ctx, `select count(*) from trademarks`+where(at.key, "number"), keyArgs(at.key)...).Scan(&l.Total)
		if err != nil {
			return err
		}
		marks, err = trademarks(ctx, q, at)
		return err
	})
	l.Items = marks
	return l, err
}

func trademarks(ctx context.Context, q querier, at window) ([]listedTrademark, error) {
	marks := []listedTrademark{}
	err := each(ctx, q, `select id, mark_text, registry, updates, members from trademarks`+where(at.key, "number")+` order by seq limit ? offset ?`,
		func(scan func(...any) error) error {
			m := listedTrademark{Goods: []goodsRow{}}
			var members []byte
			if err := scan(&m.ID, &m.MarkText, &m.RegistryID, &m.Updates, &members); err != nil {
				return err
			}
			marks = append(marks, m)
			return json.Unmarshal(members, &marks[len(marks)-1].Members)
		}, append(keyArgs(at.key), at.take, at.skip)...)
	if err != nil {
		return nil, err
	}
	for i := range marks {
		if marks[i].Goods, err = goodsOf(ctx, q, marks[i].ID); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

func goodsOf(ctx context.Context, q querier, trademark string) ([]goodsRow, error) {
	goods := []goodsRow{}
	err := each(ctx, q, `select id, language, search_class, body from goods where trademark = ? order by seq`,
		func(scan func(...any) error) error {
			var g goodsRow
			err := scan(&g.ID, &g.Language, &g.SearchClass, &g.Text)
			goods = append(goods, g)
			return err
		}, trademark)
	return goods, err
}
