package store

import (
	"context"
	"database/sql"
	"embed"
	"path"

	"github.com/pressly/goose/v3"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// VersionTable is where goose remembers which migrations a ledger has had.
const VersionTable = "ledger_versions"

// migrate brings the schema up to date. Two processes that open a new ledger at the same moment take turns.
func (s *Store) migrate(ctx context.Context, db *sql.DB) error {
	migrations, err := s.migrations()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(s.Engine.Dialect().Goose, db, nil,
		goose.WithGoMigrations(migrations...), goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(VersionTable), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	release, _, err := s.Engine.Lock(ctx, "schema", true)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it dies with the process at the latest
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	s.version = target
	if current > target {
		return s.newer("open", current)
	}
	if current == target {
		return nil // nothing is written, so that a ledger can be opened while another process writes for long
	}
	_, err = provider.Up(ctx)
	return err
}

// migrations are the files of the schema folder, in order. They are given to goose as functions, because each engine
// spells the words in braces in its own way.
func (s *Store) migrations() ([]*goose.Migration, error) {
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, err
	}
	var list []*goose.Migration
	for _, file := range files {
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			return nil, err
		}
		text, err := schemaFiles.ReadFile(path.Join("schema", file.Name()))
		if err != nil {
			return nil, err
		}
		statements := s.Engine.Dialect().Words.Replace(string(text))
		list = append(list, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, statements)
			return err
		}}, nil))
	}
	return list, nil
}

// The triggers that write into each row of known the epoch in which it was written. They are triggers and not part of the
// statements that write, so that nobody who writes there can forget it, a person with a database's own tools least of all.
// The statement that writes most of them says the epoch all the same (upsertKnown): in SQLite, where a trigger has to write the
// row a second time, it does so only if the epoch is not right (SQLiteRestamp, which came later).
//
// In SQLite all transactions that write stand in one row. In PostgreSQL, whoever writes holds the epoch of the scope as it is
// until the commit, and a run that wants to begin a new one waits for that: what is of an earlier epoch is seen by all who
// know of a later one.
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
