package apiclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"
)

// lastingAlerts are the TLS alerts after which another try would end the same way (RFC 8446 part 6.2).
var lastingAlerts = []tls.AlertError{
	40,  // handshake_failure: no cipher in common
	70,  // protocol_version
	71,  // insufficient_security
	86,  // inappropriate_fallback
	112, // unrecognized_name
	116, // certificate_required
	120, // no_application_protocol
}

// mistrust explains why nothing can be sent to the service, however often it is tried: it does not prove its identity,
// or no TLS can be agreed on. Nothing was written. It returns nil for trouble that may pass.
func mistrust(err error, secrets *redactor) *Error {
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		what, hint := flaw(certificate.Err)
		return &Error{Code: CodeCertificate, Hint: hint, Message: secrets.clean(printable(
			"the certificate of the service is not trusted, so nothing was sent: " + what + chain(certificate.UnverifiedCertificates)))}
	case errors.As(err, &header):
		return &Error{Code: CodeCertificate, Message: "the service does not use TLS, so nothing was sent: " + secrets.clean(printable(header.Msg)),
			Hint: "check the host and port in base_url, and whether a proxy or a network sign-in page answered instead"}
	case lastingAlert(err), strings.HasPrefix(err.Error(), "tls: "):
		return &Error{Code: CodeCertificate, Message: "the TLS handshake with the service failed, so nothing was sent: " + secrets.clean(printable(shorten(err.Error(), reasonLimit))),
			Hint: "TLS 1.2 or 1.3 and HTTP/1.1 (not only HTTP/2) are required: check the host and port in base_url, or ask the operator of the service"}
	}
	return nil
}

// lastingAlert compares the text of an alert, because the library does not export the type.
func lastingAlert(err error) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error" &&
		slices.ContainsFunc(lastingAlerts, func(alert tls.AlertError) bool { return alert.Error() == remote.Err.Error() })
}

// flaw says which link of a chain is not trusted and why, and what to do.
func flaw(err error) (what, hint string) {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, &host):
		return "it is for " + hosts(host.Certificate) + " and not for " + host.Host,
			"check the host in base_url; if it is correct, the operator of the service must obtain a certificate for it"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("%s is valid from %s to %s, and this machine's clock says %s", subject(invalid.Cert), day(invalid.Cert.NotBefore), day(invalid.Cert.NotAfter), day(time.Now())),
			"check the clock of this machine; if it is correct, the operator of the service must renew the certificate"
	case errors.As(err, &authority) && authority.Cert != nil && string(authority.Cert.RawIssuer) == string(authority.Cert.RawSubject):
		return subject(authority.Cert) + " is self-signed", trustHint
	case errors.As(err, &authority) && authority.Cert != nil:
		return fmt.Sprintf("the authority %s, which signed %s, is not trusted on this machine", name(authority.Cert.Issuer.String()), subject(authority.Cert)), trustHint
	}
	return shorten(err.Error(), reasonLimit), trustHint
}

const trustHint = "if the authority belongs to the firm or to the service, set ca_file under service to its certificate file; otherwise someone may be intercepting the connection: ask the operator of the service"

// chain describes the certificates that the service presented, from its own to the last.
func chain(shown []*x509.Certificate) string {
	const most = 5
	var text strings.Builder
	for i, c := range shown[:min(len(shown), most)] {
		fmt.Fprintf(&text, "; certificate %d of %d: %s, issued by %s, valid from %s to %s", i+1, len(shown), subject(c), name(c.Issuer.String()), day(c.NotBefore), day(c.NotAfter))
		if i == 0 {
			text.WriteString(", for " + hosts(c))
		}
	}
	return text.String()
}

func subject(c *x509.Certificate) string { return name(c.Subject.String()) }

func name(distinguished string) string {
	if distinguished == "" {
		return "(no name)"
	}
	return shorten(distinguished, 100)
}

// hosts names the hosts that a certificate is for.
func hosts(c *x509.Certificate) string {
	list := slices.Clone(c.DNSNames)
	for _, address := range c.IPAddresses {
		list = append(list, address.String())
	}
	if len(list) == 0 {
		return "no host"
	}
	return shorten(strings.Join(list, ", "), 200)
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// printable replaces characters that a terminal or a page could interpret: whoever answers chooses these words.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
