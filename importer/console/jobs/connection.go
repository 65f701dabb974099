package jobs

import "docketsync/importer/console/web"

// Finding is what one check of the connection found out.
type Finding struct {
	Check        string
	State        string // ok, warning, failed or not_tried
	Said, Advice string
}

// Word is the state for people.
func (f Finding) Word() string {
	return map[string]string{"ok": "OK", "warning": "Warning", "failed": "Failed", "not_tried": "Not tried"}[f.State]
}

// connectionView is the page before anything was tried, and with what was found.
type connectionView struct {
	Tried    bool
	Findings []Finding
	Failed   int
	Warnings int
}

func (p *Pages) connection(r *web.Request) error {
	return r.Show("connection", "Connection", connectionView{})
}

// tryConnection shows what was found where it was asked for: it is true of now, and kept nowhere.
func (p *Pages) tryConnection(r *web.Request) error {
	found, err := p.Work.Connection(r.Context())
	if err != nil {
		return err
	}
	view := connectionView{Tried: true, Findings: found}
	for _, f := range found {
		switch f.State {
		case "failed":
			view.Failed++
		case "warning":
			view.Warnings++
		}
	}
	return r.Show("connection", "Connection", view)
}
