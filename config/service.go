package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// InProcess is the base URL that stands for the sandbox inside the process.
const InProcess = "sandbox"

// UsesSandbox tells whether payloads go to the sandbox inside the process.
func (s Service) UsesSandbox() bool { return s.BaseURL == InProcess }

// UsesLocal tells whether the service is the sandbox inside the process or listens on a loopback address.
func (s Service) UsesLocal() bool {
	if s.UsesSandbox() {
		return true
	}
	u, err := url.Parse(s.BaseURL)
	return err == nil && loopback(u.Hostname())
}

// Address is the service as a ledger remembers it: scheme, host, port and base path in one spelling, or the word sandbox for the
// sandbox inside the process. Two configurations with one address send to one service; anything else counts as another.
func (s Service) Address() (string, error) {
	if s.UsesSandbox() {
		return InProcess, nil
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return "", err
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[scheme] {
		host += ":" + port
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// WasCalled tells whether name is what releases that knew services by their host alone called this one: the host with the port
// that was written, or "this machine" for the sandbox and every loopback address.
func (s Service) WasCalled(name string) bool {
	if s.UsesLocal() {
		return name == "this machine"
	}
	old, err := Service{BaseURL: "https://" + name}.Address()
	if err != nil || strings.Contains(name, "://") {
		return false
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return false
	}
	now, err := Service{BaseURL: "https://" + u.Host}.Address()
	return err == nil && old == now
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// Path returns the path of an operation (create_case, create_folder, update_case, update_trademark). The error of one
// that has none says why, and where to state it.
func (s Service) Path(operation string) (string, error) {
	paths := map[string]string{
		"create_case":      s.Paths.CreateCase,
		"create_folder":    s.Paths.CreateFolder,
		"update_case":      s.Paths.UpdateCase,
		"update_trademark": s.Paths.UpdateTrademark,
	}
	path, known := paths[operation]
	switch {
	case !known:
		return "", fmt.Errorf("the service has no operation %q", operation)
	case path == "":
		return "", fmt.Errorf("the path of %[1]s is not known: interface.md does not state it. "+
			"Ask the service's operator for it and write it into the configuration as service.paths.%[1]s "+
			"({id} in it stands for the id of the record)", operation)
	}
	return path, nil
}

// Identity says why an operation cannot be sent for want of the authentication cookie, which all operations but create
// folder must carry (interface.md part 5); nil when there is a cookie or a way to get one, or the sandbox in the process
// is used.
func (s Service) Identity(operation string) error {
	if operation == "create_folder" || !s.AuthCookie.Empty() || s.SignIn != nil || s.UsesSandbox() {
		return nil
	}
	return fmt.Errorf("%s must carry the authentication cookie (interface.md part 5), and the configuration has none: "+
		"write service.auth_cookie: {env: NAME}, or say under service.sign_in how to get one", operation)
}
