// Package upload takes a file that nobody has mapped yet to a job: it keeps what somebody uploaded, drafts its mapping,
// shows what the draft makes of the first rows, and lists the names that wait for their ids.
//
// The life of an upload: Take puts the upload into a folder of its own in the Store and reads it through once, so that
// a file that cannot be read is refused before anything of it is kept. The folder holds the file; upload.json (who
// uploaded it, and how it is read); the draft mapping.yaml, beside proposed.yaml, the first proposal; and
// lookups/*.csv, which the draft refers to by the same relative paths as the saved mapping will. Everything else is
// computed anew from these whenever it is needed. An upload that has become a job keeps its file, which the job reads,
// and its draft.
//
// Beside the uploads, the folder keeps the files that jobs read once in place of their own source, such as corrected
// rejects. Expire removes what has not changed for long and nothing reads.
//
// If the ledger is in PostgreSQL, the folder is this console's copy of what all consoles share (shared.go): an upload
// to one can be continued at another.
//
// Nothing that a browser sends names a file here: folder and file get names made of letters, digits and hyphens, and
// the browser's name of the file is only shown. A draft may take its lookups only from its own folder, so that a
// mapping cannot be used to read other files of the machine.
package upload

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"docketsync/apiclient/payload"
	"docketsync/importer/atomicfile"
	"docketsync/importer/console/shelf"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// Store is the folder of all uploads of a console.
type Store struct {
	Dir string
	// Limit is the maximum size of a file, in bytes.
	Limit int64
	// Switches returns the current switches of the installation for reading a mapping.
	Switches func() (mapping.Options, error)

	// Shelf is where the consoles of one ledger share uploads. It is nil if there is only this console.
	Shelf *shelf.Shelf

	writing sync.Mutex // held while a draft is changed
	sharing sync.Mutex // held while the shelf is read or written
}

// Upload is an uploaded file that is becoming a job.
type Upload struct {
	ID   string    `json:"id"`
	Name string    `json:"name"` // the file name in the browser, only for display
	File string    `json:"file"` // its name in the folder
	Size int64     `json:"size"`
	Who  string    `json:"who"`
	At   time.Time `json:"at"`
	Read Reading   `json:"read"`
	// Origin is the path at which the job reads the file, "" for the folder of the upload.
	Origin string `json:"origin,omitempty"`
	// Operation is the requested operation, "" to detect it.
	Operation payload.Operation `json:"operation,omitempty"`
	// Job is the name of the job made from the upload, "" for none yet.
	Job string `json:"job,omitempty"`
	// Why and Decide explain the proposal and list what it leaves to the user.
	Why    string   `json:"why"`
	Decide []string `json:"decide"`
	// Lists are the lists of the service from which ids are picked, by lookup.
	Lists map[string]string `json:"lists,omitempty"`
	// Skipped is the number of rows that the proposal skips.
	Skipped int `json:"skipped,omitempty"`

	store *Store
}

// Reading has the options for reading a file that the user has set. The zero value detects everything.
type Reading struct {
	Encoding  string `json:"encoding,omitempty"`
	Delimiter string `json:"delimiter,omitempty"`
	Sheet     string `json:"sheet,omitempty"`
	Header    int    `json:"header,omitempty"`
	NoHeader  bool   `json:"no_header,omitempty"`
	// HeaderRows is the number of header rows. FooterRows is the number of rows at the end that are not data.
	HeaderRows int `json:"header_rows,omitempty"`
	FooterRows int `json:"footer_rows,omitempty"`
	// Footers are the first cells of rows that are not data, such as Total. An asterisk matches any text.
	Footers []string `json:"footers,omitempty"`
	Totals  string   `json:"totals,omitempty"` // see source.Options, like Hidden
	Hidden  string   `json:"hidden,omitempty"`
}

// Options returns the reading as options of a source.
func (r Reading) Options() source.Options {
	o := source.Options{Encoding: r.Encoding, Delimiter: r.Delimiter, Sheet: r.Sheet, Alike: true, Header: r.Header, NoHeader: r.NoHeader,
		HeaderRows: r.HeaderRows, FooterRows: r.FooterRows, Totals: r.Totals, Hidden: r.Hidden}
	if len(r.Footers) > 0 {
		var words []string
		for _, word := range r.Footers {
			words = append(words, strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, ".*"))
		}
		o.Footer = "(?i)^(" + strings.Join(words, "|") + `)\P{L}*$` // numbers may follow, but no name: Total War is a client
	}
	return o
}

