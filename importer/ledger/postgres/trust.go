package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Trust says which servers are trusted to be the ledger's. The driver alone would take any that answers, without
// encryption if it offers none, and give it the password in whatever form it asks for.
type Trust struct {
	// CAFile is a PEM file of certificate authorities to trust beside the system's, "" for none.
	CAFile string
	// Unverified allows a server that is not on this machine to be used although nobody checks that it is the right
	// one.
	Unverified bool
}

const malformed = "ledger: the address of the PostgreSQL database is malformed: use postgres://user:password@host:5432/database, " +
	"and files that it refers to (sslrootcert, sslcert, sslkey) must be readable"

// saysMode matches an address that says how far servers are to be verified.
var saysMode = regexp.MustCompile(`[?&]ssl(mode)?=`)

// trusted reads an address. Whatever it, the environment or a service file says, each server that is not on this
// machine is contacted over TLS only and has to prove its name (verify-full), unless t.Unverified is set.
func (t Trust) trusted(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err == nil && !t.Unverified && stranger(config) != "" && !saysMode.MatchString(dsn) {
		sign := "?"
		if strings.Contains(dsn, "?") {
			sign = "&"
		}
		config, err = pgx.ParseConfig(dsn + sign + "sslmode=verify-full")
	}
	if err != nil || slices.ContainsFunc(ways(config), holdsPassword) {
		return nil, errors.New(malformed) // the driver's words quote the address, including a password that it did not recognize
	}
	if host := stranger(config); host != "" && !t.Unverified {
		return nil, fmt.Errorf("ledger: the identity of the server %s would not be verified, so the password and the contents of the ledger could be sent to another server. "+
			"Set sslmode=verify-full in its address, or remove sslmode; set the firm's own certificate authority in ledger_server: {ca_file: FILE.pem}. "+
			"If the network is the firm's own and you accept the risk, set ledger_server: {unverified: accept}", host)
	}
	if exposed(config) && config.RequireAuth == "" {
		config.RequireAuth = "!password"
	}
	return config, t.addAuthorities(config)
}

// ways returns all servers that the driver may try, in every form in which it may.
func ways(c *pgx.ConnConfig) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
}

// holdsPassword reports whether the name of a host contains the rest of a password with an @ that is not written as
// %40. The name of a socket that is not a file begins with an @.
func holdsPassword(way *pgconn.FallbackConfig) bool { return strings.LastIndex(way.Host, "@") > 0 }

// stranger returns the first server that is not on this machine and need not prove its identity, or "" if there is
// none.
func stranger(c *pgx.ConnConfig) string {
	for _, way := range ways(c) {
		if address := net.ParseIP(way.Host); !onSocket(way) && !strings.EqualFold(way.Host, "localhost") && !address.IsLoopback() && !proves(way.TLSConfig) {
			return way.Host
		}
	}
	return ""
}

// exposed reports whether a server that need not prove its identity could ask for the password in clear text.
func exposed(c *pgx.ConnConfig) bool {
	return slices.ContainsFunc(ways(c), func(way *pgconn.FallbackConfig) bool { return !onSocket(way) && !proves(way.TLSConfig) })
}

func onSocket(way *pgconn.FallbackConfig) bool {
	network, _ := pgconn.NetworkAddress(way.Host, way.Port)
	return network == "unix"
}

func proves(c *tls.Config) bool { return c != nil && !c.InsecureSkipVerify && c.ServerName != "" }

// addAuthorities trusts the authorities of CAFile beside those that are trusted already.
func (t Trust) addAuthorities(c *pgx.ConnConfig) error {
	if t.CAFile == "" {
		return nil
	}
	text, err := os.ReadFile(t.CAFile)
	if err != nil {
		return fmt.Errorf("ledger: read the certificate authorities of ledger_server.ca_file: %w", err)
	}
	for _, way := range ways(c) {
		if !proves(way.TLSConfig) {
			continue
		}
		roots := way.TLSConfig.RootCAs
		if roots == nil {
			if roots, err = x509.SystemCertPool(); err != nil {
				roots = x509.NewCertPool()
			}
		}
		if !roots.AppendCertsFromPEM(text) {
			return fmt.Errorf("ledger: %s contains no PEM certificate (ledger_server.ca_file)", t.CAFile)
		}
		way.TLSConfig.RootCAs = roots
	}
	return nil
}

// distrust returns what to do about a server that was not contacted because it is not trusted, or "" for other trouble.
func distrust(err error) string {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return "Its certificate is not trusted, and no password was sent. Set the authority that signed it in ledger_server: {ca_file: FILE.pem}, and check the host in the ledger's address and the clock of this machine."
	case errors.As(err, new(*pgconn.PgError)): // it was contacted; of the ways that the driver tries one may be without TLS
		return ""
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "The server does not offer TLS, and no password was sent. Enable it there (ssl = on), or accept the risk with ledger_server: {unverified: accept} and sslmode=disable in the ledger's address."
	case strings.Contains(err.Error(), "authentication method requirement"):
		return "It asks for the password in clear text, and its identity is not verified: no password was sent. Store the user's password as scram-sha-256, or use TLS with sslmode=verify-full."
	}
	return ""
}
