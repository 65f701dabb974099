package ledger

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"path"

	"github.com/pressly/goose/v3"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// versionTable is where goose remembers which migrations a ledger has had.
const versionTable = "ledger_versions"

// migrate brings the schema up to date. Two processes that open a new ledger at the same moment take turns.
func (l *Ledger) migrate(ctx context.Context, db *sql.DB) error {
	migrations, err := l.migrations()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(l.engine.dialect(), db, nil,
		goose.WithGoMigrations(migrations...), goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	release, _, err := l.engine.lock(ctx, "schema", true)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it dies with the process at the latest
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	l.version = target
	if current > target {
		return l.newer("open", current)
	}
	if current == target {
		return nil // nothing is written, so that a ledger can be opened while another process writes for long
	}
	_, err = provider.Up(ctx)
	return err
}

// newer is the error for a ledger that a newer docketsync has written.
func (l *Ledger) newer(doing string, version int64) error {
	return &Error{
		Ledger: l.engine.label(), Doing: doing, Kind: ErrNewer,
		Err:  fmt.Errorf("its schema has version %d, this docketsync knows %d", version, l.version),
		Hint: "Use the newer docketsync, or another ledger.",
	}
}

// stillOurs makes sure that no newer docketsync has taken the ledger over since it was opened, as happens to a process that
// stays up through an upgrade: it would not know where the newer one keeps what it has sent.
func (l *Ledger) stillOurs(ctx context.Context, doing string) error {
	var version int64
	if err := l.read.QueryRowContext(ctx, `select max(version_id) from `+versionTable).Scan(&version); err != nil {
		return l.wrap(doing, err)
	}
	if version > l.version {
		return l.newer(doing, version)
	}
	return nil
}

// migrations are the files of the schema folder, in order. They are given to goose as functions, because each engine
// spells the words in braces in its own way.
func (l *Ledger) migrations() ([]*goose.Migration, error) {
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
		statements := l.engine.spell(string(text))
		list = append(list, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, statements)
			return err
		}}, nil))
	}
	return list, nil
}
