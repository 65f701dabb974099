package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
)

type importsView struct {
	Uploads    []*upload.Upload
	Limit      string
	Operations []payload.Operation
	Files      []folderFile
	First      bool // there is no job yet
}

func (p *Pages) imports(r *web.Request) error {
	list, err := p.Store.List()
	if err != nil {
		return err
	}
	files, err := p.folderFiles(r.Context())
	if err != nil {
		return err
	}
	jobs, err := p.Jobs.Work.Jobs(r.Context())
	if err != nil {
		return err
	}
	return r.Show("imports", "Import a file", importsView{list, web.Megabytes(p.Store.Limit), payload.Operations, files, len(jobs) == 0})
}

func (p *Pages) upload(r *web.Request) error {
	file, head, err := r.File()
	if err != nil {
		return err
	}
	defer file.Close()
	r.About(head.Filename)
	read, operation, err := readingOf(r.Request)
	if err != nil {
		return err
	}
	up, err := p.Store.Take(r.Context(), upload.Arrival{Who: r.Person.Name, Name: head.Filename, Read: read, Operation: operation}, file)
	if err != nil {
		return unreadable(err)
	}
	r.Remark(fmt.Sprintf("%s, %d bytes, kept as %s", head.Filename, up.Size, up.ID))
	r.About(up.ID)
	return r.SeeOther("/import/"+up.ID, "")
}

// unreadable returns the refusal of a file that cannot be read or is too large. It returns other errors as they are.
func unreadable(err error) error {
	var large *upload.LargeError
	var bad *format.Error
	switch {
	case errors.As(err, &large):
		return web.Refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %s, the limit for uploads.", web.Megabytes(large.Limit)),
			"The limit is upload_limit under console: in the configuration. On the command line, docketsync init proposes a mapping for files of any size.")
	case errors.As(err, &bad):
		hint := strings.TrimSpace(bad.Hint + " If the file was read incorrectly, choose how to read it when you upload it again.")
		return web.Refuse(http.StatusUnprocessableEntity, bad.Error(), hint)
	}
	return err
}

// betweenSheets separates the names of several sheets.
const betweenSheets = " | "

// readingOf returns the reading options and the operation in a form.
func readingOf(r *http.Request) (read upload.Reading, operation payload.Operation, err error) {
	sheets := slices.DeleteFunc(slices.Clone(r.PostForm["sheet"]), func(name string) bool { return strings.TrimSpace(name) == "" })
	read = upload.Reading{Encoding: r.PostFormValue("encoding"), Delimiter: r.PostFormValue("delimiter"), Sheet: strings.TrimSpace(strings.Join(sheets, betweenSheets)),
		NoHeader: r.PostFormValue("no_header") != "", Totals: r.PostFormValue("totals"), Hidden: r.PostFormValue("hidden")}
	for _, number := range []struct {
		name, what, hint string
		to               *int
	}{
		{"header", "a row number", "Enter the number of the row with the column names, such as 3.", &read.Header},
		{"header_rows", "a number of rows", "Enter how many rows the column names take, such as 2.", &read.HeaderRows},
		{"footer_rows", "a number of rows", "Enter how many rows at the end are no data, such as 1.", &read.FooterRows},
	} {
		text := strings.TrimSpace(r.PostFormValue(number.name))
		if text == "" || read.NoHeader && number.to != &read.FooterRows {
			continue
		}
		if *number.to, err = strconv.Atoi(text); err != nil || *number.to < 1 {
			return read, "", web.Refuse(http.StatusBadRequest, fmt.Sprintf("%q is not %s.", text, number.what), number.hint)
		}
	}
	for word := range strings.SplitSeq(r.PostFormValue("footers"), ",") {
		if word = strings.TrimSpace(word); word != "" {
			read.Footers = append(read.Footers, word)
		}
	}
	operation = payload.Operation(r.PostFormValue("operation"))
	if operation != "" && !slices.Contains(payload.Operations, operation) {
		return read, "", web.Refuse(http.StatusBadRequest, fmt.Sprintf("There is no operation %q.", operation), "Choose one from the list.")
	}
	return read, operation, nil
}

type fileView struct {
	stepsView
	Look       upload.Look
	Warnings   []format.Warning
	Records    int // rows without those that the mapping skips
	Encodings  []string
	Operations []payload.Operation
	Operation  payload.Operation // of the draft
	Sheets     []string          // the selected ones
	Footers    string
	Seen       string // digest of the draft that reading the file again would replace
}

// encodings lists the encodings that the page offers. The first one stands for detection.
var encodings = []string{"", "utf-8", "windows-1252", "windows-1250", "windows-1251", "iso-8859-15", "macintosh", "utf-16le", "shift_jis", "gb18030"}

func (p *Pages) file(r *web.Request, up *upload.Upload) error {
	look, err := up.Look(r.Context())
	if err != nil {
		return unreadable(err)
	}
	view := fileView{stepsView: viewOf(up, ""), Look: look, Warnings: warningsOf(look, up), Records: look.Data - up.Skipped, Encodings: encodings, Operations: payload.Operations}
	view.Footers = strings.Join(up.Read.Footers, ", ")
	if up.Read.Sheet != "" {
		view.Sheets = strings.Split(up.Read.Sheet, betweenSheets)
	}
	text, err := up.Text()
	if err == nil {
		view.Seen, err = up.Digest()
	}
	if err != nil {
		return err
	}
	if d, err := p.read(up, text); err == nil { // the mapping page shows the errors
		view.Operation = d.Operation()
	}
	return r.Show("importfile", up.Name, view)
}

