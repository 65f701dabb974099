package apiclient

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"
	"go.uber.org/zap"

	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
)

// Client sends payloads to one installation of the service. It is safe for use by many goroutines; they share its
// connections, its cookie and its pace.
type Client struct {
	options   Options
	base      string // BaseURL without a trailing "/"
	paths     map[payload.Operation]string
	transport *http.Transport
	secrets   *redactor
	session   *session
	pacer     *pace.Pacer
	lately    lately
	log       *zap.Logger

	drained context.Context // ends when no request may start any more
	drain   context.CancelFunc
	closing context.CancelFunc

	requests, extra, records, inDoubt atomic.Int64
}

// New returns a client, or every problem of the options. It sends nothing.
func New(o Options) (*Client, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if o.Shared != nil {
		o.Pace.Shared = o.Shared.under(o.account().name)
	}
	roots, err := Authorities(o.CAFile)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o, base: strings.TrimRight(o.BaseURL, "/"), paths: o.Paths,
		secrets: &redactor{}, log: o.Log, pacer: pace.New(o.Pace, o.Log)}
	for _, secret := range []string{o.SubscriptionKey, o.AuthCookie, o.SignIn.Password} {
		c.secrets.add(secret)
	}
	c.transport = newTransport(o, roots)
	c.drained, c.drain = context.WithCancel(context.Background())
	base, closing := context.WithCancel(context.Background())
	c.closing = closing
	c.session = &session{cookie: o.AuthCookie, signIn: c.signIn(), secrets: c.secrets, log: o.Log, base: base, heard: -1}
	if o.AuthCookie != "" {
		c.session.generation = 1
	}
	if o.Shared != nil && c.session.signIn != nil {
		c.session.joint = newJointSession(o, c.secrets)
	}
	return c, nil
}

// ready returns an error if the operation cannot be sent with this configuration. It sends nothing.
func (c *Client) ready(op payload.Operation) error {
	if !op.Known() {
		return &Error{Code: CodeNoPath, Message: "operation " + string(op) + " is unknown"}
	}
	if c.paths[op] == "" {
		return &Error{Code: CodeNoPath, Message: "the path of " + string(op) + " is not configured",
			Hint: "the interface document does not state it: ask the service's operator and set paths." + string(op)}
	}
	return nil
}

// Drain stops further requests from starting. Calls that wait for their turn, for a retry or for a sign-in return at
// once; requests under way are awaited. Drain may be called twice.
func (c *Client) Drain() { c.drain() }

// Pauses calls paused when all sending pauses because the service keeps failing, with how the last request ended, and
// with "" when sending resumes. A nil function stops the calls. The function must not send.
func (c *Client) Pauses(paused func(why string)) { c.pacer.Listen(paused) }

// Close ends the client's background work and closes its connections. All calls must have returned; Drain helps with
// that. Close may be called twice.
func (c *Client) Close() {
	c.drain()
	c.closing()
	c.session.running.Wait()
	c.pacer.Close()
	c.transport.CloseIdleConnections()
}

// delays returns a new exponential backoff. It never ends by itself, because the time limit of a record is enforced
// elsewhere.
func (c *Client) delays() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(c.options.Retry.FirstDelay),
		backoff.WithMaxInterval(c.options.Retry.MaxDelay),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxElapsedTime(0),
	)
}

// pause waits. It returns early, with the context's error, if the context ends.
func pause(ctx context.Context, d time.Duration) error {
	over, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// address returns the URL for a payload.
func (c *Client) address(p payload.Payload) string {
	return c.base + strings.ReplaceAll(c.paths[p.Operation], "{id}", url.PathEscape(p.ID))
}

// request makes a request whose headers are spelled as in interface.md part 4, and which the transport cannot replay.
func (c *Client) request(ctx context.Context, method, address string, body []byte, with pass) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(body))
	request.GetBody = nil
	request.Header = http.Header{
		"subscription-key": {c.options.SubscriptionKey},
		"Accept":           {"application/json"},
		"User-Agent":       {c.options.UserAgent},
	}
	if len(body) > 0 {
		request.Header["Content-Type"] = []string{"application/json"}
	}
	if with.cookie != "" {
		request.Header[c.options.CookieHeader] = []string{with.cookie}
	}
	return request, nil
}

// Stats counts what a client has done since it was made, and says how fast it sends now.
type Stats struct {
	Records    int64      `json:"records"`    // payloads taken up
	Requests   int64      `json:"requests"`   // requests begun, without sign-ins
	Extra      int64      `json:"extra"`      // requests beyond the first of each record: retries and repeats after a sign-in
	InDoubt    int64      `json:"in_doubt"`   // records that ended in doubt
	Renewals   int64      `json:"renewals"`   // sign-ins
	TooMany    int64      `json:"too_many"`   // answers with 429
	Overloaded int64      `json:"overloaded"` // answers with 503
	Troubled   int64      `json:"troubled"`   // other requests that the service did not carry out
	Pace       pace.State `json:"pace"`
}

// Stats returns the counts so far. It may be called at any time, for example once a second to draw the pace over time.
func (c *Client) Stats() Stats {
	counts := c.pacer.Counts()
	return Stats{Records: c.records.Load(), Requests: c.requests.Load(), Extra: c.extra.Load(), InDoubt: c.inDoubt.Load(), Renewals: c.session.renewals.Load(),
		TooMany: counts.TooMany, Overloaded: counts.Overloaded, Troubled: counts.Troubled, Pace: c.pacer.State()}
}
