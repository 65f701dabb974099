package notify

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"
)

// mailServer is an SMTP server (RFC 5321) on a loopback port, with STARTTLS (RFC 3207) and AUTH PLAIN (RFC 4954) where it
// has a certificate. It keeps what it is sent.
type mailServer struct {
	address  string
	secure   *tls.Config
	silent   bool // does not greet
	implicit bool // speaks TLS from the first byte
	ended    chan struct{}

	mu      sync.Mutex
	refuse  string // answer to DATA instead of taking the mail
	gone    string // a receiver who is not there
	most    int    // bytes of a mail that is taken; 0 for any
	letters []letter
	users   []string // what was signed in with
	open    int      // letters that came without encryption
}

type letter struct {
	from string
	to   []string
	data string
}

func newMailServer(t *testing.T, secure *tls.Config) *mailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailServer{address: listener.Addr().String(), secure: secure, ended: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() { listener.Close(); close(s.ended); all.Wait() })
	return s
}

func (s *mailServer) received() []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]letter{}, s.letters...)
}

func (s *mailServer) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	if s.silent {
		<-s.ended
		return
	}
	secured := s.implicit
	if s.implicit {
		conn = tls.Server(conn, s.secure)
	}
	in := bufio.NewReader(conn)
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 test ready")
	var l letter
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO", "HELO":
			switch {
			case s.secure != nil && !secured:
				say("250-test\r\n250 STARTTLS")
			case secured:
				say("250-test\r\n250 AUTH PLAIN")
			default:
				say("250 test")
			}
		case "STARTTLS":
			say("220 go on")
			encrypted := tls.Server(conn, s.secure)
			if encrypted.Handshake() != nil {
				return
			}
			conn, in, secured = encrypted, bufio.NewReader(encrypted), true
		case "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			s.mu.Lock()
			s.users = append(s.users, strings.ReplaceAll(string(plain), "\x00", ":"))
			s.mu.Unlock()
			say("235 welcome")
		case "MAIL":
			l = letter{from: line}
			say("250 ok")
		case "RCPT":
			if s.gone != "" && strings.Contains(line, s.gone) {
				say("550 5.1.1 no such user")
				continue
			}
			l.to = append(l.to, line)
			say("250 ok")
		case "DATA":
			s.mu.Lock()
			refuse := s.refuse
			s.mu.Unlock()
			if refuse != "" {
				say(refuse)
				continue
			}
			say("354 go on")
			l.data = dotted(in)
			if s.most > 0 && len(l.data) > s.most {
				say("552 5.3.4 message exceeds fixed maximum size")
				continue
			}
			s.mu.Lock()
			s.letters = append(s.letters, l)
			if !secured {
				s.open++
			}
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// dotted reads a mail to the line with a dot alone.
func dotted(in *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return b.String()
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}

// authority makes a certificate for 127.0.0.1 that signs itself, and the pool that trusts it.
func authority(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(made)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

// opened reads a mail that was received.
func opened(t *testing.T, l letter) *mail.Message {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(l.data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
