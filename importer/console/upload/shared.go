package upload

import (
	"archive/tar"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/importer/atomicfile"
	"docketsync/importer/console/shelf"
)

// If several consoles share a shelf, an upload is on it in two parts: its file, which seldom changes, and everything
// else in its folder, the draft, as one archive, so that a draft is always complete. The folder is this console's copy;
// versionsFile says of which versions. An upload without a versionsFile is on this console only, such as uploads of
// earlier releases, until its draft changes.

const versionsFile = ".shelf.json"

type versions struct {
	File  int64 `json:"file"`
	Draft int64 `json:"draft"`
}

func shelfName(id, part string) string { return "upload/" + id + "/" + part }

func (s *Store) versions(id string) (v versions) {
	if text, err := os.ReadFile(filepath.Join(s.Dir, id, versionsFile)); err == nil {
		_ = json.Unmarshal(text, &v) // what cannot be read is fetched again
	}
	return v
}

func (s *Store) remember(id string, v versions) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Put(filepath.Join(s.Dir, id, versionsFile), 0o600, text)
}

// share puts an upload on the shelf as it is in its folder now. changed says that the file is a new one.
func (s *Store) share(ctx context.Context, id, file string, changed bool) error {
	if s.Shelf == nil {
		return nil
	}
	s.sharing.Lock()
	defer s.sharing.Unlock()
	v := s.versions(id)
	err := error(nil)
	if changed || v.File == 0 {
		v.File, err = s.Shelf.PutFile(ctx, shelfName(id, "file"), v.File, filepath.Join(s.Dir, id, file))
	}
	if err == nil {
		var archive bytes.Buffer
		if err = s.pack(&archive, id, file); err == nil {
			v.Draft, err = s.Shelf.Put(ctx, shelfName(id, "draft"), v.Draft, &archive)
		}
	}
	if errors.Is(err, shelf.ErrChanged) {
		return ErrChanged // the next bring fetches the other version
	}
	if err != nil {
		return err
	}
	return s.remember(id, v)
}

// draftFiles returns the files of a draft, as paths in the folder: all but the uploaded file, files that it replaced,
// and hidden files.
func (s *Store) draftFiles(id, file string) (list []string, err error) {
	dir := filepath.Join(s.Dir, id)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err != nil || !entry.Type().IsRegular() || strings.HasPrefix(name, ".") || filepath.Dir(path) == dir && strings.HasPrefix(name, file) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err
}

func (s *Store) pack(w io.Writer, id, file string) error {
	names, err := s.draftFiles(id, file)
	archive := tar.NewWriter(w)
	for _, name := range names {
		text, reading := os.ReadFile(filepath.Join(s.Dir, id, filepath.FromSlash(name)))
		if err = errors.Join(err, reading); err == nil {
			err = archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))})
		}
		if err == nil {
			_, err = archive.Write(text)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(err, archive.Close())
}

// bring makes the folder of an upload match the shelf; with whole, its file too. It returns fs.ErrNotExist if the
// upload has been discarded at another console.
func (s *Store) bring(ctx context.Context, id string, whole bool) error {
	if s.Shelf == nil {
		return nil
	}
	s.sharing.Lock()
	defer s.sharing.Unlock()
	v := s.versions(id)
	there, err := s.Shelf.Version(ctx, shelfName(id, "draft"))
	switch {
	case err != nil:
		return err
	case there == 0 && v.Draft == 0:
		return nil
	case there == 0:
		return errors.Join(os.RemoveAll(filepath.Join(s.Dir, id)), fs.ErrNotExist)
	case there != v.Draft:
		if v.Draft, err = s.unpack(ctx, id); err != nil {
			return err
		}
	}
	u, err := s.read(id)
	if err != nil || !whole {
		return errors.Join(err, s.remember(id, v))
	}
	if there, err = s.Shelf.Version(ctx, shelfName(id, "file")); err == nil && there != v.File {
		v.File, err = s.Shelf.FetchFile(ctx, shelfName(id, "file"), u.Path())
	}
	return errors.Join(err, s.remember(id, v))
}

