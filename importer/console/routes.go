package console

// section is a line of the menu.
type section struct {
	Title string
	Path  string
	Needs Role
}

// menu is what every page shows on top. A page is added here, in routes, and as a file of its own beside a template in pages.
var menu = []section{
	{"Today", "/", Viewer},
	{"Runs", "/runs", Viewer},
	{"Settings", "/settings", Viewer},
	{"Who did what", "/audit", Viewer},
}

func (s *Server) routes() {
	s.get("/{$}", Viewer, s.overview)
	s.get("/runs", Viewer, s.listRuns)
	s.get("/runs/{run}", Viewer, s.run)
	s.get("/runs/{run}/files/{file}", Viewer, s.file)
	s.get("/settings", Viewer, s.settings)
	s.get("/audit", Viewer, s.audit)

	s.get("/sign-in", Anybody, s.signInPage)
	s.mux.HandleFunc("POST /sign-in", s.signIn)
	s.post("/sign-out", Viewer, "sign_out", s.signOut)

	s.mux.Handle("GET /assets/", assetHandler())
	s.get("/", Anybody, s.nowhere)
}

// nowhere answers what there is no page for.
func (s *Server) nowhere(*visit) error {
	return refuse(404, "There is no such page.", "The menu leads to those that there are.")
}
