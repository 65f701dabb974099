package web

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// FuzzForwarded takes what anybody may write into the headers of a proxy. Only a proxy is believed: from any other address the origin is that address.
func FuzzForwarded(f *testing.F) {
	for _, hops := range []string{"", "203.0.113.9", "203.0.113.9, 10.0.0.2", "10.0.0.2,10.0.0.3", "unknown, 10.0.0.2", "[::1]:80,, ::ffff:203.0.113.9", "fe80::1%eth0"} {
		f.Add("10.0.0.1:4711", hops, "https")
		f.Add("203.0.113.1:4711", hops, "https")
	}
	f.Add("@", "x", "http")
	f.Add("::%]", "0", "0")
	frame := &Frame{Options: Options{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	f.Fuzz(func(t *testing.T, remote, hops, proto string) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {hops}, "X-Forwarded-Proto": {proto}}}
		direct, origin := addressOf(remote), frame.origin(r)
		if !frame.isProxy(direct) && direct.IsValid() && origin != direct.String() {
			t.Errorf("%s says it comes from %s, and is believed: %s", remote, hops, origin)
		}
		if frame.proxied(r) && (!frame.isProxy(direct) || proto != "https") {
			t.Errorf("a request of %s over %q counts as one of the proxy", remote, proto)
		}
		if at, err := netip.ParseAddr(origin); err == nil && at != direct && origin != remote && !strings.Contains(hops, ".") && !strings.Contains(hops, ":") {
			t.Errorf("%q is made %s", hops, at)
		}
		forwarded(r)
	})
}
