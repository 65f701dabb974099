package apiclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
)

func TestOptionsProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Options)
		want   string // "" when there is no problem
	}{
		{"https", func(o *Options) { o.BaseURL = "https://service.example.com/prefix/" }, ""},
		{"http to localhost", func(o *Options) { o.BaseURL = "http://localhost:8080" }, ""},
		{"http to LOCALHOST", func(o *Options) { o.BaseURL = "http://LOCALHOST" }, ""},
		{"http to 127.9.8.7", func(o *Options) { o.BaseURL = "http://127.9.8.7:1" }, ""},
		{"http to ::1", func(o *Options) { o.BaseURL = "http://[::1]:1" }, ""},
		{"http to another host", func(o *Options) { o.BaseURL = "http://service.example.com" }, "must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]"},
		{"http to a name that begins like localhost", func(o *Options) { o.BaseURL = "http://localhost.example.com" }, "must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]"},
		{"http to an address that begins like 127", func(o *Options) { o.BaseURL = "http://127.0.0.1.example.com" }, "must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]"},
		{"http to 0.0.0.0", func(o *Options) { o.BaseURL = "http://0.0.0.0" }, "must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]"},
		{"http to a private address", func(o *Options) { o.BaseURL = "http://10.0.0.1" }, "must use https: otherwise key and cookie are sent unencrypted; http is allowed only for localhost, 127.0.0.1 and [::1]"},
		{"another scheme", func(o *Options) { o.BaseURL = "ftp://localhost" }, "must start with https://"},
		{"no scheme", func(o *Options) { o.BaseURL = "service.example.com" }, "base URL is not a valid URL, such as https://service.example.com"},
		{"no base", func(o *Options) { o.BaseURL = "" }, "base URL is required, such as https://service.example.com"},
		{"a password in the base", func(o *Options) { o.BaseURL = "https://u:hush@host" }, "base URL must not contain a user name or password: requests are authenticated by subscription key and cookie"},
		{"a query in the base", func(o *Options) { o.BaseURL = "https://host/?a=b" }, "must not contain ? or #"},
		{"a fragment in the base", func(o *Options) { o.BaseURL = "https://host/#a" }, "must not contain ? or #"},
		{"no key", func(o *Options) { o.SubscriptionKey = "" }, "subscription key is required"},
		{"a line break in the key", func(o *Options) { o.SubscriptionKey = "hush\n" }, "subscription key contains characters not allowed in a header, such as a line break"},
		{"a line break in the cookie", func(o *Options) { o.AuthCookie = "hush\r\nX: y" }, "authentication cookie contains characters not allowed in a header, such as a line break"},
		{"a short key", func(o *Options) { o.BaseURL, o.SubscriptionKey = "https://host", "ces" }, "subscription key is shorter than 8"},
		{"a short cookie", func(o *Options) { o.BaseURL, o.AuthCookie = "https://host", "ces" }, "authentication cookie is shorter than 8"},
		{"a short key on this machine", func(o *Options) { o.BaseURL, o.SubscriptionKey = "http://localhost", "ces" }, ""},
		{"an odd header name", func(o *Options) { o.CookieHeader = "a b" }, "not a valid header name"},
		{"a header name that is taken", func(o *Options) { o.CookieHeader = "Subscription-Key" }, "not a valid header name"},
		{"a relative path", func(o *Options) { o.Paths[payload.UpdateCase] = "v1" }, "must start with /"},
		{"a path with a query", func(o *Options) { o.Paths[payload.UpdateCase] = "/v1?id={id}" }, "must start with /"},
		{"a path with another placeholder", func(o *Options) { o.Paths[payload.UpdateCase] = "/v1/{file}" }, "only the placeholder {id} is allowed"},
		{"a broken escape in a path", func(o *Options) { o.Paths[payload.UpdateCase] = "/v1/%zz" }, "a percent sign must be followed by two hexadecimal digits"},
		{"an id in the path of a create", func(o *Options) { o.Paths[payload.CreateCase] = "/v1/{id}" }, "has no id yet"},
		{"an unknown operation", func(o *Options) { o.Paths["delete_case"] = "/v1" }, "unknown operation"},
		{"two ways to sign in", func(o *Options) { o.SignIn = SignIn{Path: "/l", User: "u", Password: "hush", Command: []string{"x"}} }, "several methods"},
		{"a sign-in path without password", func(o *Options) { o.SignIn = SignIn{Path: "/l", User: "u"} }, "sign-in by path requires user and password"},
		{"a relative sign-in path", func(o *Options) { o.SignIn = SignIn{Path: "l", User: "u", Password: "hush"} }, "must start with /"},
		{"a negative timeout", func(o *Options) { o.Timeout = -1 }, "must not be negative"},
		{"a negative rate", func(o *Options) { o.Pace.Rate = -1 }, "must not be negative"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := Options{BaseURL: "https://host", SubscriptionKey: "key-4711", Paths: map[payload.Operation]string{}}
			test.change(&o)
			err := o.validate()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("a secret is in %v", err)
			}
			if _, made := New(o); (made == nil) != (err == nil) {
				t.Errorf("New says %v, validate %v", made, err)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	err := Options{Paths: map[payload.Operation]string{payload.UpdateCase: "x", payload.UpdateTrademark: "y"}}.validate()
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("got %v", err)
	}
}

func TestAuthoritiesFile(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".missing"} {
		if _, err := New(Options{BaseURL: "https://host", SubscriptionKey: "key-4711", CAFile: file}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
