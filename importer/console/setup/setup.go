// Package setup has the page of a console that starts without a configuration: a few questions, whose answers make the
// first one.
//
// Such a console serves nothing else. It answers only its own machine, and only the browser that opened the address
// printed in the terminal, so that nobody else can claim the installation. It takes the place where a secret is kept,
// never the secret, and keeps only the hash of a console password. The configuration is written once all of it is valid
// and its ledger could be opened, and never over another one. Then the console itself takes over at the same address
// (Work.Begin).
package setup

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
)

//go:embed pages/*.html
var pages embed.FS

// Work is what the page does beyond asking.
type Work interface {
	// File is the path of the configuration to write.
	File() string
	// Begin writes the configuration and starts the console with it. open is where the browser continues; next is the
	// path to go to there. The error says what is wrong (diagnostic.Faults if it is the text); in that case nothing has
	// been written.
	Begin(text, who, next string) (open string, err error)
}

// Pages is the page.
type Pages struct {
	Work Work

	beginning sync.Mutex
	begun     bool
}

// AddTo adds the page to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(pages)
	f.Get("/{$}", signin.Operator, func(r *web.Request) error { return p.show(r, http.StatusOK, view{Answers: Sandbox()}) })
	f.Post("/{$}", signin.Operator, "set_up", p.begin)
}

// view is the form, with what is wrong by the names of its fields.
type view struct {
	Answers
	SignsIn bool // people sign in to the console
	File    string
	Wrong   map[string]string
	Faults  diagnostic.Faults
	Other   string // why it could not start, if no answer is to blame
}

func (p *Pages) show(r *web.Request, status int, v view) error {
	v.File = p.Work.File()
	return r.Answer(status, "setup", "layout", "Set up docketsync", v)
}

func (p *Pages) begin(r *web.Request) error {
	answers, wrong := answersOf(r)
	v := view{Answers: answers, SignsIn: r.PostFormValue("access") == "account", Wrong: wrong}
	if len(wrong) > 0 {
		return p.show(r, http.StatusUnprocessableEntity, v)
	}
	p.beginning.Lock()
	defer p.beginning.Unlock()
	if p.begun {
		return web.Refuse(http.StatusConflict, "docketsync is already set up.", "Open the console again.")
	}
	r.About(p.Work.File())
	open, err := p.Work.Begin(answers.Text(), r.Person.Name, "/import")
	switch {
	case errors.As(err, &v.Faults):
		return p.show(r, http.StatusUnprocessableEntity, v)
	case err != nil:
		v.Other = err.Error()
		return p.show(r, http.StatusUnprocessableEntity, v)
	}
	p.begun = true
	return r.SeeOther(open, "")
}

// answersOf reads the form. wrong says what is wrong with fields; the answers leave out what may be a secret.
func answersOf(r *web.Request) (a Answers, wrong map[string]string) {
	said := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	wrong = map[string]string{}
	reference := func(name string, needed bool) Reference {
		ref := Reference{said(name + "/kind"), said(name)}
		if !needed {
			ref = Reference{"env", ""}
		} else if why := ref.wrong(); why != "" {
			wrong[name], ref.Name = why, ""
		}
		return ref
	}
	required := func(name string, needed bool) string {
		if needed && said(name) == "" {
			wrong[name] = "This is required."
		}
		return said(name)
	}
	a = Answers{Live: said("service") == "live", BaseURL: said("base_url"), UpdateCase: said("update_case"), UpdateTrademark: said("update_trademark"), SignIn: said("sign_in")}
	if !a.Live { // the sandbox has its own paths; what was entered for a service is not shown
		a.UpdateCase, a.UpdateTrademark = Sandbox().UpdateCase, Sandbox().UpdateTrademark
	} else if address, err := url.Parse(required("base_url", true)); wrong["base_url"] == "" && (err != nil || address.Host == "" || address.Scheme == "http" && !payload.Loopback(address.Hostname())) {
		wrong["base_url"] = "Enter an address that begins with https://."
	}
	path := func(name string) {
		if text := said(name); text != "" && (!strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//")) {
			wrong[name] = "Begin the path with a single slash."
		}
	}
	if a.Live {
		path("update_case")
		path("update_trademark")
	}
	a.Key = reference("key", a.Live)
	a.Cookie = reference("cookie", a.Live && a.SignIn == "cookie")
	login := a.Live && a.SignIn == "login"
	a.LoginPath, a.User, a.Password = required("login_path", login), required("user", login), reference("password", login)
	if login {
		path("login_path")
	}
	if said("access") == "account" {
		a.Account = required("account", true)
		secret := r.PostFormValue("account_password")
		if err := signin.Suitable(secret); err != nil {
			wrong["account_password"] = err.Error()
		} else if secret != r.PostFormValue("account_again") {
			wrong["account_password"] = "The passwords do not match."
		} else if len(wrong) == 0 {
			a.Hash = signin.Hash(secret)
		}
	}
	return a, wrong
}
