// Package store is the database of a ledger: one connection that writes and a few that read, plain SQL that is one text
// for both engines, and the schema with its migrations. It knows nothing of runs and records, which belong to package
// ledger.
//
// An Engine is all that SQLite and PostgreSQL do differently; packages sqlite and postgres have one each. The schema is
// the folder schema, applied in one transaction. The engine spells its words in braces. Migrations only go forward.
//
// A Reader cannot write: its connections refuse to (query_only, default_transaction_read_only). The Writer runs one
// transaction at a time (Do). Code that wants its own statements in a transaction must name Tx, and so must import this
// package, which only the packages of the ledger may.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"docketsync/importer/ledger/fault"
)

// Store is an open database: a Reader and the one Writer.
type Store struct {
	*Reader
	*Writer
	Engine Engine

	version int64 // of the schema, as this docketsync knows it
	once    sync.Once
	closing chan struct{}
}

// Open connects and brings the schema up to date. A database that a newer docketsync has written is not touched: the
// error is fault.ErrNewer. upgradable is called with one of an earlier version before it is changed; if it returns an
// error, the database is left as it is.
func Open(ctx context.Context, e Engine, upgradable Upgradable) (*Store, error) {
	s := &Store{Engine: e, closing: make(chan struct{})}
	if err := s.open(ctx, upgradable); err != nil {
		return nil, errors.Join(wrap(e, "open", err), s.shut())
	}
	return s, nil
}

// Upgradable returns what keeps a database of a version from being changed at the moment, or nil if nothing does.
type Upgradable func(ctx context.Context, r *Reader, version int64) error

func (s *Store) open(ctx context.Context, upgradable Upgradable) error {
	write, read, err := s.Engine.Connect(ctx)
	if err != nil {
		return err
	}
	s.Writer = &Writer{db: write, engine: s.Engine, patience: LockPatience, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	s.Reader = &Reader{db: read, engine: s.Engine, closing: s.closing}
	return s.migrate(ctx, write, upgradable)
}

// Closing is closed when the store is about to be closed.
func (s *Store) Closing() <-chan struct{} { return s.closing }

// Close waits for the transaction that is under way and closes the database. It calls before when nothing new may
// begin. Calling it again does nothing.
func (s *Store) Close(before func()) (err error) {
	s.once.Do(func() {
		close(s.closing)
		before()
		err = s.shut()
	})
	return err
}

func (s *Store) shut() error {
	var errs []error
	if s.Reader != nil {
		errs = append(errs, s.Reader.close())
	}
	if s.Writer != nil {
		errs = append(errs, s.Writer.close())
	}
	err := errors.Join(append(errs, s.Engine.Close())...)
	if s.Engine.Dialect().Remote {
		return nil // everything is committed, and a connection that the server has lost meanwhile cannot be closed properly
	}
	return err
}

// Label returns how messages name the ledger: its path or address, without a password.
func (r *Reader) Label() string { return r.engine.Label() }

// Wrap turns what the database said while doing something into an error for people. It passes on errors that already
// are, and those of a context that ended.
func (r *Reader) Wrap(doing string, err error) error {
	select {
	case <-r.closing:
		if err != nil && !spoken(err) {
			return &fault.Error{Ledger: r.Label(), Doing: doing, Kind: fault.ErrClosed, Err: fault.ErrClosed}
		}
	default:
	}
	return wrap(r.engine, doing, err)
}

// spoken reports whether an error needs no more words.
func spoken(err error) bool {
	var known *fault.Error
	var busy *fault.BusyError
	return errors.As(err, &known) || errors.As(err, &busy) || errors.Is(err, context.Canceled)
}

func wrap(e Engine, doing string, err error) error {
	if err == nil || spoken(err) {
		return err
	}
	hint, kind := e.Judge(err)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, fault.ErrCorrupt) || errors.Is(err, fault.ErrDamaged) {
		// All JSON in the ledger was written by the ledger, and so was what is left of a former journal.
		hint, kind = "'docketsync ledger check' or 'docketsync verify' says what is damaged. Restore the last backup; 'docketsync ledger accept-restore --help' says what to do next.", fault.ErrCorrupt
	}
	return &fault.Error{Ledger: e.Label(), Doing: doing, Kind: kind, Hint: hint, Err: err}
}

// Version returns the version of the schema.
func (s *Store) Version() int64 { return s.version }

// newer returns the error for a ledger that a newer docketsync has written.
func (s *Store) newer(doing string, version int64) error {
	return &fault.Error{
		Ledger: s.Label(), Doing: doing, Kind: fault.ErrNewer,
		Err:  fmt.Errorf("its schema has version %d, this docketsync supports %d", version, s.version),
		Hint: "Use the newer docketsync, or another ledger.",
	}
}

// StillOurs makes sure that no newer docketsync has opened the ledger since. That happens to a process that stays up
// through an upgrade: it would not know where the newer one records what it has sent.
func (s *Store) StillOurs(ctx context.Context, doing string) error {
	var version int64
	if err := s.QueryRowContext(ctx, `select max(version_id) from `+VersionTable).Scan(&version); err != nil {
		return s.Wrap(doing, err)
	}
	if version > s.version {
		return s.newer(doing, version)
	}
	return nil
}
