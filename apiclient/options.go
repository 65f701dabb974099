package apiclient

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
)

// defaultCookieHeader is the default name of the authentication cookie, and of the header that carries it (interface.md
// part 5).
const defaultCookieHeader = ".Service.AuthCookie"

// Options is everything that a Client needs to know. A zero field means the default given in its comment.
type Options struct {
	BaseURL         string                       // "https://host/prefix"; plain http only to localhost, 127.0.0.0/8 and ::1
	Paths           map[payload.Operation]string // below BaseURL, beginning with "/"; {id} stands for the payload's id; default for the creates: those of interface.md
	SubscriptionKey string                       // header subscription-key of every request
	AuthCookie      string                       // value of the cookie header; may be empty if SignIn can fetch one
	CookieHeader    string                       // name of the cookie header; default ".Service.AuthCookie"
	FolderCookie    bool                         // create folder carries the cookie too, if there is one
	SignIn          SignIn                       // how to get a new cookie; the zero SignIn cannot
	AnyUpdateAnswer bool                         // update case: a 200 with no body or with text counts as success; a web page or a compressed body never does
	NotReadBack     []string                     // fields of payloads that are not compared with answers, such as "client_id" and "files.user_id"
	Timeout         time.Duration                // for one request, from connecting to the last byte of the answer; default 30 s
	AnswerLimit     int64                        // maximum bytes read of an answer; default 1 MiB
	Retry           RetryOptions
	Pace            pace.Options
	CAFile          string                                // PEM file of certificate authorities to trust besides the system's
	Proxy           func(*http.Request) (*url.URL, error) // such as http.ProxyFromEnvironment; default no proxy; never used for loopback
	UserAgent       string                                // default "docketsync"
	Log             *zap.Logger                           // default none
	Shared          shared                                // where processes that use the same account keep their shared state; default nowhere
}

// RetryOptions says how long to bear with transient trouble.
type RetryOptions struct {
	CreatesAlways bool          // the service is safe to repeat, as the firm says: every payload counts as repeatable
	FirstDelay    time.Duration // wait before the second request, ± half at random, doubled each time; default 500 ms
	MaxDelay      time.Duration // longest wait of the backoff; default 30 s
	Total         time.Duration // from the first request of a record until its last wait ends, without the pauses of the pacer; default 5 min
	RetryAfterCap time.Duration // longest Retry-After that is honoured in full; default 2 min
}

// shared stores under a name what processes that use the same account know of it; see pace.Shared.
type shared func(ctx context.Context, name string, change func(now time.Time, kept []byte) []byte) error

// under returns the state stored under a name.
func (s shared) under(name string) pace.Shared {
	return func(ctx context.Context, change func(now time.Time, kept []byte) []byte) error {
		return s(ctx, name, change)
	}
}

// SignIn says how to get a new cookie. At most one of Func, Command and Path may be set.
type SignIn struct {
	Func                       func(ctx context.Context) (cookie string, err error) // in process
	Command                    []string                                             // program and arguments; prints the cookie on standard output
	Dir                        string                                               // working directory of Command; default the process's own
	Path                       string                                               // below BaseURL: POST of an object with User and Password, cookie from Set-Cookie
	User                       string                                               // with Path
	Password                   string                                               // with Path
	UserMember, PasswordMember string                                               // names in that object; default "user_name" and "password"
}

func (o Options) withDefaults() Options {
	paths := map[payload.Operation]string{}
	for _, op := range payload.Operations {
		paths[op] = cmp.Or(o.Paths[op], op.About().Path)
	}
	o.Paths = paths
	o.CookieHeader = cmp.Or(o.CookieHeader, defaultCookieHeader)
	o.UserAgent = cmp.Or(o.UserAgent, "docketsync")
	o.SignIn.UserMember = cmp.Or(o.SignIn.UserMember, "user_name")
	o.SignIn.PasswordMember = cmp.Or(o.SignIn.PasswordMember, "password")
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.AnswerLimit = cmp.Or(o.AnswerLimit, 1<<20)
	o.Retry.FirstDelay = cmp.Or(o.Retry.FirstDelay, 500*time.Millisecond)
	o.Retry.MaxDelay = cmp.Or(o.Retry.MaxDelay, 30*time.Second)
	o.Retry.Total = cmp.Or(o.Retry.Total, 5*time.Minute)
	o.Retry.RetryAfterCap = cmp.Or(o.Retry.RetryAfterCap, 2*time.Minute)
	o.Pace.Timeout = o.Timeout
	o.Pace = o.Pace.WithDefaults()
	o.Log = cmp.Or(o.Log, zap.NewNop())
	return o
}

// validate returns the problems of the options that the client must not have, whatever was checked before: nothing
// travels unencrypted, without a key, or in a header that it would break. No secret is in what it returns.
func (o Options) validate() error {
	problems := []error{baseProblem(o.BaseURL)}
	if o.SignIn.Path != "" && (o.SignIn.User == "" || o.SignIn.Password == "") {
		problems = append(problems, errors.New("sign-in by path requires user and password"))
	}
	if o.SubscriptionKey == "" {
		problems = append(problems, errors.New("subscription key is required"))
	}
	for _, of := range [][2]string{{"subscription key", o.SubscriptionKey}, {"user agent", o.UserAgent}, {"authentication cookie", o.AuthCookie}} {
		if !httpguts.ValidHeaderFieldValue(of[1]) {
			problems = append(problems, fmt.Errorf("%s contains characters not allowed in a header, such as a line break", of[0]))
		}
	}
	return errors.Join(problems...)
}

func baseProblem(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "":
		return errors.New("base URL is not a valid URL, such as https://service.example.com")
	case u.Scheme == "https", u.Scheme == "http" && payload.Loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("base URL %q must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]", u.Redacted())
}

// local reports whether the address is on this machine.
func local(base string) bool {
	u, err := url.Parse(base)
	return err == nil && payload.Loopback(u.Hostname())
}

// Authorities returns the certificate authorities to trust: nil, which means the system's, if no file is named.
func Authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("certificate authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificate authorities: %s contains no PEM certificate", file)
	}
	return pool, nil
}
