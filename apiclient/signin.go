package apiclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"docketsync/apiclient/jsontext"
)

// signInTries is how often a sign-in is tried if the trouble is transient. A refusal is final at once.
const signInTries = 4

// transient marks trouble that may pass.
type transient struct{ error }

// signIn returns the configured way to sign in, or nil if there is none.
func (c *Client) signIn() func(context.Context) (string, error) {
	var once func(context.Context) (string, error)
	switch way := c.options.SignIn; {
	case way.Func != nil:
		once = way.Func
	case len(way.Command) > 0:
		once = func(ctx context.Context) (string, error) { return Printed(ctx, way.Dir, way.Command) }
	case way.Path != "":
		once = c.login
	default:
		return nil
	}
	return func(ctx context.Context) (string, error) {
		delays := c.delays()
		for try := 1; ; try++ {
			limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
			cookie, err := once(limited)
			cancel()
			if err == nil {
				return cookie, c.checkCookie(cookie)
			}
			if !errors.As(err, &transient{}) || try == signInTries {
				return "", err
			}
			if pause(ctx, delays.NextBackOff()) != nil {
				return "", err
			}
		}
	}
}

func (c *Client) checkCookie(cookie string) error {
	switch {
	case cookie == "":
		return errors.New("the sign-in returned no cookie")
	case len(cookie) < leastSecret && !local(c.base):
		return fmt.Errorf("the sign-in returned a cookie of %d characters, which is too short", len(cookie))
	case !httpguts.ValidHeaderFieldValue(cookie):
		return errors.New("the sign-in returned an invalid cookie: it must be a single line")
	}
	return nil
}

// printedLimit is how many bytes of a command's output are kept: more than any cookie or key has.
const printedLimit = 64 << 10

// printed keeps the beginning of what a command prints.
type printed struct{ kept bytes.Buffer }

func (p *printed) Write(text []byte) (int, error) {
	p.kept.Write(text[:min(len(text), printedLimit+1-p.kept.Len())])
	return len(text), nil
}

// Printed runs a command that prints a secret. It returns the command's standard output, without a leading byte order
// mark and the final line break. The error contains what the command wrote to standard error, but never its standard
// output.
func Printed(ctx context.Context, dir string, command []string) (string, error) {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir = dir
	process.WaitDelay = time.Second
	var out, stderr printed
	process.Stdout, process.Stderr = &out, &stderr
	switch err := process.Run(); {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("command %s did not end within %v", command[0], left.Round(100*time.Millisecond))
	case err != nil:
		return "", fmt.Errorf("command %s: %w %s", command[0], err, shorten(strings.TrimSpace(stderr.kept.String()), reasonLimit))
	case out.kept.Len() > printedLimit:
		return "", fmt.Errorf("command %s prints more than 64 KiB; it must print the secret alone", command[0])
	}
	return strings.TrimRight(strings.TrimPrefix(out.kept.String(), "\ufeff"), "\r\n"), nil
}

// login posts the credentials to the sign-in path and takes the cookie from Set-Cookie.
func (c *Client) login(ctx context.Context) (string, error) {
	way := c.options.SignIn
	body := jsontext.AppendString(jsontext.AppendName([]byte("{"), way.UserMember), way.User)
	body = append(jsontext.AppendString(jsontext.AppendName(body, way.PasswordMember), way.Password), '}')
	request, err := c.request(ctx, http.MethodPost, c.base+way.Path, body, pass{})
	if err != nil {
		return "", err
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		if untrusted := mistrust(err, c.secrets); untrusted != nil {
			return "", untrusted
		}
		return "", transient{fmt.Errorf("POST %s: %w", way.Path, err)}
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := readUpTo(response, c.options.AnswerLimit)
	status := response.StatusCode
	if status < 200 || status > 299 {
		message, _ := words(answer, false)
		if value := lastCookie(response, c.options.CookieHeader); value != "" && status >= 300 && status <= 399 {
			c.secrets.add(value)
			message = "with the cookie, which is not taken from a redirect; have sign_in.command sign in and print it"
		}
		message, _ = tidy(message, nil, c.secrets.clean)
		err := fmt.Errorf("POST %s answered %s %s", way.Path, response.Status, message)
		if status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
			return "", transient{err}
		}
		return "", err
	}
	if value := lastCookie(response, c.options.CookieHeader); value != "" {
		return value, nil
	}
	return "", fmt.Errorf("POST %s answered %s %s", way.Path, response.Status, c.secrets.clean(withoutCookie(response, c.options.CookieHeader)))
}

// withoutCookie says what an answer sets instead of the cookie with a name.
func withoutCookie(response *http.Response, name string) string {
	var others []string
	for _, line := range response.Header["Set-Cookie"] {
		other, _, isCookie := strings.Cut(line, "=")
		switch other = strings.TrimSpace(other); {
		case other == name:
			return "with a cookie named " + name + " that has expired or has no valid value"
		case isCookie:
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return "without a cookie named " + name
	}
	return "without a cookie named " + name + "; its cookies are " + shorten(strings.Join(others, ", "), reasonLimit) + " (cookie_header)"
}

// lastCookie returns what a browser would keep of the cookies with a name, or "": a later one replaces an earlier one,
// and one that is empty or has expired by the service's own clock removes it.
func lastCookie(response *http.Response, name string) (value string) {
	now, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	for _, cookie := range response.Cookies() {
		if cookie.Name != name {
			continue
		}
		value = cookie.Value
		if cookie.MaxAge < 0 || cookie.MaxAge == 0 && !cookie.Expires.IsZero() && !cookie.Expires.After(now) {
			value = ""
		}
	}
	return value
}
