package payload

// UpdateCase replaces a case (interface.md part 4.2).
const UpdateCase Operation = "update_case"

var updateCase = About{
	Operation: UpdateCase, Replaces: true, Answer: PromiseDetails,
	Title: "name", Key: "number", Shows: "cases", One: "matter", Many: "matters",
	Axes: []Axis{{"client", "file_client_id"}, {"status", "file_status_id"}}, Fields: updateCaseFields,
}

func updateCaseFields(s Switches) []Field {
	return []Field{
		{Name: "id", Type: TypeGUID, Required: true, Doc: "case to modify"},
		{Name: "name", Type: TypeText, Required: true, Doc: "name of the case"},
		{Name: "file_status_id", Type: TypeGUID, Required: true, Doc: "status of the case"},
		{Name: "file_client_id", Type: TypeGUID, Required: true, Nullable: true, Always: true, Doc: "company used as Agent; null removes it"},
		{Name: "tags", Type: TypeGUIDs, Doc: "tags"},
		{Name: "other_supervisors", Type: TypeGUIDs, Doc: "users who supervise the case too"},
		{Name: "user_id", Type: TypeGUID, Required: true, Doc: "owner, the responsible user"},
		{Name: "number", Type: TypeText, Reference: true, Doc: "code of the case"},
		{Name: "components", Type: TypeComponents, Required: true, Always: true, Identity: []string{"file_template_component_id"}, Doc: "one value per component of the case template"},
		{Name: "active", Type: TypeBool, Required: true, asText: s.ActiveAsText, Doc: "whether the case is active"},
	}
}

// componentFields are the fields of an element of components, without the id that only the schema has.
var componentFields = []Field{
	{Name: "file_template_component_id", Type: TypeGUID, Required: true, Doc: "template component"},
	{Name: "entity_id", Type: TypeGUID, Doc: "value of a component that is bound to an entity"},
	{Name: "value", Type: TypeText, Doc: "value of any other component; a structured one as JSON in the text"},
}
