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
	{"In doubt", "/doubts", Viewer},
	{"Find a record", "/records", Viewer},
	{"Import a file", "/import", Operator},
	{"Settings", "/settings", Viewer},
	{"Who did what", "/audit", Viewer},
	{"Sessions", "/sessions", Operator},
}

func (s *Server) routes() {
	s.get("/{$}", Viewer, s.overview)
	s.get("/runs", Viewer, s.listRuns)
	s.get("/runs/{run}", Viewer, s.run)
	s.get("/runs/{run}/files/{file}", Viewer, s.file)
	s.post("/runs/{run}/files", Operator, "write_files", s.rewrite)
	s.workRoutes()
	s.get("/settings", Viewer, s.settings)
	s.get("/audit", Viewer, s.audit)
	s.get("/audit/export", Viewer, s.exportAudit)
	s.get("/sessions", Operator, s.listSessions)
	s.post("/sessions", Operator, "end_session", s.endSession)
	s.intakeRoutes()

	s.get("/sign-in", Anybody, s.signInPage)
	s.mux.HandleFunc("POST /sign-in", s.signIn)
	s.get("/sign-in/provider", Anybody, s.toProvider)
	s.get(callbackPath, Anybody, s.fromProvider)
	s.post("/sign-out", Viewer, "sign_out", s.signOut)

	s.mux.HandleFunc("GET /assets/{name}", answerAsset)
	s.get("/", Anybody, s.nowhere)
}

// nowhere answers what there is no page for.
func (s *Server) nowhere(*visit) error {
	return refuse(404, "There is no such page.", "The menu leads to those that there are.")
}
