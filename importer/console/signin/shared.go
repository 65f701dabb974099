package signin

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// shared keeps in a PostgreSQL database what the consoles of one ledger have in common: their sessions, the tries of sign-ins, and the key of what a
// browser is given before somebody signs in. So who is signed in at one is so at all, and who has no tries left at one has none at the
// others. The table is not the ledger's: it is made by the first console, and nothing in it is missed when it is gone.
type shared struct{ db *sql.DB }

// sharedTable makes the table; until is when a session ends, and when a name has all its tries back.
const sharedTable = `select pg_advisory_xact_lock(hashtextextended('docketsync/' || current_schema() || '/console', 0));
	create table if not exists console (name text collate "C" primary key, kept bytea not null, until timestamptz not null)`

// tidyEvery is how often what is over is taken away.
const tidyEvery = 10 * time.Minute

// newShared opens it, and finds the key that all consoles have in common, or makes it of the one given.
func newShared(db *sql.DB, fresh []byte) (s *shared, key []byte, err error) {
	s = &shared{db}
	if _, err = db.Exec(sharedTable); err == nil {
		_, err = db.Exec(`insert into console (name, kept, until) values ('key', $1, 'infinity') on conflict do nothing`, fresh)
	}
	if err == nil {
		err = db.QueryRow(`select kept from console where name = 'key'`).Scan(&key)
	}
	return s, key, err
}

// tidy takes away what is over.
func (s *shared) tidy(ctx context.Context) {
	_, _ = s.db.ExecContext(ctx, `delete from console where until < clock_timestamp()`) // there is a next time
}

const sessionPrefix = "session/"

// Find is that of scs.Store, as are the others.
func (s *shared) Find(token string) (data []byte, found bool, err error) {
	err = s.db.QueryRow(`select kept from console where name = $1 and until > clock_timestamp()`, sessionPrefix+token).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

type beginning struct{}

// CommitCtx writes a session. Only the context of a beginning makes one: a request that began before a sign-out, here or elsewhere, does not
// bring its session back.
func (s *shared) CommitCtx(ctx context.Context, token string, data []byte, until time.Time) error {
	text := `update console set kept = $2, until = clock_timestamp() + make_interval(secs => $3) where name = $1`
	if ctx.Value(beginning{}) != nil {
		text = `insert into console (name, kept, until) values ($1, $2, clock_timestamp() + make_interval(secs => $3))`
	}
	_, err := s.db.ExecContext(ctx, text, sessionPrefix+token, data, time.Until(until).Seconds()) // the clocks of two machines may differ
	return err
}

func (s *shared) Commit(token string, data []byte, until time.Time) error {
	return s.CommitCtx(context.Background(), token, data, until)
}

func (s *shared) Delete(token string) error {
	_, err := s.db.Exec(`delete from console where name = $1`, sessionPrefix+token)
	return err
}

func (s *shared) All() (map[string][]byte, error) {
	rows, err := s.db.Query(`select name, kept from console where starts_with(name, $1) and until > clock_timestamp()`, sessionPrefix)
	if err != nil {
		return nil, err
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

// tryName is the row of the tries of a name, which does not stand there in clear.
func tryName(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return "tries/" + kind + "/" + hex.EncodeToString(sum[:])
}

// row is the row of the tries of a name. Strangers choose the names, so that there are so many rows of a kind; where none of them is over, newcomers
// have one in common.
func (s *shared) row(t *Throttle, name string) (string, error) {
	row, common := tryName(t.kind, name), "tries/"+t.kind+"/"
	for range 2 {
		var own bool
		err := s.db.QueryRow(`select exists (select from console where name = $1) or
			(select count(*) from (select from console where name > $2 and name < $2 || '~' limit $3) as few) < $3`, row, common, t.most).Scan(&own)
		if err != nil || own {
			return row, err
		}
		s.tidy(context.Background())
	}
	return common, nil
}

// short is Throttle.Short. Where it cannot be known, there are no tries left.
func (s *shared) short(t *Throttle, name string) (short, news bool) {
	row, err := s.row(t, name)
	changed := func(text string, args ...any) bool {
		if err != nil {
			return false
		}
		result, err := s.db.Exec(text, append([]any{row}, args...)...)
		if err != nil {
			return false
		}
		n, _ := result.RowsAffected()
		return n == 1
	}
	if changed(`insert into console as c (name, kept, until) values ($1, '', clock_timestamp() + make_interval(secs => $2)) on conflict (name) do update
		set kept = '', until = greatest(c.until, clock_timestamp()) + make_interval(secs => $2)
		where greatest(c.until, clock_timestamp()) + make_interval(secs => $2) <= clock_timestamp() + make_interval(secs => $3)`,
		t.every.Seconds(), float64(t.burst)*t.every.Seconds()) {
		return false, false
	}
	return true, changed(`update console set kept = 'told' where name = $1 and kept = ''`)
}

func (s *shared) reset(t *Throttle, name string) {
	_, _ = s.db.Exec(`delete from console where name = $1`, tryName(t.kind, name)) // they come back by themselves
}