// Table reports whether a file name has the extension of a supported table format.
func Table(name string) bool { return slices.Contains(Extensions, strings.ToLower(filepath.Ext(name))) }

// Extensions lists the extensions that a stored file can have. They are for people; the reader detects the format from
// the content.
var Extensions = []string{".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls", ".ods", ".xml", ".gz", ".zip"}

// idPattern matches the id of an upload.
var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}-[0-9a-f]{12}$`)

// uploadFile is the name of the file that describes the upload in a folder.
const uploadFile = "upload.json"

// maxFileName is the maximum length of a file name that is stored for display, in bytes.
const maxFileName = 200

// Arrival describes a new file: who provides it, where it comes from, and how to read it.
type Arrival struct {
	Who  string
	Name string // the file name in the browser or the folder
	// Origin is the path of a file on this machine that the job will read there, "" for an upload.
	Origin    string
	Read      Reading
	Operation payload.Operation // "" to detect it
}

// Take stores a copy of a file and proposes its mapping. The error is a *format.Error if the file cannot be read, and a
// *LargeError if it is too large. If there is an error, nothing is stored.
func (s *Store) Take(ctx context.Context, a Arrival, r io.Reader) (_ *Upload, err error) {
	name := a.Name[strings.LastIndexAny(a.Name, `/\`)+1:]
	name = strings.ToValidUTF8(name[:min(len(name), maxFileName)], "")
	extension := strings.ToLower(filepath.Ext(name))
	base := JobName(strings.TrimSuffix(name, filepath.Ext(name)))
	if !Table(name) {
		extension = ".csv"
	}
	var suffix [6]byte
	_, _ = rand.Read(suffix[:]) // never fails
	u := &Upload{ID: base[:min(len(base), 48)] + "-" + hex.EncodeToString(suffix[:]), Name: name, File: base + extension, Who: a.Who, At: time.Now(), Read: a.Read,
		Origin: a.Origin, Operation: a.Operation, Decide: []string{}, store: s}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(u.dir(), 0o700); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(u.dir()), s.Shelf.Delete(context.WithoutCancel(ctx), "upload/"+u.ID))
		}
	}()
	if u.Size, err = s.keep(u.Path(), r); err != nil {
		return nil, err
	}
	if err := u.Propose(ctx, ""); err != nil {
		return nil, err
	}
	return u, nil
}

func (s *Store) keep(path string, r io.Reader) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err = io.Copy(f, io.LimitReader(r, s.Limit+1))
	if err == nil && size > s.Limit {
		err = &LargeError{s.Limit}
	}
	return size, err
}

// LargeError reports that an upload exceeds the size limit.
type LargeError struct{ Limit int64 }

// Error says what the limit is.
func (e *LargeError) Error() string {
	return fmt.Sprintf("the file is larger than %d bytes, which is as large as an upload may be", e.Limit)
}

// Open opens an upload by its id. The error is fs.ErrNotExist if there is none.
func (s *Store) Open(id string) (*Upload, error) { return s.open(id, true) }

func (s *Store) open(id string, whole bool) (*Upload, error) {
	if !idPattern.MatchString(id) {
		return nil, fs.ErrNotExist
	}
	if err := s.bring(context.Background(), id, whole); err != nil {
		return nil, err
	}
	return s.read(id)
}

func (s *Store) read(id string) (*Upload, error) {
	data, err := os.ReadFile(filepath.Join(s.Dir, id, uploadFile))
	if err != nil {
		return nil, err
	}
	u := &Upload{store: s}
	if err := json.Unmarshal(data, u); err != nil {
		return nil, fmt.Errorf("what is kept of the upload %s cannot be read: %w", id, err)
	}
	u.ID, u.File = id, filepath.Base(u.File)
	return u, nil
}

// List returns the uploads, the latest first.
func (s *Store) List() ([]*Upload, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids, err := s.shelved(context.Background(), time.Time{})
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !slices.Contains(ids, entry.Name()) {
			ids = append(ids, entry.Name())
		}
	}
	var list []*Upload
	for _, id := range ids {
		// An incomplete upload is still being stored, or was left by a crash.
		if u, err := s.open(id, false); err == nil {
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b *Upload) int { return b.At.Compare(a.At) })
	return list, nil
}

func (u *Upload) dir() string { return filepath.Join(u.store.Dir, u.ID) }

// Path returns the path of the stored file.
func (u *Upload) Path() string { return filepath.Join(u.dir(), u.File) }

// Source returns the path at which a job reads the file.
func (u *Upload) Source() string {
	if u.Origin != "" {
		return u.Origin
	}
	return u.Path()
}

// Discard deletes an upload that has not become a job, if its draft still has the digest.
func (u *Upload) Discard(digest string) error {
	if u.Job != "" {
		return fmt.Errorf("the job %s reads this file", u.Job)
	}
	u.store.writing.Lock()
	defer u.store.writing.Unlock()
	if err := u.unchanged(digest); err != nil {
		return err
	}
	return errors.Join(u.store.Shelf.Delete(context.Background(), "upload/"+u.ID), os.RemoveAll(u.dir()))
}

// Became records the job that was made from the upload.
func (u *Upload) Became(job string) error {
	u.Job = job
	return u.remember()
}

// ChooseFrom records the list of the service from which the ids of a lookup are picked, "" for none.
func (u *Upload) ChooseFrom(lookup, list string) error {
	if u.Lists == nil {
		u.Lists = map[string]string{}
	}
	u.Lists[lookup] = list
	return u.remember()
}

func (u *Upload) remember() error {
	text, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		return err
	}
	return u.write(uploadFile, append(text, '\n'))
}

// write writes a file of the upload atomically, and shares the draft with the other consoles.
func (u *Upload) write(name string, text []byte) error {
	path := filepath.Join(u.dir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := atomicfile.Put(path, 0o600, text); err != nil {
		return err
	}
	return u.store.share(context.Background(), u.ID, u.File, false)
}

// correctedFolder is the folder of files that jobs read once in place of their own source. Each file has a folder of
// its own, and the name that the run shows.
const correctedFolder = "corrected"

// Holds reports whether a path belongs to an uploaded file.
func (s *Store) Holds(path string) bool {
	if s.IsCorrected(path) {
		return true
	}
	at := filepath.Dir(path)
	return filepath.Dir(at) == filepath.Clean(s.Dir) && idPattern.MatchString(filepath.Base(at))
}

// Replace replaces an uploaded file that a job reads. It keeps the previous file under a name with a time stamp. If
// readable returns an error for the new file, nothing is replaced.
func (s *Store) Replace(path string, r io.Reader, readable func(path string) error) (err error) {
	if !s.Holds(path) {
		return fmt.Errorf("%s was not uploaded", path)
	}
	fresh := filepath.Join(filepath.Dir(path), ".new-"+filepath.Base(path)) // the extension determines how it is read
	_, err = s.keep(fresh, r)
	if err == nil {
		err = readable(fresh)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if err := os.Rename(path, path+time.Now().UTC().Format(".20060102T150405.000Z")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, os.Remove(fresh))
	}
	if err := os.Rename(fresh, path); err != nil || s.IsCorrected(path) {
		return err
	}
	return s.share(context.Background(), filepath.Base(filepath.Dir(path)), filepath.Base(path), true)
}

// IsCorrected reports whether a path belongs to a file that KeepCorrected has stored.
func (s *Store) IsCorrected(path string) bool {
	return filepath.Dir(filepath.Dir(path)) == filepath.Join(s.Dir, correctedFolder)
}

// KeepCorrected stores a file that a job reads once in place of its own source. Only docketsync can read it. name must
// be a plain file name. undo removes the file.
func (s *Store) KeepCorrected(name string, r io.Reader) (path string, undo func(), err error) {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return "", nil, fmt.Errorf("%q is no name of a file", name)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", nil, err
	}
	dir := filepath.Join(s.Dir, correctedFolder, id.String())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("the file cannot be kept: %w", err)
	}
	undo = func() { // a file that remains is not referenced
		_ = s.Shelf.Delete(context.Background(), correctedFolder+"/"+id.String())
		_ = os.RemoveAll(dir)
	}
	path = filepath.Join(dir, name)
	if _, err := s.keep(path, r); err != nil {
		undo()
		return "", nil, fmt.Errorf("the file cannot be kept: %w", err)
	}
	if _, err := s.Shelf.PutFile(context.Background(), s.correctedName(path), 0, path); err != nil {
		undo()
		return "", nil, fmt.Errorf("the file cannot be kept: %w", err)
	}
	return path, undo, nil
}
