package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
)

// unreadableProxy refuses an address of the environment's proxy that cannot be read. net/http goes around such a proxy without a word, or takes another part of the
// address for its host. The address is not shown, since it may hold a password.
func (c *Config) unreadableProxy(env func(string) (string, bool)) diagnostic.Faults {
	upper, _ := env("HTTPS_PROXY")
	lower, _ := env("https_proxy")
	if c.Service.Proxy != "environment" || isProxy(cmp.Or(upper, lower)) {
		return nil
	}
	return diagnostic.Faults{c.place.file.At(c.place.file.Node("service", "proxy"), "the environment variable HTTPS_PROXY is no address of a proxy",
		"write it as http://host:port or http://user:password@host:port, with %23, %2F, %3F and %25 for #, /, ? and % in the password")}
}

func isProxy(address string) bool {
	if address == "" {
		return true
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Hostname() != "" &&
		!strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") // behind which the host would be
}
