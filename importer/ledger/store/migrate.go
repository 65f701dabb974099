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
	provider, err := goose.NewProvider(s.Engine.Dialect(), db, nil,
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
		statements := s.Engine.Spell(string(text))
		list = append(list, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, statements)
			return err
		}}, nil))
	}
	return list, nil
}
