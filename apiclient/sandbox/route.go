package sandbox

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"strings"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI gives the OpenAPI 3.1 description of interface.md, with the default paths.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// route builds the table of paths. Paths from the configuration may be wrong, which ServeMux tells by a panic.
func (s *Server) route() (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("sandbox paths: %v", trouble)
		}
	}()
	mux, paths := http.NewServeMux(), s.options.Paths
	for _, r := range []struct {
		operation    Operation
		method, path string
		read         reader
	}{
		{CreateCase, http.MethodPost, paths.CreateCase, (*Server).createCase},
		{CreateFolder, http.MethodPost, paths.CreateFolder, (*Server).createFolder},
		{UpdateCase, http.MethodPut, paths.UpdateCase, (*Server).updateCase},
		{UpdateTrademark, http.MethodPut, paths.UpdateTrademark, (*Server).updateTrademark},
	} {
		if !strings.HasPrefix(r.path, "/") {
			return fmt.Errorf("sandbox paths: %s: %q must start with /", r.operation, r.path)
		}
		mux.Handle(r.method+" "+r.path, s.operation(r.operation, r.read))
	}
	s.routeAdditions(mux)
	s.handler = inJSON(mux)
	return nil
}

// inJSON gives the answers of ServeMux to unknown paths and wrong methods the form of all other refusals.
func inJSON(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		probe := &statusProbe{header: http.Header{}}
		mux.ServeHTTP(probe, r)
		if allow := probe.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
			refusal(http.StatusMethodNotAllowed, "", "%s is not allowed at %s; allowed: %s", r.Method, r.URL.Path, allow).write(w)
			return
		}
		refusal(http.StatusNotFound, "", "there is nothing at %s", r.URL.Path).write(w)
	})
}

// statusProbe takes the header of an answer and forgets its body.
type statusProbe struct{ header http.Header }

// Header gives the header to be set.
func (p *statusProbe) Header() http.Header { return p.header }

// Write forgets.
func (p *statusProbe) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader forgets.
func (p *statusProbe) WriteHeader(int) {}

// routeAdditions adds what is not part of the interface.
func (s *Server) routeAdditions(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/login", s.login)
	mux.HandleFunc("GET /v1/lists/{kind}", s.lists)
	mux.HandleFunc("GET /v1/sandbox/state", s.state)
	mux.HandleFunc("GET /v1/sandbox/books", s.books)
	mux.HandleFunc("GET /v1/sandbox/faults", s.showFaults)
	mux.HandleFunc("PUT /v1/sandbox/faults", s.changeFaults)
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
		_, _ = w.Write(openAPI)
	})
	mux.HandleFunc("GET /{$}", s.page)
}

// state answers GET /v1/sandbox/state.
func (s *Server) state(w http.ResponseWriter, r *http.Request) {
	st, err := s.State(r.Context())
	if err != nil {
		refusal(http.StatusInternalServerError, "", "the sandbox cannot read its data: %v", err).write(w)
		return
	}
	answer{status: http.StatusOK, body: st}.write(w)
}

type faultsText struct {
	Faults string `json:"faults"`
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	answer{status: http.StatusOK, body: faultsText{s.Faults().String()}}.write(w)
}

// changeFaults takes the text form of the faults as the body, with the subscription key.
func (s *Server) changeFaults(w http.ResponseWriter, r *http.Request) {
	if refused := s.gate.checkKey(r.Header); refused != nil {
		refused.write(w)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
	if err != nil {
		refusal(http.StatusBadRequest, "", "the body could not be read: %v", err).write(w)
		return
	}
	faults, err := ParseFaults(strings.TrimSpace(string(text)))
	if err != nil {
		refusal(http.StatusBadRequest, "", "%v", err).write(w)
		return
	}
	s.SetFaults(faults)
	s.showFaults(w, r)
}
