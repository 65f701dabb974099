package proposing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/setup"
	"docketsync/importer/console/upload"
)

// firstConfig is the configuration that init writes where there is none: that of somebody who has the console make one to try, and a job.
func firstConfig(job string) string { return setup.Sandbox().Text() + "\njobs:\n" + job }

// newJob is where a proposal goes.
type newJob struct {
	job     string
	mapping string // path of the mapping
	file    string // path of the source as the configuration has it
	named   string // path of the mapping as the configuration has it
}

// newJobOf names the job and the mapping after the file, and puts the mapping beside the configuration unless out says where.
func newJobOf(path, configFile, out string) newJob {
	base := filepath.Base(path)
	job := upload.JobName(strings.TrimSuffix(base, filepath.Ext(base)))
	if out == "" {
		out = filepath.Join(filepath.Dir(configFile), job+".mapping.yaml")
	}
	return newJob{job: job, mapping: out, file: upload.RelativeTo(configFile, path), named: upload.RelativeTo(configFile, out)}
}

// newFile is a file that is to be written where there is none.
type newFile struct {
	path string
	text []byte
}

// writeNew writes all files or none. It writes over nothing: a file that is there already is an error that names it.
func writeNew(files []newFile) (err error) {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 {
		return exit.Mistakef("%s already there, and init never overwrites a file; nothing was written\nMove it away, or write elsewhere with --out FOLDER/FILE",
			isOrAre(there))
	}
	var written []string
	defer func() {
		for _, path := range written {
			if err != nil {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
			return err
		}
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
		if errors.Is(err, fs.ErrExist) {
			return exit.Mistakef("%s was created in the meantime, and init never overwrites a file", f.path)
		}
		if err != nil {
			return err
		}
		written = append(written, f.path)
		_, err = file.Write(f.text)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

func isOrAre(list []string) string {
	if len(list) == 1 {
		return list[0] + " is"
	}
	return strings.Join(list, ", ") + " are"
}
