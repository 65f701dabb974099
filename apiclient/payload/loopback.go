package payload

import (
	"net/netip"
	"strings"
)

// ProxyVariable is the environment variable that names the proxy to an https address. A message that names it is about
// the proxy, not about the service.
const ProxyVariable = "HTTPS_PROXY"

// Loopback reports whether a host is this machine, judging only by its name or address, without a lookup. Payloads and
// secrets go over plain HTTP only to such a host.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
