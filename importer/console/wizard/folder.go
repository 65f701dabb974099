package wizard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
)

// folderFile is a file that lies in a folder which jobs read from.
type folderFile struct {
	Path string
	Size string
}

// filesShown is how many files of folders are offered.
const filesShown = 200

// folderFiles lists the tables in the folders that jobs read from, and nothing that leads out of them. A folder that cannot be looked
// into, or that is on another machine, has none.
func (p *Pages) folderFiles(ctx context.Context) (files []folderFile, err error) {
	jobs, err := p.Jobs.Work.Jobs(ctx)
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
		if rel, err := filepath.Rel(p.Store.Dir, folder); err == nil && !strings.HasPrefix(rel, "..") {
			continue // what was uploaded is listed as such
		}
		entries, _ := os.ReadDir(folder) // none where there is no such folder
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || !upload.Table(entry.Name()) || len(files) == filesShown {
				continue
			}
			files = append(files, folderFile{filepath.Join(folder, entry.Name()), web.Megabytes(info.Size())})
		}
	}
	slices.SortFunc(files, func(a, b folderFile) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// takeFile begins an import with a file of such a folder.
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
	file, err := os.OpenInRoot(filepath.Dir(path), filepath.Base(path)) // a link may have taken its place
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
