package ledger

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/postgres"
)

// authority is a certificate authority with a certificate for db.firm.test.
type authority struct{ ca, certificate, key []byte } // in PEM form

func newAuthority(t *testing.T) authority {
	t.Helper()
	sign := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		if signer == nil {
			parent, signer = template, key
		}
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		must(t, err)
		made, err := x509.ParseCertificate(der)
		must(t, err)
		return made, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	root, signer, ca := sign(&x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Firm CA"}, IsCA: true, BasicConstraintsValid: true}, nil, nil)
	_, key, certificate := sign(&x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"db.firm.test"}}, root, signer)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return authority{ca, certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})}
}

func (a authority) file(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(path, a.ca, 0o600))
	return path
}

// falseServer speaks just enough PostgreSQL to ask clients for their password in plain text, and passes on what it
// gets.
func falseServer(t *testing.T, shows *tls.Certificate) (address string, passwords <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	got := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				askForPassword(conn, shows, got)
			}()
		}
	}()
	return listener.Addr().String(), got
}

func askForPassword(conn net.Conn, shows *tls.Certificate, got chan<- string) {
	backend := pgproto3.NewBackend(conn, conn)
	message, err := backend.ReceiveStartupMessage()
	if _, asksTLS := message.(*pgproto3.SSLRequest); asksTLS {
		if shows == nil {
			_, _ = conn.Write([]byte("N"))
		} else {
			_, _ = conn.Write([]byte("S"))
			conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{*shows}})
			backend = pgproto3.NewBackend(conn, conn)
		}
		_, err = backend.ReceiveStartupMessage()
	}
	if err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationCleartextPassword{})
	_ = backend.Flush()
	if err := backend.SetAuthType(pgproto3.AuthTypeCleartextPassword); err != nil {
		return
	}
	if answer, err := backend.Receive(); err == nil {
		if password, ok := answer.(*pgproto3.PasswordMessage); ok {
			got <- password.Password
		}
	}
}

// openAt opens a ledger at an address whose host names all lead to one listener.
func openAt(t *testing.T, dsn, listener string, trust postgres.Trust) (*Ledger, error) {
	t.Helper()
	e, err := postgres.New(dsn, trust)
	if err != nil {
		return nil, err
	}
	e.Config().LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{"192.0.2.1"}, nil }
	e.Config().DialFunc = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", listener)
	}
	return openOn(t.Context(), e)
}

func TestPostgreSQLServerThatProvesNothingGetsNoPassword(t *testing.T) {
	own := newAuthority(t)
	pair, err := tls.X509KeyPair(own.certificate, own.key)
	must(t, err)
	plainly, plainGot := falseServer(t, nil)
	encrypted, encryptedGot := falseServer(t, &pair)
	accept := postgres.Trust{Unverified: true}
	for name, c := range map[string]struct {
		rest, mode string // of the address, PGSSLMODE
		trust      postgres.Trust
		words      string
	}{
		"nothing said":           {words: "no password was sent"},
		"the environment's":      {mode: "prefer", words: "no password was sent"},
		"the environment's, off": {mode: "disable", words: "no password was sent"},
		"disable":                {rest: "?sslmode=disable", words: "unverified: accept"},
		"allow":                  {rest: "?sslmode=allow", words: "unverified: accept"},
		"prefer":                 {rest: "?sslmode=prefer", words: "unverified: accept"},
		"require":                {rest: "?sslmode=require", words: "unverified: accept"},
		"an alias of require":    {rest: "?ssl=true", words: "unverified: accept"},
		"verify-ca":              {rest: "?sslmode=verify-ca", words: "unverified: accept"},
		"direct TLS":             {rest: "?sslnegotiation=direct", words: ""},
		"verify-full":            {rest: "?sslmode=verify-full", words: "no password was sent"},
		"accepted":               {trust: accept, words: "no password was sent"},
		"accepted, plain":        {rest: "?sslmode=disable", trust: accept, words: "no password was sent"},
		"another authority's":    {trust: postgres.Trust{CAFile: newAuthority(t).file(t)}, words: "no password was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PGSSLMODE", c.mode)
			for _, host := range []string{"db.firm.test", "127.0.0.1,db.firm.test", "db.firm.test:1,other.firm.test:2"} {
				for _, listener := range []string{plainly, encrypted} {
					_, err := openAt(t, "postgres://ann:s3cret-word@"+host+"/ledger"+c.rest, listener, c.trust)
					if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "s3cret") {
						t.Errorf("%s, %s: %v", host, listener, err)
					}
				}
			}
			select {
			case password := <-plainGot:
				t.Errorf("the false server without TLS has got %q", password)
			case password := <-encryptedGot:
				t.Errorf("the false server with TLS has got %q", password)
			default:
			}
		})
	}
	_, err = openAt(t, "postgres://ann:s3cret-word@localhost/ledger?sslmode=disable", plainly, postgres.Trust{})
	advice(t, err, fault.ErrUnreachable, "clear text")
	if len(plainGot) > 0 {
		t.Error("the false server on this machine has got the password")
	}
}

func TestPostgreSQLServerProvesItsNameWithTheFirmsAuthority(t *testing.T) {
	t.Parallel()
	s, own := ledgertest.Own(t), newAuthority(t)
	must(t, second(s.Admin.Exec(`alter role ledger password 's3cret-word'`)))
	s.Halt()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.Port = free.Addr().(*net.TCPAddr).Port
	must(t, free.Close())
	s.Put(t, "key.pem", own.key)
	s.Put(t, "cert.pem", own.certificate)
	s.Put(t, "pg_hba.conf", []byte("local all all trust\nhostssl all all all password\n"))
	s.Listen, s.Settings = "127.0.0.1", []string{"-c", "ssl=on", "-c", "ssl_cert_file=cert.pem", "-c", "ssl_key_file=key.pem"}
	s.Start(t)
	listener, trust := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)), postgres.Trust{CAFile: own.file(t)}
	for _, dsn := range []string{"postgres://ledger:s3cret-word@db.firm.test/postgres", "postgres://ledger:s3cret-word@db.firm.test/postgres?sslmode=verify-full"} {
		l, err := openAt(t, dsn, listener, trust)
		must(t, err)
		_, err = l.Runs(t.Context(), RunFilter{})
		must(t, errors.Join(err, l.Close()))
	}
	_, err = openAt(t, "postgres://ledger:s3cret-word@other.firm.test/postgres", listener, trust)
	advice(t, err, fault.ErrUnreachable, "other.firm.test", "no password was sent")
}

// A server that refused TLS is used without it. If it then has no connection left, the error says so and does not ask
// for TLS.
func TestPostgreSQLServerWithoutConnectionsLeftIsNamedSo(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	s.Ask(t, `create role crowded login connection limit 0`)
	there, err := postgres.New(s.DSN(), postgres.Trust{})
	must(t, err)
	e, err := postgres.New("postgres://crowded@localhost/postgres", postgres.Trust{})
	must(t, err)
	e.Config().DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(there.Config().Host, fmt.Sprintf(".s.PGSQL.%d", there.Config().Port)))
	}
	_, err = openOn(t.Context(), e)
	advice(t, err, fault.ErrUnreachable, "refuses connections")
}
