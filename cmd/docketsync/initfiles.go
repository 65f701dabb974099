package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/upload"
	"docketsync/mapping/infer"
)

// firstConfig is the configuration that init writes where there is none, up to its job.
const firstConfig = `# Without any environment variable this sends to a sandbox inside the process.
service:
  base_url: {env: DOCKETSYNC_BASE_URL, default: sandbox}
  subscription_key: {env: DOCKETSYNC_SUBSCRIPTION_KEY, default: sandbox-key}
  auth_cookie: {env: DOCKETSYNC_AUTH_COOKIE, default: sandbox-cookie}
  paths:
    update_case: /v1/firms/file
    update_trademark: /v1/firms/trademark

jobs:
`

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
	return newJob{job: job, mapping: out, file: relative(configFile, path), named: relative(configFile, out)}
}

// relative is a path as the configuration has it: from its folder, where there is a way.
func relative(configFile, path string) string {
	from, err1 := filepath.Abs(filepath.Dir(configFile))
	to, err2 := filepath.Abs(path)
	if err := errors.Join(err1, err2); err != nil || filepath.IsAbs(path) {
		return path
	}
	if short, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(short)
	}
	return to
}

// jobLines is the job as it stands under jobs:.
func (p newJob) jobLines(o fileOptions) string {
	settings := ""
	add := func(key, value string) {
		if value != "" {
			settings += ", " + key + ": " + infer.Scalar(value)
		}
	}
	add("format", o.Format)
	add("encoding", o.Encoding)
	add("delimiter", o.Delimiter)
	add("quote", o.Quote)
	add("escape", o.Escape)
	add("sheet", o.Sheet)
	if o.Header > 0 {
		settings += ", header: " + strconv.Itoa(o.Header)
	}
	if o.HeaderRows > 0 {
		settings += ", header_rows: " + strconv.Itoa(o.HeaderRows)
	}
	if o.NoHeader {
		settings += ", no_header: true"
	}
	if o.FooterRows > 0 {
		settings += ", footer_rows: " + strconv.Itoa(o.FooterRows)
	}
	add("footer", o.Footer)
	if o.IgnoreHidden {
		settings += ", ignore_hidden: true"
	}
	if o.Lenient {
		settings += ", lenient: true"
	}
	add("ragged", o.Ragged)
	add("cut", o.Cut)
	add("covered", o.Covered)
	add("merged", o.Merged)
	if o.passwordEnv != "" {
		settings += ", password: {env: " + infer.Scalar(o.passwordEnv) + "}"
	}
	from := infer.Scalar(p.file)
	if settings != "" {
		from = "{file: " + from + settings + "}"
	}
	return fmt.Sprintf("  - name: %s\n    source: %s\n    mapping: %s\n", infer.Scalar(p.job), from, infer.Scalar(p.named))
}

// jobFile is the job as a file of the folder of jobs holds it.
func (p newJob) jobFile(o fileOptions) string {
	return strings.NewReplacer("\n    ", "\n", "  - ", "").Replace("\n" + p.jobLines(o))[1:]
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
		return exit.Mistakef("%s already there, and init writes over nothing; no file was written\nMove what is there away, or write elsewhere with --out FOLDER/FILE",
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
			return exit.Mistakef("%s appeared meanwhile, and init writes over nothing", f.path)
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
