package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"
	"go.uber.org/zap"
)

// Mail is a mail server and the addresses to write to.
type Mail struct {
	Server         string // host:port
	TLS            string // starttls (required of the server), implicit, or none
	User, Password string
	From           string
	To             []string
	// Attach says whether the report is attached; AttachLimit is the size limit in bytes of all files together.
	Attach      bool
	AttachLimit int64
}

// send delivers over SMTP. If the server refuses some receivers, the mail goes to each receiver separately, so that the
// others get it.
func (x Mail) send(ctx context.Context, n *Notifier, m Message) error {
	err := x.fit(ctx, n, m)
	if failed, ok := errors.AsType[*mail.SendError](err); !ok || failed.Reason != mail.ErrSMTPRcptTo || len(x.To) == 1 {
		return err
	}
	var refused []error
	for _, receiver := range x.To {
		one := x
		one.To = []string{receiver}
		if err := one.fit(ctx, n, m); err != nil {
			refused = append(refused, err)
		}
	}
	switch {
	case len(refused) == len(x.To):
		return err
	case m.Event == tested: // who tests is to see it
		return errors.Join(refused...)
	}
	n.Log.Error("a message could not be sent to some of its receivers; correct notify.channels.mail.to", zap.String("job", m.Job),
		zap.String("error", Hidden(errors.Join(refused...).Error(), n.Secrets)))
	return nil
}

// fit sends the mail, without its files if it is too large for the server with them.
func (x Mail) fit(ctx context.Context, n *Notifier, m Message) error {
	err := x.post(ctx, n, m)
	failed, ok := errors.AsType[*mail.SendError](err)
	if !ok || !x.Attach || failed.ErrorCode() != 552 && failed.ErrorCode() != 523 && !strings.Contains(failed.Error(), "5.3.4") {
		return err
	}
	x.AttachLimit = -1
	return x.post(ctx, n, m)
}

func (x Mail) post(ctx context.Context, n *Notifier, m Message) error {
	letter, err := x.letter(m)
	if err != nil {
		return err
	}
	client, hangUp, err := x.client(n)
	if err != nil {
		return err
	}
	defer hangUp()
	// If the server took the mail and then hung up badly, the mail is sent.
	if err := client.DialAndSendWithContext(ctx, letter); err != nil && !letter.IsDelivered() {
		return fmt.Errorf("%w%s", err, mailAdvice(err))
	}
	return nil
}

// Try connects to the server, encrypts and signs in as for a mail, but sends none.
func (x Mail) Try(ctx context.Context, s Settings) error {
	client, hangUp, err := x.client(&Notifier{Settings: s})
	if err != nil {
		return err
	}
	defer hangUp()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("%w%s", err, mailAdvice(err))
	}
	_ = client.Close() // goodbye has been said already
	return nil
}

// client returns a client of the server. hangUp closes an unencrypted connection that the client made, because the
// library leaves it open if it rejects the server.
func (x Mail) client(n *Notifier) (client *mail.Client, hangUp func(), err error) {
	host, port, err := net.SplitHostPort(x.Server)
	if err != nil {
		return nil, nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, nil, fmt.Errorf("the mail server's port is not a number: %s", port)
	}
	var line net.Conn
	secure := &tls.Config{ServerName: host, RootCAs: n.CAs, MinVersion: tls.VersionTLS12}
	options := []mail.Option{mail.WithPort(number), mail.WithTimeout(n.Timeout), mail.WithTLSConfig(secure)}
	switch x.TLS {
	case "implicit":
		options = append(options, mail.WithSSL()) // a connection of our own would not count as encrypted
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS), kept(&line))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory), kept(&line))
	}
	if x.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(x.User), mail.WithPassword(x.Password))
	}
	client, err = mail.NewClient(host, options...)
	return client, func() {
		if line != nil {
			line.Close()
		}
	}, err
}

// kept lets the client connect as it would by itself, and stores the connection in line.
func kept(line *net.Conn) mail.Option {
	return mail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
		made, err := (&net.Dialer{}).DialContext(ctx, network, address)
		*line = made
		return made, err
	})
}

// letter returns the message as a mail: plain text, a page, and the report if there is room for it.
func (x Mail) letter(m Message) (*mail.Msg, error) {
	attached, left := x.room(m.files)
	page, err := m.html(names(attached), names(left))
	if err != nil {
		return nil, err
	}
	letter := mail.NewMsg()
	if err := errors.Join(letter.From(x.From), letter.To(x.To...)); err != nil {
		return nil, err
	}
	letter.Subject(m.Subject)
	letter.SetDateWithValue(m.At)
	letter.SetMessageID()
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(mail.TypeTextPlain, m.text(names(attached), names(left)))
	letter.AddAlternativeString(mail.TypeTextHTML, page)
	for _, file := range attached {
		letter.AttachFile(file)
	}
	return letter, nil
}

// room divides the files into those that can be attached and those that are too large or cannot be read.
func (x Mail) room(files []string) (attached, left []string) {
	if !x.Attach {
		return nil, nil
	}
	room := x.AttachLimit
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Size() > room {
			left = append(left, file)
			continue
		}
		room -= info.Size()
		attached = append(attached, file)
	}
	return attached, left
}

func names(files []string) []string {
	var list []string
	for _, file := range files {
		list = append(list, filepath.Base(file))
	}
	return list
}

// mailAdvice says what to do about a mail server that cannot be used, "" if that is not known.
func mailAdvice(err error) string {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "; if the firm issued the server's certificate, name its certificate authority under notify.ca_file"
	}
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	_, greeted := errors.AsType[*mail.SendError](err)
	switch {
	case isPlain, strings.Contains(err.Error(), "not support STARTTLS"), errors.Is(err, os.ErrDeadlineExceeded) && !greeted:
		return "; check server and tls: most servers have tls: starttls on port 587 and tls: implicit on port 465"
	case strings.Contains(err.Error(), "not support SMTP AUTH"):
		return "; leave out user and password, or use a port on which the server lets users sign in (587 with tls: starttls, 465 with tls: implicit)"
	}
	return ""
}
