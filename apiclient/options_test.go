package apiclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{"another scheme", func(o *Options) { o.BaseURL = "ftp://localhost" }, "must use https: otherwise"},
		{"no scheme", func(o *Options) { o.BaseURL = "service.example.com" }, "base URL is not a valid URL, such as https://service.example.com"},
		{"no base", func(o *Options) { o.BaseURL = "" }, "base URL is not a valid URL, such as https://service.example.com"},
		{"no key", func(o *Options) { o.SubscriptionKey = "" }, "subscription key is required"},
		{"a line break in the key", func(o *Options) { o.SubscriptionKey = "hush\n" }, "subscription key contains characters not allowed in a header, such as a line break"},
		{"a line break in the cookie", func(o *Options) { o.AuthCookie = "hush\r\nX: y" }, "authentication cookie contains characters not allowed in a header, such as a line break"},
		{"a sign-in path without password", func(o *Options) { o.SignIn = SignIn{Path: "/l", User: "u"} }, "sign-in by path requires user and password"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := Options{BaseURL: "https://host", SubscriptionKey: "key-4711"}
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
	err := Options{SignIn: SignIn{Path: "/l"}, UserAgent: "\n"}.validate()
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
