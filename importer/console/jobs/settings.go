package jobs

import "docketsync/importer/console/web"

type settingsView struct {
	Settings []Setting
}

func (p *Pages) settings(r *web.Request) error {
	list, err := p.Work.Settings()
	if err != nil {
		return err
	}
	return r.Show("settings", "Settings", settingsView{list})
}
