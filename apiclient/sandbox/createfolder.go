package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
)

// CreateFolder is the operation of interface.md part 4.4. Part 5 leaves open whether it needs the cookie.
const CreateFolder Operation = "create_folder"

var createFolder = operation{name: CreateFolder, method: http.MethodPost, path: "/v1/firms/folder", noCookie: true, read: (*Server).readCreateFolder,
	list: "folders", page: func(s *Server, l *list, query url.Values) error {
		return stored(s, l, "folders", "name", query.Get("name"), folders)
	}}

// nameLimit is the maximum number of characters in the name of a folder and of a file in it (interface.md part 8).
const nameLimit = 254

func (s *Server) readCreateFolder(q *request, f *fields) work {
	var folder Folder
	folder.Name, _ = f.text("name", required, nameLimit)
	folder.Name = q.kept(folder.Name)
	folder.Client = f.reference("client_id", required, aCompany)
	files, _ := f.typed("files", required, anArray)
	var rows []Case
	for i, v := range files.inner {
		row := s.newCase(q, CreateFolder)
		row.Client = folder.Client
		if file, ok := f.inside("files", i, v.value); ok {
			s.folderFile(file, q, &row)
		}
		rows = append(rows, row)
	}
	q.entry.Key = folder.Name
	return func(t tx) (*answer, error) { return s.storeFolder(t, q, folder, rows) }
}

func (s *Server) folderFile(f *fields, q *request, row *Case) {
	row.Name, _ = f.text("name", required, nameLimit)
	if s.options.Switches.FolderFileNumberAsText {
		row.Number, _ = f.text("number", required, 0)
	} else if v, ok := f.typed("number", required, aNumber); ok {
		row.Number = v.text // with the digits as written
	}
	if row.Owner = cmp.Or(f.reference("user_id", optional, aUser), q.user); row.Owner == "" {
		f.fault("user_id", "is required, because the request carries no %s that names a user", s.options.CookieHeader)
	}
	row.Status = cmp.Or(f.reference("file_status_id", optional, aStatus), idOf(s.index.status))
	row.Template = cmp.Or(f.reference("file_template_id", optional, aTemplate), idOf(s.index.template))
	f.done()
}

func (s *Server) storeFolder(t tx, q *request, folder Folder, rows []Case) (*answer, error) {
	folder.ID = newID()
	err := t.exec(`insert into folders (id, name, client, created_by, created_at) values (?, ?, ?, ?, ?)`, folder.ID, folder.Name, folder.Client, q.user, s.now().UnixMicro())
	if err != nil {
		return nil, err
	}
	for n := range rows {
		rows[n].Folder = folder.ID
		if rows[n], err = t.saveCase(rows[n]); err != nil {
			return nil, err
		}
	}
	a := &answer{status: http.StatusCreated, acted: true, target: folder.ID}
	switch s.options.Answers.Folder {
	case BodyRecord:
		a.body = s.folderRecord(folder, rows)
	case BodyID:
		a.body = map[string]string{"id": folder.ID}
	}
	return a, nil
}

// Folder is a folder with the number of its files, which are stored as cases.
type Folder struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Client string `json:"client_id"`
	Files  int64  `json:"file_count"`
}

// folders reads folders; rest is what follows the from clause.
func folders(q querier, rest string, args ...any) ([]Folder, error) {
	return query(q, `select id, name, client, (select count(*) from cases where folder = folders.id and folder <> '') from folders `+rest,
		func(scan func(...any) error) (f Folder, err error) {
			err = scan(&f.ID, &f.Name, &f.Client, &f.Files)
			return f, err
		}, args...)
}
