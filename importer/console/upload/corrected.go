package upload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// correctedFolder holds, in the folder of all uploads, the files that jobs read in place of their own source: each in a folder of
// its own, under which the run that read it names it.
const correctedFolder = "corrected"

// KeepCorrected keeps a file that a job is to read once in place of its own source, readable by docketsync alone. name must lead
// nowhere. undo takes it away again.
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
	undo = func() { _ = os.RemoveAll(dir) } // what is left is a file that nothing names
	path = filepath.Join(dir, name)
	if _, err := s.keep(path, r); err != nil {
		undo()
		var large *LargeError
		if errors.As(err, &large) {
			return "", nil, err
		}
		return "", nil, fmt.Errorf("the file cannot be kept: %w", err)
	}
	return path, undo, nil
}
