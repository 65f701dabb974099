// Package firms is a folder of firms, as known to a process that serves several: which firms there are, which of them
// this process may serve, and how one is opened. Its users decide what to do with them: the daemon runs their jobs, the
// console shows their pages.
//
// If a firm demands a label that the process lacks, the process reads nothing of it but the labels. They may be added
// at any moment, so they are read before any secret is, each time, and compared with those that are read together with
// the secrets. It imports installation and terminal.
package firms

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/report/remedy"
)

// Folder is a folder of firms, as one process serves them.
type Folder struct {
	Setup  *installation.Setup // of the process
	Dir    string
	Labels map[string]string // labels that the process has
	Server bool              // ledgers must be on a server, because other processes open them as well
	Log    *zap.Logger

	console string // the address of the console of all firms, "" for none
}

// Of returns the folder that a configuration names.
func Of(setup *installation.Setup, settings *config.Config, log *zap.Logger, labels map[string]string) *Folder {
	return &Folder{Setup: setup, Dir: settings.Firms, Labels: labels, Log: log, console: strings.TrimRight(settings.Console.URL, "/")}
}

// All returns the setups of all firms of a configuration, by name.
func All(setup *installation.Setup) (list []*installation.Setup, err error) {
	settings, err := setup.Settings()
	if err != nil {
		return nil, err
	}
	if settings.Firms == "" {
		return nil, exit.Mistakef("the configuration %s has no firms: DIR\nName one that has with --config FILE", setup.ConfigFile)
	}
	d := Of(setup, settings, setup.Logger(settings.Log.Level, settings.Log.Format), nil)
	names, err := d.Names()
	for _, name := range names {
		list = append(list, d.SetupOf(name))
	}
	return list, err
}

// Names lists the firms of the folder: the folders in it that have a configuration. One that cannot be read counts too:
// that is the firm's trouble, and does not mean that it is gone. Folders that begin with a dot or an underscore do not
// count, which leaves room for base mappings, and for a firm that is being copied.
func (d *Folder) Names() (names []string, err error) {
	names, err = d.Entries()
	return slices.DeleteFunc(names, func(name string) bool { return !d.Has(name) }), err
}

// Entries returns the names that may be firms, as Names does, but does not look into them.
func (d *Folder) Entries() (names []string, err error) {
	entries, err := os.ReadDir(d.Dir)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !strings.HasPrefix(entry.Name(), "_") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// Has reports whether one of the entries is a firm.
func (d *Folder) Has(name string) bool {
	info, err := os.Stat(d.Path(name))
	none := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // ENOTDIR if the entry is a file
	return err == nil && !info.IsDir() || err != nil && !none && config.IsFirmName(name)
}

// Path returns the path of a firm's configuration.
func (d *Folder) Path(name string) string { return filepath.Join(d.Dir, name, config.FirmFile) }

// Files returns the files that a configuration is read from.
func Files(path string) []string {
	jobs, _ := filepath.Glob(filepath.Join(filepath.Dir(path), config.JobsFolder, "*"))
	return append([]string{path}, jobs...)
}

// Stamp identifies the present state of files.
func Stamp(paths []string) string {
	var stamp strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&stamp, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		} else {
			fmt.Fprintln(&stamp, err) // a new error is noticed by whoever has not read the file yet
		}
	}
	return stamp.String()
}

// Serves reports whether the process may serve a firm: it has all labels that the firm demands.
func (d *Folder) Serves(demands map[string]string) bool {
	for name, value := range demands {
		if d.Labels[name] != value {
			return false
		}
	}
	return true
}

// LabelText is labels as a text.
func LabelText(labels map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, name+"="+labels[name])
	}
	return strings.Join(list, " ")
}

// ElsewhereError says that a firm is for processes with labels that this one does not have.
type ElsewhereError struct {
	Labels string // that the firm demands
}

