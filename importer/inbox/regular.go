package inbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Whoever fills the folder may be a stranger: a link there leads to whatever docketsync may read, and a pipe or a device keeps
// whoever opens it waiting. So nothing but files themselves is opened, and what else has a name that is wanted is put among the
// rejected unread. A hard link cannot be told from a file; systems refuse one to a file that its maker may not read.

// plain tells whether something is a file itself. Some systems mark files so that are kept elsewhere until they are read.
func plain(info fs.FileInfo) bool { return info.Mode().Type()&^fs.ModeIrregular == 0 }

// openPlain opens a file, and nothing that a link of its name leads to, or that takes its place meanwhile.
func openPlain(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !plain(before) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("this is %s, not a file", kindOf(before))}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|unfollowed, 0)
	if err != nil {
		return nil, err
	}
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		_ = file.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it was replaced by something else")}
	}
	return file, nil
}

func kindOf(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode.IsDir():
		return "a folder"
	}
	return "a device or a socket"
}

// refuse puts what is no file among the rejected by its name alone, with the reason beside it.
func (f *Folder) refuse(from, name string, info fs.FileInfo) (Aside, error) {
	why := fmt.Sprintf("It is %s. Only regular files are taken, so it was not opened and nothing it points to was read. Put the file itself into the inbox.", kindOf(info))
	to, err := f.withNote(f.Rejected, name, why)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return Aside{}, fmt.Errorf("%s is %s and cannot be put away; remove it: %w", name, kindOf(info), err)
	}
	return Aside{Name: name, Path: to, Why: why}, nil
}

// ownPlace makes sure that the folders that files are moved to are none that somebody else put elsewhere: they may be in the inbox,
// where whoever fills it can make links.
func (f *Folder) ownPlace() error {
	for _, own := range []string{filepath.Join(f.Path, ownFolder), f.Archive, f.Rejected} {
		if info, err := os.Lstat(own); err == nil && !info.IsDir() && !ours(info) {
			return fmt.Errorf("%s is %s; remove it", own, kindOf(info))
		}
	}
	return nil
}
