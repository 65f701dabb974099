package observers

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/notify"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// ChannelsError says that the secrets of channels are missing, so that people would not be told how jobs fare.
type ChannelsError struct{ Faults error }

func (e *ChannelsError) Error() string { return e.Faults.Error() }
func (e *ChannelsError) Unwrap() error { return e.Faults }

// short is the error for people who read messages: without the lines of the file.
func (e *ChannelsError) short() string {
	var faults diagnostic.Faults
	if !errors.As(e.Faults, &faults) {
		return e.Faults.Error()
	}
	said := make([]string, len(faults))
	for n, fault := range faults {
		said[n] = fmt.Sprintf("%s (line %d of %s)", fault.Message, fault.Line, filepath.Base(fault.File))
	}
	return strings.Join(said, "; ")
}

// Channels are the channels of a configuration, and what every message says.
func Channels(settings *config.Config, site remedy.Site, book *ledger.Ledger, log *zap.Logger) (notify.Settings, error) {
	c := settings.Notify
	service, err := settings.Service.Address()
	if err != nil {
		return notify.Settings{}, err
	}
	host, _ := os.Hostname() // without it, messages do not say on which machine
	s := notify.Settings{
		Firm: c.Firm, Host: host, Rehearsal: wording.Rehearsal(service), Link: c.Link, Site: site, RejectsAbove: c.RejectsAbove, Timeout: c.Timeout,
		Ping:    notify.Ping{URL: c.Ping.URL.Reveal(), Always: c.Ping.On == "always", StartAndFail: c.Ping.StartAndFail},
		Secrets: settings.Secrets(), Book: book, Log: log,
	}
	if settings.Service.Proxy == "environment" {
		s.Proxy = http.ProxyFromEnvironment
	}
	for _, name := range c.ChannelNames() {
		if channel := channelOf(name, c.Channels[name]); channel.URL != "" || channel.Mail != nil && (channel.Mail.User == "" || channel.Mail.Password != "") {
			s.Channels = append(s.Channels, channel) // the others lack their secret, see ChannelsError
		}
	}
	if c.CAFile == "" {
		return s, nil
	}
	text, err := os.ReadFile(c.CAFile)
	if err != nil {
		return s, fmt.Errorf("read the certificate authorities of notify.ca_file: %w", err)
	}
	if s.CAs, err = x509.SystemCertPool(); err != nil {
		s.CAs = x509.NewCertPool()
	}
	if !s.CAs.AppendCertsFromPEM(text) {
		return s, fmt.Errorf("%s holds no certificate in PEM form (notify.ca_file)", c.CAFile)
	}
	return s, nil
}

func channelOf(name string, c config.Channel) notify.Channel {
	made := notify.Channel{Name: name, Form: c.Form(), URL: c.URL().Reveal()}
	for _, word := range c.On {
		made.On = append(made.On, notify.Event(word))
	}
	if c.Mail != nil {
		made.Mail = &notify.Mail{Server: c.Mail.Server, TLS: c.Mail.TLS, User: c.Mail.User, Password: c.Mail.Password.Reveal(),
			From: c.Mail.From, To: c.Mail.To, Attach: c.Mail.Attach, AttachLimit: int64(c.Mail.AttachLimit)}
	}
	return made
}
