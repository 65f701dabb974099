package webwork

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/console"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// FirstStart is a console that has no configuration yet. It asks for one on its page, and ends when there is one.
type FirstStart struct {
	Setup *installation.Setup
	// Installation is made from the new configuration, nil until there is one. FirstKey lets in the browser that
	// answered the questions, if nobody signs in.
	Installation *installation.Installation
	FirstKey     string

	ctx  context.Context // of the process: the installation outlives the request
	over context.CancelFunc
}

// stopWithin is how long the page may take for its last answer.
const stopWithin = 5 * time.Second

// Serve asks at the door until there is a configuration; Installation stays nil if ctx ends first. announce is told the
// key of the address that lets in a browser.
func (s *FirstStart) Serve(ctx context.Context, door Door, announce func(key string)) (err error) {
	settings := config.Default()
	// What a console keeps in its ledger, this one keeps until it ends.
	dir, err := os.MkdirTemp("", "docketsync-setup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	book, err := ledger.Open(ctx, filepath.Join(dir, "ledger.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	asking, over := context.WithCancel(ctx)
	defer over()
	s.ctx, s.over = ctx, over
	log := s.Setup.Logger(settings.Log.Level, settings.Log.Format)
	server, err := console.NewSetup(ctx, console.Options{Ledger: book, StopWithin: stopWithin, Log: log,
		SignIn: signin.Options{Local: &signin.Person{Name: cmp.Or(terminal.User(), "somebody"), Role: signin.Operator, Local: true}, OneTime: announce,
			Port: door.port(), Idle: settings.Console.Session.Idle, Lifetime: settings.Console.Session.Lifetime},
		Web: web.Options{Hosts: hosts(settings.Console)}}, s)
	if err != nil {
		return err
	}
	return door.Lend(func(listener net.Listener) error { return server.Serve(asking, listener) })
}

// File is the path of the configuration to write.
func (s *FirstStart) File() string { return s.Setup.ConfigFile }

// Begin writes the configuration, if it is valid and its ledger opens.
func (s *FirstStart) Begin(text, who, next string) (open string, err error) {
	path := s.Setup.ConfigFile
	settings, err := config.Load(path, s.Setup.Env, installation.ReadWith(path, []byte(text)), installation.FilesOf, installation.OpenToAll)
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s was made in the meantime, and is not overwritten\nStart the console again", path)
	}
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	in, err := s.Setup.View(s.ctx, true)
	if err != nil {
		if in != nil {
			err = in.End(err)
		}
		return "", advised(err)
	}
	if err := in.Book.AddAuditEntry(s.ctx, ledger.AuditEntry{At: time.Now(), Who: who, Action: "set_up", Target: path, Result: web.Done}); err != nil {
		return "", in.End(err)
	}
	open = next
	if s.Installation = in; !settings.Console.SignIn() {
		s.FirstKey = rand.Text()
		open += "?" + url.Values{"token": {s.FirstKey}}.Encode()
	}
	s.over()
	return open, nil
}
