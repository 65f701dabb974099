// Package firms is a folder of firms, as a process knows it that serves several: which there are, which of them this process may serve, and how one is opened. What is
// done with them is for its users to say: the daemon runs their jobs, the console shows their pages.
//
// A process reads nothing but the labels of a firm that demands one which it lacks. They may be added at any moment, so they are read before any secret is,
// each time, and compared with those that come with the secrets. It imports installation and terminal.
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
	Labels map[string]string // that the process has
	Server bool              // ledgers have to be on a server, since other processes open them as well
	Log    *zap.Logger

	console string // the address of the console of all firms, "" for none
}

// Of is the folder that a configuration names.
func Of(setup *installation.Setup, settings *config.Config, log *zap.Logger, labels map[string]string) *Folder {
	return &Folder{Setup: setup, Dir: settings.Firms, Labels: labels, Log: log, console: strings.TrimRight(settings.Console.URL, "/")}
}

// All are the setups of all firms of a configuration, by their names.
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

// Names names the firms of the folder: the folders in it that have a configuration, also one that nobody can get at, which is that firm's trouble and does not
// mean that it is gone. Those that begin with a dot or an underscore are none, so that there is room for base mappings, and for a firm that is being copied.
func (d *Folder) Names() (names []string, err error) {
	names, err = d.Entries()
	return slices.DeleteFunc(names, func(name string) bool { return !d.Has(name) }), err
}

// Entries names what may be a firm, as Names does, without looking into it.
func (d *Folder) Entries() (names []string, err error) {
	entries, err := os.ReadDir(d.Dir)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !strings.HasPrefix(entry.Name(), "_") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// Has tells whether one of the entries is a firm.
func (d *Folder) Has(name string) bool {
	info, err := os.Stat(d.Path(name))
	none := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // the second of a file beside the folders
	return err == nil && !info.IsDir() || err != nil && !none && config.IsFirmName(name)
}

// Path is the configuration of a firm.
func (d *Folder) Path(name string) string { return filepath.Join(d.Dir, name, config.FirmFile) }

// Files are those that a configuration is read from.
func Files(path string) []string {
	jobs, _ := filepath.Glob(filepath.Join(filepath.Dir(path), config.JobsFolder, "*"))
	return append([]string{path}, jobs...)
}

// Stamp tells files, as they are now, from what they were before and will be.
func Stamp(paths []string) string {
	var stamp strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&stamp, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		} else {
			fmt.Fprintln(&stamp, err) // so that who has not read it yet finds out why
		}
	}
	return stamp.String()
}

// Serves tells whether the process may serve a firm: it has all labels that the firm demands.
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

// ElsewhereError tells that a firm is for processes with labels that this one does not have.
type ElsewhereError struct {
	Labels string // that the firm demands
}

func (e *ElsewhereError) Error() string {
	return "the firm demands the labels " + e.Labels + ", which this process does not have\nStart a node that has them: " + nodeWith(e.Labels)
}

// UnservedError tells that no process is there that has the labels which a firm demands.
type UnservedError struct {
	Labels string
}

func (e *UnservedError) Error() string {
	return "no running node has the labels " + e.Labels + ", which the firm demands, so nothing of it is synced\nStart one that has them: " + nodeWith(e.Labels)
}

// nodeWith is the command that starts a node with labels.
func nodeWith(labels string) string {
	return "docketsync node --label " + strings.ReplaceAll(labels, " ", " --label ")
}

// GoneError tells that a firm is not in the folder any more.
type GoneError struct {
	File string // its configuration
}

func (e *GoneError) Error() string {
	return "the firm is gone: " + e.File + " does not exist\nPut its folder back to have it synced"
}

// Settings reads the configuration of a firm that admit lets through by its labels.
func (d *Folder) Settings(name string, admit func(demands map[string]string) error) (*config.Config, error) {
	if !config.IsFirmName(name) { // that of a part to be sent comes from River's table
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

// SetupOf is the setup of a firm, whose lines bear its name.
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

// named writes each line with the name of a firm before it.
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
