package payload

// CreateFolder creates a folder with cases in it (interface.md part 4.4).
const CreateFolder Operation = "create_folder"

var createFolder = About{
	Operation: CreateFolder, Creates: true, Path: "/v1/firms/folder", NoCookie: true, Answer: PromiseNothing,
	Title: "name", Key: "name", List: "folders", One: "folder", Many: "folders",
	Axes: []Axis{{"client", "client_id"}, {"status", "files.file_status_id"}}, Fields: createFolderFields,
}

// maxNameLength is the maximum number of characters (not bytes) in the name of a folder or of a file in it
// (interface.md part 8).
const maxNameLength = 254

func createFolderFields(s Switches) []Field {
	number := Field{Name: "number", Type: TypeNumber, Required: true, Reference: true, Doc: "number of the file", digits: true}
	if s.FolderFileNumberAsText {
		number.Type = TypeText
	}
	return []Field{
		{Name: "name", Type: TypeText, Required: true, Max: maxNameLength, Doc: "name of the folder"},
		{Name: "client_id", Type: TypeGUID, Required: true, Doc: "existing client; a folder holds only files of one client"},
		{Name: "files", Type: TypeItems, Required: true, Always: true, Doc: "files to create in the folder", Identity: []string{"number"}, Items: []Field{
			{Name: "name", Type: TypeText, Required: true, Max: maxNameLength, Doc: "name of the file"},
			number,
			{Name: "user_id", Type: TypeGUID, Doc: "owner of the file; the signed-in user when left out"},
			{Name: "file_status_id", Type: TypeGUID, Doc: "status; a default of the service when left out"},
			{Name: "file_template_id", Type: TypeGUID, Doc: "template; a default of the service when left out"},
		}},
	}
}
