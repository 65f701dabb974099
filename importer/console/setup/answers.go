package setup

import (
	"fmt"
	"regexp"
	"strings"

	"docketsync/mapping/infer"
)

// Answers are the answers about a new installation.
type Answers struct {
	// Live says that there is a service to send to. Otherwise runs send to the sandbox in the process, to try
	// docketsync.
	Live    bool
	BaseURL string
	Key     Reference // of the subscription key
	// UpdateCase and UpdateTrademark are the paths of the two updates, "" if the firm does not know them.
	UpdateCase, UpdateTrademark string
	// SignIn is how requests carry the user's sign-in: "" for not at all, "cookie" for one that never changes, "login"
	// to get a new one when the service asks for it.
	SignIn          string
	Cookie          Reference
	LoginPath, User string
	Password        Reference
	// Account is the name of the console's first user, "" if only the printed address gives access. Hash is the hash of
	// that user's password.
	Account, Hash string
}

// Reference says where a secret is: in the environment or in a file.
type Reference struct {
	Kind string // env or file
	Name string
}

// Sandbox returns the answers of somebody who wants to try docketsync. The variables point to a service once there is
// one.
func Sandbox() Answers {
	return Answers{UpdateCase: "/v1/firms/file", UpdateTrademark: "/v1/firms/trademark", Key: Reference{"env", "DOCKETSYNC_SUBSCRIPTION_KEY"},
		Cookie: Reference{"env", "DOCKETSYNC_AUTH_COOKIE"}, Password: Reference{"env", "DOCKETSYNC_PASSWORD"}}
}

// Text returns the configuration, without jobs.
func (a Answers) Text() string {
	var b strings.Builder
	if !a.Live {
		b.WriteString("# Without any environment variable this sends to a sandbox inside the process.\n")
	}
	b.WriteString("service:\n")
	if a.Live {
		fmt.Fprintf(&b, "  base_url: %s\n  subscription_key: %s\n", infer.Scalar(a.BaseURL), a.Key)
	} else {
		b.WriteString("  base_url: {env: DOCKETSYNC_BASE_URL, default: sandbox}\n  subscription_key: {env: DOCKETSYNC_SUBSCRIPTION_KEY, default: sandbox-key}\n" +
			"  auth_cookie: {env: DOCKETSYNC_AUTH_COOKIE, default: sandbox-cookie}\n")
	}
	switch {
	case !a.Live:
	case a.SignIn == "cookie":
		fmt.Fprintf(&b, "  auth_cookie: %s\n", a.Cookie)
	case a.SignIn == "login":
		fmt.Fprintf(&b, "  sign_in: {path: %s, user: %s, password: %s}\n", scalar(a.LoginPath), infer.Scalar(a.User), a.Password)
	}
	paths := ""
	for _, path := range [][2]string{{"update_case", a.UpdateCase}, {"update_trademark", a.UpdateTrademark}} {
		if path[1] != "" {
			paths += "    " + path[0] + ": " + scalar(path[1]) + "\n"
		}
	}
	if paths != "" {
		b.WriteString("  paths:\n" + paths)
	}
	if a.Account != "" {
		fmt.Fprintf(&b, "\nconsole:\n  users:\n    - name: %s\n      role: operator\n      password: '%s'\n", infer.Scalar(a.Account), a.Hash)
	}
	return b.String()
}

// plain matches a path that needs no quotes.
var plain = regexp.MustCompile(`^/[A-Za-z0-9/_.-]+$`)

func scalar(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return infer.Scalar(path)
}

// String returns the reference as the configuration writes it.
func (r Reference) String() string { return "{" + r.Kind + ": " + infer.Scalar(r.Name) + "}" }

// variable matches the name of an environment variable. Somebody may enter the secret itself, which must not be written
// down.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// wrong says why this cannot be the place of a secret; "" if it can. It does not repeat the input, which may be the
// secret.
func (r Reference) wrong() string {
	switch {
	case r.Name == "":
		return "Enter the name of the environment variable or the path of the file that holds it."
	case r.Kind == "env" && !variable.MatchString(r.Name):
		return "This is not the name of an environment variable, and was not kept: letters, digits and underscores only. Never enter the secret itself here."
	case r.Kind == "file" && !strings.ContainsAny(r.Name, `/\.`):
		return "This is not the path of a file, and was not kept: enter one such as secrets/key.txt. Never enter the secret itself here."
	case r.Kind != "env" && r.Kind != "file":
		return "Choose whether an environment variable or a file holds it."
	}
	return ""
}
