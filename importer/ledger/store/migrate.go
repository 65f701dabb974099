package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3/database"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// VersionTable is where goose records which migrations a ledger has had.
const VersionTable = "ledger_versions"

// migration is one file of the schema folder.
type migration struct {
	version int64
	text    string
}

// migrate brings the schema up to date in one transaction: if the process dies, the ledger is as it was or as it should
// be, and a new ledger costs one flush to disk. Two processes that open a new ledger at the same moment take turns.
func (s *Store) migrate(ctx context.Context, db *sql.DB, upgradable Upgradable) error {
	migrations, err := migrations()
	if err != nil {
		return err
	}
	s.version = migrations[len(migrations)-1].version
	versions, err := database.NewStore(s.Engine.Dialect().Goose, VersionTable)
	if err != nil {
		return err
	}
	release, _, err := s.Engine.Lock(ctx, "schema", AwaitLock)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it dies with the process at the latest
	current, unknown := versions.GetLatestVersion(ctx, db)
	switch {
	case unknown != nil:
		current = -1 // a new ledger; if it is anything else, creating the table of versions fails
	case current > s.version:
		return s.newer("open", current)
	case current == s.version:
		return nil // nothing is written, so a ledger can be opened while another process writes for long
	default:
		if err := upgradable(ctx, s.Reader, current); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if current < 0 {
		if err := versions.CreateVersionTable(ctx, tx); err != nil {
			return errors.Join(unknown, err)
		}
		migrations = append([]migration{{}}, migrations...) // version 0 is the table of versions itself
	}
	for _, m := range migrations {
		if m.version <= current {
			continue
		}
		if _, err := tx.ExecContext(ctx, s.Engine.Dialect().Words.Replace(m.text)); err != nil {
			return fmt.Errorf("schema version %d: %w", m.version, err)
		}
		if err := versions.Insert(ctx, tx, database.InsertRequest{Version: m.version}); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// migrations returns the files of the schema folder, in order.
func migrations() ([]migration, error) {
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, err
	}
	var list []migration
	for _, file := range files {
		text, err := schemaFiles.ReadFile(path.Join("schema", file.Name()))
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(file.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, migration{version: version, text: string(text)})
	}
	return list, nil
}

// The triggers write into each row of known the epoch in which it was written. They are triggers instead of a part of
// the statements that write, so that nobody can forget it, least of all a person with a database's own tools.
// upsertKnown, the statement that writes most rows, sets the epoch all the same: in SQLite, where a trigger has to
// write the row a second time, it then does so only if the epoch is not right (SQLiteRestamp, which came later).
//
// In SQLite all transactions that write take turns. In PostgreSQL a writer locks the epoch of the scope until its
// commit, and a run that wants to begin a new epoch waits for that. So everybody who knows of a later epoch sees
// everything of an earlier one.
const (
	SQLiteStamp = `
create trigger known_added after insert on known begin
    update known set epoch = coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) where rowid = new.rowid;
end;
create trigger known_changed after update of scope, key, digest, payload, service_id, entries, run_no, accepted_at on known begin
    update known set epoch = coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) where rowid = new.rowid;
end;
create trigger known_removed after delete on known begin
    update epochs set epoch = epoch + 1, floor = epoch + 1 where scope = old.scope;
end;`

	SQLiteRestamp = `
drop trigger known_added;
create trigger known_added after insert on known
    when new.epoch <> coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) begin
    update known set epoch = coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) where rowid = new.rowid;
end;
drop trigger known_changed;
create trigger known_changed after update of scope, key, digest, payload, service_id, entries, run_no, accepted_at on known
    when new.epoch <> coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) begin
    update known set epoch = coalesce((select e.epoch from epochs e where e.scope = new.scope), 0) where rowid = new.rowid;
end;`

	PostgresStamp = `
create function known_stamp() returns trigger language plpgsql as $$
begin
    select e.epoch into new.epoch from epochs e where e.scope = new.scope for share;
    if not found then
        insert into epochs (scope, epoch) values (new.scope, 0) on conflict do nothing;
        select e.epoch into new.epoch from epochs e where e.scope = new.scope for share;
    end if;
    return new;
end $$;
create trigger known_stamped before insert or update on known for each row execute function known_stamp();
create function known_unstamp() returns trigger language plpgsql as $$
begin
    update epochs set epoch = epoch + 1, floor = epoch + 1 where scope = old.scope;
    return null;
end $$;
create trigger known_removed after delete on known for each row execute function known_unstamp();`
)