func (e *ElsewhereError) Error() string {
	return "the firm demands the labels " + e.Labels + ", which this process does not have\nStart a node that has them: " + nodeWith(e.Labels)
}

// UnservedError says that no running process has the labels that a firm demands.
type UnservedError struct {
	Labels string
}

func (e *UnservedError) Error() string {
	return "no running node has the labels " + e.Labels + ", which the firm demands, so nothing of it is synced\nStart one that has them: " + nodeWith(e.Labels)
}

// nodeWith returns the command that starts a node with labels.
func nodeWith(labels string) string {
	return "docketsync node --label " + strings.ReplaceAll(labels, " ", " --label ")
}

// GoneError says that a firm is no longer in the folder.
type GoneError struct {
	File string // its configuration
}

func (e *GoneError) Error() string {
	return "there is no such firm: " + e.File + " does not exist\nIf the firm was there before, put its folder back to have it synced"
}

// Settings reads the configuration of a firm, if admit accepts its labels.
func (d *Folder) Settings(name string, admit func(demands map[string]string) error) (*config.Config, error) {
	if !config.IsFirmName(name) { // the name in a part to be sent comes from River's table
		return nil, exit.Mistakef("%q is not the name of a firm\nName the folder with lowercase letters a to z, digits, - and _, starting with a letter, up to 48 characters", name)
	}
	setup := d.SetupOf(name)
	demands, err := config.LabelsOf(setup.ConfigFile, setup.Env, installation.ReadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.As(exit.Usage, &GoneError{File: setup.ConfigFile})
	}
	if err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	if err := admit(demands); err != nil {
		return nil, err
	}
	settings, err := setup.Settings()
	if err != nil {
		return nil, err
	}
	if err := admit(settings.Labels); err != nil {
		return nil, err
	}
	switch {
	case settings.Firms != "":
		return nil, exit.Mistakef("firms: is not allowed in the configuration of a firm")
	case (d.Server || !settings.Ledger.IsFile()) && settings.LedgerServer.Schema != "folder":
		return nil, exit.Mistakef("a firm whose ledger is on PostgreSQL keeps it in the schema of its name\nWrite ledger_server: {schema: folder} into %s", setup.ConfigFile)
	}
	return settings, nil
}

// Open opens the ledger of a firm by its settings.
func (d *Folder) Open(ctx context.Context, name string, settings *config.Config, open func(*installation.Installation, context.Context) error) (*installation.Installation, error) {
	in := d.SetupOf(name).New(settings)
	err := open(in, ctx)
	if err == nil {
		err = in.OfFirm(ctx, name)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// SetupOf returns the setup of a firm; its log lines bear the firm's name.
func (d *Folder) SetupOf(name string) *installation.Setup {
	s := d.Setup
	screen := &terminal.Screen{Out: s.Out, Err: &named{to: s.Err, name: name}, JSON: s.JSON, Quiet: s.Quiet, Verbose: s.Verbose, NoColor: s.NoColor}
	if !s.JSON {
		screen.Out = &named{to: s.Out, name: name}
	}
	own := &installation.Setup{Screen: screen, Env: s.Env, ConfigFile: d.Path(name), Version: s.Version, Now: s.Now, Less: s.Less, Firm: name, Log: d.Log.With(zap.String("firm", name))}
	if d.console != "" {
		own.Console = d.console + remedy.FirmsPath + name
	}
	return own
}

// named writes each line with the name of a firm in front.
type named struct {
	mu   sync.Mutex
	to   io.Writer
	name string
	part []byte // of a line that has no end yet
}

func (w *named) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.part = append(w.part, text...)
	for {
		end := bytes.IndexByte(w.part, '\n')
		if end < 0 {
			return len(text), nil
		}
		line := w.name + ": " + string(w.part[:end+1])
		w.part = w.part[end+1:]
		if _, err := io.WriteString(w.to, line); err != nil {
			return 0, err
		}
	}
}
