package signin

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// shared keeps in a PostgreSQL database what the consoles of one ledger have in common: their sessions, the sign-in
// attempts, and the key for what a browser gets before somebody signs in. So whoever is signed in at one console is
// signed in at all, and attempts used up at one are used up at the others. The table is not the ledger's: the first
// console creates it, and if it is lost, nothing in it is missed.
type shared struct{ db *sql.DB }

// sharedTable creates the table, which needs a right that only the first console needs; until is when a session ends,
// or when a name has all its attempts back.
const sharedTable = `select pg_advisory_xact_lock(hashtextextended('docketsync/' || current_schema() || '/console', 0));
	do $$ begin if to_regclass('console') is null then
		create table console (name text collate "C" primary key, kept bytea not null, until timestamptz not null);
	end if; end $$`

// Migrate creates the table that consoles share, if it does not exist.
func Migrate(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, sharedTable)
	return err
}

// ErrAway says that the database in which the consoles keep their sessions and attempts does not answer.
var ErrAway = errors.New("the ledger's database cannot be reached")

// answersWithin is how long a request waits for the database.
const answersWithin = 5 * time.Second

func away(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}

// change changes something, and returns how many rows it changed.
func (s *shared) change(ctx context.Context, text string, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	result, err := s.db.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, away(err)
	}
	return result.RowsAffected()
}

// look looks for one row with one value, and reports whether it exists.
func (s *shared) look(ctx context.Context, value any, text string, args ...any) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	err := s.db.QueryRowContext(ctx, text, args...).Scan(value)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, away(err)
}

// newShared opens the table, and returns the key that all consoles have in common; the first one stores fresh.
func newShared(db *sql.DB, fresh []byte) (s *shared, key []byte, err error) {
	s = &shared{db}
	if err = Migrate(context.Background(), db); err == nil {
		_, err = db.Exec(`insert into console (name, kept, until) values ('key', $1, 'infinity') on conflict do nothing`, fresh)
	}
	if err == nil {
		err = db.QueryRow(`select kept from console where name = 'key'`).Scan(&key)
	}
	return s, key, err
}

// tidy removes what is over.
func (s *shared) tidy(ctx context.Context) {
	_, _ = s.change(ctx, `delete from console where until < clock_timestamp()`) // it will be tried again
}

const sessionPrefix = "session/"

// FindCtx implements scs.CtxStore, as do the methods below.
func (s *shared) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	found, err = s.look(ctx, &data, `select kept from console where name = $1 and until > clock_timestamp()`, sessionPrefix+token)
	return data, found, err
}

func (s *shared) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

type beginning struct{}

// CommitCtx stores a session. Only the context of BeginSession makes a new one: a request that began before a sign-out,
// here or elsewhere, does not bring its session back.
func (s *shared) CommitCtx(ctx context.Context, token string, data []byte, until time.Time) error {
	text := `update console set kept = $2, until = clock_timestamp() + make_interval(secs => $3) where name = $1`
	if ctx.Value(beginning{}) != nil {
		text = `insert into console (name, kept, until) values ($1, $2, clock_timestamp() + make_interval(secs => $3))`
	}
	_, err := s.change(ctx, text, sessionPrefix+token, data, time.Until(until).Seconds()) // the clocks of two machines may differ
	return err
}

func (s *shared) Commit(token string, data []byte, until time.Time) error {
	return s.CommitCtx(context.Background(), token, data, until)
}

func (s *shared) DeleteCtx(ctx context.Context, token string) error {
	_, err := s.change(ctx, `delete from console where name = $1`, sessionPrefix+token)
	return err
}

func (s *shared) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

func (s *shared) All() (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answersWithin)
	defer cancel()
	rows, err := s.db.QueryContext(ctx, `select name, kept from console where starts_with(name, $1) and until > clock_timestamp()`, sessionPrefix)
	if err != nil {
		return nil, away(err)
	}
	defer rows.Close()
	all := map[string][]byte{}
	for rows.Next() {
		var name string
		var data []byte
		if err := rows.Scan(&name, &data); err != nil {
			return nil, err
		}
		all[strings.TrimPrefix(name, sessionPrefix)] = data
	}
	return all, rows.Err()
}

// tryName is the row for the attempts of a name, which is not stored in clear.
func tryName(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return "tries/" + kind + "/" + hex.EncodeToString(sum[:])
}

// row returns the row for the attempts of a name. Strangers choose the names, so the number of rows of a kind is
// limited; if none of them is over, new names share one.
func (s *shared) row(t *Throttle, name string) (string, error) {
	row, common := tryName(t.kind, name), "tries/"+t.kind+"/"
	for range 2 {
		var own bool
		_, err := s.look(context.Background(), &own, `select exists (select from console where name = $1) or
			(select count(*) from (select from console where name > $2 and name < $2 || '~' limit $3) as few) < $3`, row, common, t.most)
		if err != nil || own {
			return row, err
		}
		s.tidy(context.Background())
	}
	return common, nil
}

// short is Throttle.short in the database.
func (s *shared) short(t *Throttle, name string) (short, news bool, err error) {
	row, err := s.row(t, name)
	if err != nil {
		return true, false, err
	}
	ctx := context.Background()
	n, err := s.change(ctx, `insert into console as c (name, kept, until) values ($1, '', clock_timestamp() + make_interval(secs => $2)) on conflict (name) do update
		set kept = '', until = greatest(c.until, clock_timestamp()) + make_interval(secs => $2)
		where greatest(c.until, clock_timestamp()) + make_interval(secs => $2) <= clock_timestamp() + make_interval(secs => $3)`,
		row, t.every.Seconds(), float64(t.burst)*t.every.Seconds())
	if n == 1 || err != nil {
		return err != nil, false, err
	}
	n, err = s.change(ctx, `update console set kept = 'told' where name = $1 and kept = ''`, row)
	return true, n == 1, err
}

func (s *shared) reset(t *Throttle, name string) {
	_, _ = s.change(context.Background(), `delete from console where name = $1`, tryName(t.kind, name)) // the attempts come back by themselves
}
