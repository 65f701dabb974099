package apiclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Step is a part of the way to the service.
type Step string

// The steps, in the order in which they are tried.
const (
	stepName    Step = "name"    // the host has addresses
	stepConnect Step = "connect" // one of them accepts connections
	stepTLS     Step = "tls"     // the service proves its identity
	stepAnswer  Step = "answer"  // it answers over HTTP
)

// Reach is the result of trying the way to the service. What was not reached is zero.
type Reach struct {
	Host      string   // host and port tried
	Proxy     string   // host and port of the proxy in between, "" if there is none
	Addresses []string // of the host, or of the proxy
	Peer      string   // the address that accepted the connection
	TLS       string   // the version, "" for plain HTTP on this machine
	Chain     []string // the certificates presented, from the service's own to the last
	Expires   time.Time
	Status    string        // of the answer, such as "200 OK"
	Skew      time.Duration // how far this machine's clock is ahead of the service's, to the second
	Dated     bool          // the answer had a date, so Skew is meaningful
}

// Reach tries the way to the service with one HEAD request for base_url, without the key or a cookie. It changes
// nothing, and does not show whether the service would grant access. The Reach holds the results of the steps before
// the failed one; err says what kept it from succeeding.
func (c *Client) Reach(ctx context.Context) (r Reach, failed Step, err *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	request, problem := http.NewRequestWithContext(ctx, http.MethodHead, c.base, nil)
	if problem == nil && c.transport.Proxy != nil {
		var proxy *url.URL
		if proxy, problem = c.transport.Proxy(request); proxy != nil {
			r.Proxy = hostPort(proxy)
		}
	}
	if problem != nil {
		return r, stepName, &Error{Code: CodeUnreachable, Message: c.secrets.clean(problem.Error())}
	}
	r.Host = hostPort(request.URL)
	conn, failed, err := c.connect(ctx, &r)
	if err != nil {
		return r, failed, err
	}
	if request.URL.Scheme == "https" && r.Proxy == "" {
		err = c.prove(ctx, conn, request.URL.Hostname(), &r)
	}
	_ = conn.Close() // nothing was said on it, and a small service may handle one connection at a time
	if err != nil {
		return r, stepTLS, err
	}
	return c.ask(request, r)
}

// connect looks up the addresses of the service, or of its proxy, and connects to one.
func (c *Client) connect(ctx context.Context, r *Reach) (net.Conn, Step, *Error) {
	at := cmp.Or(r.Proxy, r.Host)
	host, _, _ := net.SplitHostPort(at)
	var problem error
	if r.Addresses, problem = net.DefaultResolver.LookupHost(ctx, host); problem != nil {
		return nil, stepName, &Error{Code: CodeUnreachable, Message: reason(problem), Hint: "check the host in base_url, and the DNS server and VPN of this machine"}
	}
	conn, problem := (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, "tcp", at)
	if problem != nil {
		return nil, stepConnect, &Error{Code: CodeUnreachable, Message: at + ": " + reason(problem),
			Hint: "check the host and port in base_url, and whether a firewall lets this machine out; where a proxy is required, set service: {proxy: environment}"}
	}
	r.Peer = conn.RemoteAddr().String()
	return conn, "", nil
}

// ask makes the request and reads the head of its answer.
func (c *Client) ask(request *http.Request, r Reach) (Reach, Step, *Error) {
	request.Header.Set("User-Agent", c.options.UserAgent)
	began := time.Now()
	response, problem := c.transport.RoundTrip(request)
	if problem != nil {
		if mistrusted := mistrust(problem, c.secrets); mistrusted != nil {
			return r, stepTLS, mistrusted
		}
		if r.Proxy != "" {
			return r, stepAnswer, &Error{Code: CodeUnreachable, Message: c.secrets.clean("through the proxy " + r.Proxy + ": " + reason(problem)), Hint: proxyHint}
		}
		return r, stepAnswer, &Error{Code: CodeUnreachable, Message: c.secrets.clean(reason(problem)), Hint: "check the port in base_url: something took the connection, but does not answer over HTTP"}
	}
	_ = response.Body.Close()
	if response.TLS != nil {
		r.proven(*response.TLS)
	}
	r.Status = c.secrets.clean(printable(shorten(response.Status, reasonLimit)))
	if said, problem := http.ParseTime(response.Header.Get("Date")); problem == nil {
		ours := began.Add(time.Since(began) / 2)
		r.Skew, r.Dated = ours.Truncate(time.Second).Sub(said), true
	}
	return r, "", nil
}

// prove has the service prove its identity.
func (c *Client) prove(ctx context.Context, conn net.Conn, host string, r *Reach) *Error {
	named := c.transport.TLSClientConfig.Clone()
	named.ServerName = host
	secure := tls.Client(conn, named)
	problem := secure.HandshakeContext(ctx)
	if problem == nil {
		r.proven(secure.ConnectionState())
		return nil
	}
	if mistrusted := mistrust(problem, c.secrets); mistrusted != nil {
		return mistrusted
	}
	return &Error{Code: CodeUnreachable, Message: "the TLS handshake did not end: " + c.secrets.clean(reason(problem)), Hint: "check the port in base_url, and whether a firewall or proxy is in between"}
}

// proven records the service's certificates.
func (r *Reach) proven(state tls.ConnectionState) {
	r.TLS = tls.VersionName(state.Version)
	for _, certificate := range state.PeerCertificates {
		r.Chain = append(r.Chain, printable(fmt.Sprintf("%s, issued by %s, valid until %s", subject(certificate), name(certificate.Issuer.String()), day(certificate.NotAfter))))
		if r.Expires.IsZero() || certificate.NotAfter.Before(r.Expires) {
			r.Expires = certificate.NotAfter
		}
	}
}

func hostPort(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
}

// SignIn signs in as configured and discards the cookie. The error contains no secret.
func (c *Client) SignIn(ctx context.Context) error {
	if c.session.signIn == nil {
		return errors.New("sign-in is not configured")
	}
	cookie, err := c.session.signIn(ctx)
	c.secrets.add(cookie)
	if err != nil {
		return errors.New(c.secrets.clean(err.Error()))
	}
	return nil
}

// FirstPage reads the first items of a list. This shows that the service grants access, and that the list is at its
// path and in its configured form. total is -1 if the service does not give it.
func (c *Client) FirstPage(ctx context.Context, spec ListSpec) (items int, total int64, err error) {
	page, err := c.listPage(ctx, spec, 0)
	if err != nil {
		return 0, -1, err
	}
	return len(page.items), page.total, nil
}
