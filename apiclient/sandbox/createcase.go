package sandbox

// createCase reads the payload of interface.md part 4.1.
func (s *Server) createCase(q *request) work {
	f, ok := q.open(s)
	if !ok {
		return nil
	}
	now := s.options.Now().UTC()
	row := caseRow{Origin: CreateCase, CreatedBy: q.user, UpdatedBy: q.user, CreatedAt: now, UpdatedAt: now}
	row.Name, _ = f.text("name", required, 0)
	row.Name = q.kept(row.Name)
	row.Number, _ = f.text("number", required, 0)
	row.Active = f.boolean("active", required)
	row.Template = f.reference("file_template_id", required, aTemplate)
	s.variantFields(f, q, &row)
	f.done()
	row.Status = s.index.firstStatus()
	q.key = row.Number
	return func(t *tx) (answer, error) {
		stored, err := t.insertCase(row)
		if err != nil {
			return answer{}, err
		}
		return answer{status: 201, acted: true, target: stored.ID, body: s.caseRecord(stored, nil)}, nil
	}
}

// variantFields reads the members in which the variants differ. Where either variant will do, a body must fit one of
// them as a whole: a client without an owner fits neither.
func (s *Server) variantFields(f *fields, q *request, row *caseRow) {
	variant := s.options.Switches.Variant
	if variant == AnyVariant {
		variant = VariantB
		if f.has("user_id") || f.has("client_id") || f.has("other_supervisors") {
			variant = VariantA
		}
	}
	if variant == VariantB {
		row.Owner = or(f.reference("user_id", optional, aUser), q.user)
		return
	}
	row.Owner = f.reference("user_id", required, aUser)
	row.Client = f.reference("client_id", optional, anAgent)
	row.Supervisors = f.references("other_supervisors", optional, aUser)
}
