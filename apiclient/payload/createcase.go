package payload

// CreateCase creates a case (interface.md part 4.1).
const CreateCase Operation = "create_case"

var createCase = About{
	Operation: CreateCase, Creates: true, Path: "/v1/firms/file", Answer: PromiseID,
	Title: "name", Key: "number", List: "cases", One: "matter", Many: "matters",
	Axes: []Axis{{"client", "client_id"}, {"status", "active"}}, Fields: createCaseFields,
}

// UpdatedAs returns update case's name for a field of create case.
func UpdatedAs(field string) string {
	if field == "client_id" {
		return "file_client_id"
	}
	return field
}

func createCaseFields(s Switches) []Field {
	b := s.Variant == VariantB
	return []Field{
		{Name: "name", Type: TypeText, Required: true, Doc: "name of the case"},
		{Name: "number", Type: TypeText, Required: true, Reference: true, Doc: "reference of the case; the firm's own is allowed"},
		{Name: "active", Type: TypeBool, Required: true, Doc: "whether the case is active"},
		{Name: "file_template_id", Type: TypeGUID, Required: true, Doc: "case template to use"},
		{Name: "user_id", Type: TypeGUID, Required: !b, Doc: "supervisor responsible for the case"},
		{Name: "client_id", Type: TypeGUID, foreign: b, unsent: b, Doc: "Agent related to the case"},
		{Name: "other_supervisors", Type: TypeGUIDs, foreign: b, unsent: b, Doc: "other supervisors of the case"},
	}
}
