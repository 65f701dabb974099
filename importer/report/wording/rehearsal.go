package wording

import (
	"fmt"
	"net/url"

	"docketsync/apiclient/payload"
)

// Host is the host of a service's address, with its port if it names one.
func Host(service string) string {
	if u, err := url.Parse(service); err == nil && u.Host != "" {
		return u.Host
	}
	return service
}

// Rehearsal is what everything that is shown of a run says first when its service is not a live one: the sandbox, or an address
// of this machine. "" otherwise. service is what the ledger calls it.
func Rehearsal(service string) string {
	if service == "sandbox" {
		return "Rehearsal: the service is the sandbox, not the live one."
	}
	if service == "this machine" { // as releases before this one called both
		return "Rehearsal: the service is on this machine, not the live one."
	}
	u, err := url.Parse(service)
	if err != nil || !payload.Loopback(u.Hostname()) {
		return ""
	}
	return fmt.Sprintf("Rehearsal: the service is %s on this machine, not the live one.", service)
}

// Service says what kind of service payloads go to: the sentence of Rehearsal, or which host is the live one; "" for none yet.
func Service(service string) string {
	if said := Rehearsal(service); said != "" || service == "" {
		return said
	}
	return fmt.Sprintf("Live: the service is %s.", Host(service))
}