// unpack makes the draft match the shelf.
func (s *Store) unpack(ctx context.Context, id string) (version int64, err error) {
	var text bytes.Buffer
	if version, err = s.Shelf.Fetch(ctx, shelfName(id, "draft"), &text); err != nil {
		return 0, err
	}
	dir, brought := filepath.Join(s.Dir, id), []string{}
	archive := tar.NewReader(&text)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		path := filepath.Join(dir, filepath.FromSlash(header.Name))
		if err == nil && !filepath.IsLocal(header.Name) {
			err = errors.New("what is kept of the upload leads out of its folder")
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = atomicfile.Write(path, 0o600, func(w io.Writer) error { _, err := io.Copy(w, archive); return err })
		}
		if err != nil {
			return 0, err
		}
		brought = append(brought, header.Name)
	}
	u, err := s.read(id)
	if err != nil {
		return 0, err
	}
	files, err := s.draftFiles(id, u.File)
	for _, name := range files {
		if !slices.Contains(brought, name) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	return version, err
}

// Bring makes sure that an uploaded file is in this console's folder, wherever it was uploaded. It ignores other paths.
func (s *Store) Bring(ctx context.Context, path string) error {
	switch {
	case s.Shelf == nil || !s.Holds(path):
		return nil
	case !s.IsCorrected(path):
		err := s.bring(ctx, filepath.Base(filepath.Dir(path)), true)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the reader of the file reports that it is missing
		}
		return err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err := s.Shelf.FetchFile(ctx, s.correctedName(path), path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// correctedName is the name on the shelf of a file that KeepCorrected has kept.
func (s *Store) correctedName(path string) string {
	return correctedFolder + "/" + filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// shelved returns the ids of the uploads on the shelf that were put there before a time, zero for all.
func (s *Store) shelved(ctx context.Context, before time.Time) (ids []string, err error) {
	names, err := s.Shelf.Names(ctx, "upload/", before)
	for _, name := range names {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(name, "upload/"), "/draft"); ok && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// Shared returns the folder of uploads for maintenance outside a console. db is the database that consoles share it in,
// nil for none.
func Shared(ctx context.Context, dir string, db *sql.DB) (s *Store, err error) {
	s = &Store{Dir: dir}
	if db != nil {
		s.Shelf, err = shelf.Open(ctx, db)
	}
	return s, err
}

// BringAll brings all uploads of other consoles, for maintenance that has to look into all of them.
func (s *Store) BringAll(ctx context.Context) error {
	ids, err := s.shelved(ctx, time.Time{})
	for _, id := range ids {
		if bringing := s.bring(ctx, id, true); !errors.Is(bringing, fs.ErrNotExist) {
			err = errors.Join(err, bringing)
		}
	}
	names, listing := s.Shelf.Names(ctx, correctedFolder+"/", time.Time{})
	for _, name := range names {
		err = errors.Join(err, s.Bring(ctx, filepath.Join(s.Dir, filepath.FromSlash(name))))
	}
	return errors.Join(err, listing)
}

// DropMissing removes from the shelf what is not in the folder. Call it after BringAll and removing files.
func (s *Store) DropMissing(ctx context.Context) error {
	return s.ExpireShelf(ctx, time.Time{}, func(path string) bool {
		_, err := os.Lstat(path)
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// ExpireShelf does what Expire does, for the shelf.
func (s *Store) ExpireShelf(ctx context.Context, before time.Time, keep func(path string) bool) error {
	ids, err := s.shelved(ctx, before)
	for _, id := range ids {
		if !before.IsZero() {
			_ = s.bring(ctx, id, false) // the draft says which job reads it
		}
		if u, reading := s.read(id); reading != nil || !keep(u.Path()) {
			err = errors.Join(err, s.Shelf.Delete(ctx, "upload/"+id))
		}
	}
	names, listing := s.Shelf.Names(ctx, correctedFolder+"/", before)
	for _, name := range names {
		if !keep(filepath.Join(s.Dir, filepath.FromSlash(name))) {
			err = errors.Join(err, s.Shelf.Delete(ctx, name))
		}
	}
	return errors.Join(err, listing)
}
