package sandbox

import "fmt"

// nameLimit is the greatest number of characters of the name of a folder and of a file in it (interface.md part 8).
const nameLimit = 254

// createFolder reads the payload of interface.md part 4.4.
func (s *Server) createFolder(q *request) work {
	f, ok := q.open(s)
	if !ok {
		return nil
	}
	now := s.options.Now().UTC()
	folder := folderRow{CreatedBy: q.user, CreatedAt: now}
	folder.Name, _ = f.text("name", required, nameLimit)
	folder.Name = q.kept(folder.Name)
	folder.Client = f.reference("client_id", required, aCompany)
	files, _ := f.typed("files", required, anArray)
	rows := make([]caseRow, 0, len(files.items))
	for i, v := range files.items {
		rows = append(rows, s.folderFile(f, q, i, v, caseRow{
			Origin: CreateFolder, Active: true, Client: folder.Client,
			CreatedBy: q.user, UpdatedBy: q.user, CreatedAt: now, UpdatedAt: now,
		}))
	}
	f.done()
	q.key = folder.Name
	return func(t *tx) (answer, error) { return s.storeFolder(t, folder, rows) }
}

func (s *Server) folderFile(parent *fields, q *request, i int, v value, row caseRow) caseRow {
	f, ok := parent.inside("files", i, v)
	if !ok {
		return row
	}
	row.Name, _ = f.text("name", required, nameLimit)
	row.Number = s.folderFileNumber(f)
	row.Owner = or(f.reference("user_id", optional, aUser), q.user)
	if row.Owner == "" {
		f.fault("user_id", "is required, because the request carries no %s that names a user", s.options.CookieHeader)
	}
	row.Status = or(f.reference("file_status_id", optional, aStatus), s.index.firstStatus())
	row.Template = or(f.reference("file_template_id", optional, aTemplate), s.index.firstTemplate())
	f.done()
	return row
}

// folderFileNumber takes a number with the digits it was written with.
func (s *Server) folderFileNumber(f *fields) string {
	v, there := f.take("number", required)
	if !there {
		return ""
	}
	number, text := allowed(s.options.Switches.FolderFileNumber)
	if v.form == aNumber && number || v.form == aString && text {
		return v.text
	}
	f.fault("number", "must be %s, not %s", either(number, aNumber, text, aString), v.form)
	return ""
}

func (s *Server) storeFolder(t *tx, folder folderRow, rows []caseRow) (answer, error) {
	folder, err := t.insertFolder(folder)
	if err != nil {
		return answer{}, err
	}
	stored := make([]caseRow, 0, len(rows))
	for _, row := range rows {
		row.Folder = folder.ID
		kept, err := t.insertCase(row)
		if err != nil {
			return answer{}, err
		}
		stored = append(stored, kept)
	}
	a := answer{status: 201, acted: true, target: folder.ID}
	switch s.options.Answers.Folder {
	case BodyRecord:
		a.body = s.folderRecord(folder, stored)
	case BodyID:
		a.body = map[string]string{"id": folder.ID}
	}
	return a, nil
}

// allowed tells which forms of a member a switch lets in.
func allowed(f Form) (byList, bySchema bool) { return f != BySchema, f != ByFieldList }

// either names the forms that a member may have.
func either(a bool, one form, b bool, other form) string {
	switch {
	case a && b:
		return fmt.Sprintf("%s or %s", one, other)
	case a:
		return string(one)
	default:
		return string(other)
	}
}
