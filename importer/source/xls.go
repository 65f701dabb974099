package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// conversionTime is how long LibreOffice may take; its first start on a machine takes some seconds by itself.
const conversionTime = 3 * time.Minute

// converters are the names under which LibreOffice is installed.
var converters = []string{"soffice", "libreoffice"}

// openConverted reads an old .xls by having LibreOffice convert it, where that is installed. No Go library reads these
// files well enough: the ones tried give wrong dates or panic.
func openConverted(ctx context.Context, path string, file io.Closer, o Options) ([]table, error) {
	program := findConverter()
	if program == "" {
		return nil, &Error{What: "this is an .xls workbook of Excel 97–2003 or before, which is read only with the help of LibreOffice, and that is not installed here",
			Hint: "Open the file in a spreadsheet program and save it as .xlsx, or install LibreOffice."}
	}
	dir, err := os.MkdirTemp("", "docketsync-xls-*")
	if err != nil {
		return nil, err
	}
	converted, err := convert(ctx, program, path, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	plain, err := os.Open(converted)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	info, err := plain.Stat()
	var tables []table
	if err == nil {
		tables, err = openArchive(ctx, convertedFile{plain, file, dir}, info.Size(), o)
	}
	if err != nil {
		return nil, errors.Join(err, plain.Close(), os.RemoveAll(dir))
	}
	for i, t := range tables {
		tables[i] = convertedTable{t}
	}
	return tables, nil
}

func findConverter() string {
	for _, name := range converters {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// convert has LibreOffice write the workbook as .xlsx into the folder. It runs with a profile of its own, so that an
// open LibreOffice neither takes the job over nor is disturbed.
func convert(ctx context.Context, program, path, dir string) (string, error) {
	input, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, conversionTime)
	defer cancel()
	command := exec.CommandContext(limited, program, "-env:UserInstallation=file://"+filepath.ToSlash(filepath.Join(dir, "profile")),
		"--headless", "--norestore", "--convert-to", "xlsx", "--outdir", dir, input)
	command.WaitDelay = 5 * time.Second
	said, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	output := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".xlsx")
	if _, missing := os.Stat(output); err != nil || missing != nil {
		return "", &Error{What: fmt.Sprintf("LibreOffice could not convert this .xls workbook: %.300s", strings.TrimSpace(string(said))),
			Hint: "Open the file in a spreadsheet program and save it as .xlsx.", Err: err}
	}
	return output, nil
}

// convertedFile is the converted workbook; closing it also closes the original and removes the folder.
type convertedFile struct {
	*os.File
	original io.Closer
	dir      string
}

func (f convertedFile) Close() error {
	return errors.Join(f.File.Close(), f.original.Close(), os.RemoveAll(f.dir))
}

// convertedTable is a sheet of a converted workbook.
type convertedTable struct {
	table
}

func (t convertedTable) describe(d *Detected) {
	t.table.describe(d)
	d.Format = "xls"
	d.warn(Warning{Code: "converted", Sheet: t.sheet(), Message: "read through a conversion by LibreOffice"})
}
