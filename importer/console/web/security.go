package web

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"go.uber.org/zap"
)

// policy lets pages use only what the console itself serves: a text that finds its way into a page can neither run nor
// send anything anywhere.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Handler returns what every request goes through before it reaches its page.
func (f *Frame) Handler() http.Handler {
	crossing := http.NewCrossOriginProtection()
	crossing.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.Log.Warn("a request from another site was refused",
			zap.String("path", r.URL.Path), zap.String("site", r.Header.Get("Origin")), zap.String("origin", f.origin(r)))
		f.turnOff(w, r, http.StatusForbidden, "This request came from another site and was refused.")
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		h.Set("Vary", "Cookie")
		if f.Authenticator.Encrypted {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !f.answersTo(r.Host):
			f.turnOff(w, r, http.StatusMisdirectedRequest, "The console does not answer to this host name. Open it at its configured address (url under console: in the configuration).")
		case f.Authenticator.Local != nil && forwarded(r):
			f.turnOff(w, r, http.StatusForbidden, "This console has no sign-in and answers only its own machine, but this request came through a proxy. "+
				"Configure sign-in and the proxy (users and proxies under console: in the configuration).")
		case !f.proxied(r):
			f.turnOff(w, r, http.StatusForbidden, "The console can be reached only through its proxy, over https.")
		default:
			defer f.broken(w, r)
			read := f.Snapshots.take(r.Context())
			defer f.Snapshots.Release(read)
			r = r.WithContext(read.in(r.Context()))
			crossing.Handler(f.mux).ServeHTTP(w, r)
		}
	})
}

// turnOff refuses a request that does not reach its page. A post is recorded, under the name of the session that it
// came with, if any.
func (f *Frame) turnOff(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.Method == http.MethodPost {
		_, person, _ := f.Authenticator.Find(r)
		_, pattern := f.mux.Handler(r)
		asked := &Request{Request: r, Response: w, Person: person, frame: f}
		_ = asked.Denied(cmp.Or(f.Routes[pattern].Action, "post"), Refuse(status, why, ""))
	}
	http.Error(w, why, status)
}

// broken answers for a page that panicked, which is a mistake in this program. It writes that to the operators' log,
// because net/http would report it among the noise of handshakes.
func (f *Frame) broken(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	f.Log.Error("a page failed: please report this", zap.String("path", r.URL.Path), zap.Any("panic", p), zap.Stack("stack"))
	http.Error(w, "Something went wrong. The log of the console has the details.", http.StatusInternalServerError)
}

// answersTo reports whether the console answers to a host name. A console that only its own machine can reach does not
// answer to a name that somebody else has pointed here, whose pages could read the answers.
func (f *Frame) answersTo(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return len(f.Hosts) == 0 || slices.Contains(f.Hosts, strings.ToLower(strings.Trim(host, "[]")))
}

// forwarded reports whether a proxy says that it forwards somebody else's request.
func forwarded(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"},
		func(name string) bool { return r.Header.Get(name) != "" })
}

// proxied reports whether a request came the way it must.
func (f *Frame) proxied(r *http.Request) bool {
	return len(f.Proxies) == 0 || f.isProxy(addressOf(r.RemoteAddr)) && r.Header.Get("X-Forwarded-Proto") == "https"
}

func (f *Frame) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(f.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// origin returns the address that a request came from. If there are proxies in front, it is the last address they name
// that is not a proxy's. Nobody else is believed.
func (f *Frame) origin(r *http.Request) string {
	at := addressOf(r.RemoteAddr)
	if len(f.Proxies) > 0 {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for n := len(hops) - 1; n >= 0 && f.isProxy(at); n-- {
			hop := addressOf(strings.TrimSpace(hops[n]))
			if !hop.IsValid() {
				break
			}
			at = hop
		}
	}
	if !at.IsValid() {
		return r.RemoteAddr
	}
	return at.String()
}

// addressOf returns the address of host:port or of a host alone; it is not valid if there is none.
func addressOf(text string) netip.Addr {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}
