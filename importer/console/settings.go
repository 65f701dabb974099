package console

type settingsView struct {
	Settings []Setting
}

func (s *Server) settings(v *visit) error {
	list, err := s.Work.Settings()
	if err != nil {
		return err
	}
	return v.show("settings", "Settings", settingsView{list})
}