// readingHints says what to choose on the file page, by the code of a warning. Elsewhere, warnings name the settings
// instead.
var readingHints = map[string]string{
	"encoding_guessed":     "If letters look wrong in the first rows below, choose the encoding under Change how the file is read. If they are right, there is nothing to do: the job is saved with this encoding.",
	"looks_like_total":     "They are rejected. To leave them out, enter their first cell, such as Total, under Change how the file is read; if they are records, choose there to keep them.",
	"hidden_rows":          "They are rejected. Look at them in the spreadsheet program; then choose under Change how the file is read whether they are records.",
	"lone_cell":            "To leave them out, enter their first cell under Change how the file is read.",
	"ragged_rows":          "Their cells may stand under the wrong names, so they are rejected. Compare them with the file.",
	"merged_cells":         "The other cells beneath are blank. That does no harm in titles and totals; rows that need the value are rejected: unmerge the cells in the spreadsheet and fill them.",
	"delimiter_doubtful":   "If the columns look wrong below, choose the delimiter under Change how the file is read. If they are right, there is nothing to do: the job is saved with this delimiter.",
	"header_lines_guessed": "If the names over the columns look wrong below, enter how many rows the header takes under Change how the file is read. If they are right, there is nothing to do: the job is saved with this header.",
	"quotes_kept":          "If the quotes are part of the cells, there is nothing to do: the job is saved so. If not, export the file again with quotes around all texts.",
}

// warningsOf returns the warnings about a file. A warning about several sheets is listed once.
func warningsOf(look upload.Look, up *upload.Upload) (list []format.Warning) {
	for _, w := range upload.OpenWarnings(look.Warnings, up.Skipped) {
		if w.Code == "looks_like_total" && up.Read.Totals == "keep" {
			continue // the user has decided to keep them
		}
		message, _, _ := strings.Cut(w.Message, " (merged ranges") // the number is not useful here
		w.Message, w.Hint = wording.UpperFirst(message)+".", cmp.Or(readingHints[w.Code], w.Hint)
		if at := slices.IndexFunc(list, func(before format.Warning) bool { return before.Message == w.Message }); at >= 0 {
			list[at].Sheet += ", " + w.Sheet
			continue
		}
		list = append(list, w)
	}
	return list
}

// readAgain reads the file with other options, or for another operation. It resets the draft.
func (p *Pages) readAgain(r *web.Request, up *upload.Upload) error {
	var err error
	if up.Read, up.Operation, err = readingOf(r.Request); err != nil {
		return err
	}
	if err := up.Propose(r.Context(), r.PostFormValue("seen")); err != nil {
		return unreadable(err)
	}
	return r.SeeOther("/import/"+up.ID, "The file was read again, and the mapping has been reset.")
}

func (p *Pages) discard(r *web.Request, up *upload.Upload) error {
	err := up.Discard(r.PostFormValue("seen"))
	if errors.Is(err, upload.ErrChanged) {
		return err
	}
	if err != nil {
		return web.Refuse(http.StatusConflict, "The upload cannot be deleted: "+err.Error()+".", "Remove the job from the configuration first.")
	}
	return r.SeeOther("/import", up.Name+" was deleted.")
}

// folderFile is a file in a folder that jobs read from.
type folderFile struct {
	Path string
	Size string
}

// filesShown is the maximum number of such files that the page offers.
const filesShown = 200

// folderFiles lists the files that another job may read in the folders that jobs read from. It leaves out links. A
// folder that cannot be read, or is on another machine, has no files.
func (p *Pages) folderFiles(ctx context.Context) (files []folderFile, err error) {
	jobs, err := p.Jobs.Work.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	refused, err := p.Work.Refused()
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, job := range jobs {
		if job.Inbox != "" {
			folders = append(folders, filepath.Clean(job.Inbox))
		}
		for _, file := range job.Files {
			folders = append(folders, filepath.Dir(file))
		}
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		entries, _ := os.ReadDir(folder) // no entries if the folder does not exist
		for _, entry := range entries {
			info, err := entry.Info()
			path := filepath.Join(folder, entry.Name())
			if err != nil || !info.Mode().IsRegular() || len(files) == filesShown || !upload.Table(path) || refused(path) != "" {
				continue
			}
			files = append(files, folderFile{path, web.Megabytes(info.Size())})
		}
	}
	slices.SortFunc(files, func(a, b folderFile) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// takeFile starts an import with a file of such a folder.
func (p *Pages) takeFile(r *web.Request) error {
	path := r.PostFormValue("path")
	r.About(path)
	files, err := p.folderFiles(r.Context())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(files, func(f folderFile) bool { return f.Path == path }) {
		return web.Refuse(http.StatusNotFound, "This file is not in a folder that jobs read from.", "Choose one from the list, or upload it.")
	}
	file, err := os.OpenInRoot(filepath.Dir(path), filepath.Base(path)) // it may have been replaced by a link
	if err != nil {
		return err
	}
	up, err := p.Store.Take(r.Context(), upload.Arrival{Who: r.Person.Name, Name: filepath.Base(path), Origin: path}, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return unreadable(err)
	}
	r.Remark("taken as " + up.ID)
	return r.SeeOther("/import/"+up.ID, "")
}
