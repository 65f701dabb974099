package edit

import (
	"slices"

	"docketsync/config/document"
	"docketsync/mapping"
)

// Check is a check of records and what happens when it finds something: error, warn or off.
type Check struct {
	Name    string
	Default string // "" for a check of the firm's own
	Level   string
	Rule    string // for a check of the firm's own: the condition under which a row is wrong
}

// Checks returns the checks of the operation, followed by the firm's own. ok is false if they are written in a way that
// only the text shows.
func (d *File) Checks() (checks []Check, ok bool) {
	block := at(d.root, "checks")
	for _, check := range mapping.Checks(d.Operation()) {
		checks = append(checks, Check{Name: check.Name, Default: check.Default, Level: check.Default})
	}
	known := func(name string) int { return slices.IndexFunc(checks, func(c Check) bool { return c.Name == name }) }
	switch {
	case block == nil || document.IsNull(block):
		return checks, true
	case block.Kind == document.Scalar:
		for n := range checks {
			checks[n].Level = block.Value
		}
		return checks, true
	case block.Kind != document.Block:
		return nil, false
	}
	for name, value := range document.Pairs(block) {
		switch n := known(name.Value); {
		case n >= 0 && value.Kind == document.Scalar:
			checks[n].Level = value.Value
		case value.Kind == document.Scalar:
			checks = append(checks, Check{Name: name.Value, Level: "error", Rule: value.Value})
		case value.Kind == document.Block && at(value, "expr") != nil:
			own := Check{Name: name.Value, Level: "error", Rule: at(value, "expr").Value}
			if level := at(value, "level"); level != nil {
				own.Level = level.Value
			}
			checks = append(checks, own)
		default:
			return nil, false
		}
	}
	return checks, true
}

// ChooseCheck writes the level of a check of the operation. A level that is the default gets no line.
func (d *File) ChooseCheck(name, level string) (*File, error) {
	checks, ok := d.Checks()
	n := slices.IndexFunc(checks, func(c Check) bool { return c.Name == name && c.Default != "" })
	if !ok || n < 0 || !slices.Contains([]string{"error", "warn", "off"}, level) {
		return nil, byHand([]string{"checks", name})
	}
	if checks[n].Level == level {
		return d, nil
	}
	path, block := []string{"checks", name}, at(d.root, "checks")
	switch {
	case block == nil || block.Kind == document.Scalar:
	case level == checks[n].Default:
		return d.prune(path)
	default:
		return d.set(path, level, nil, true)
	}
	// A single level for all checks is replaced by one for each.
	checks[n].Level = level
	var levels []option
	for _, c := range checks {
		if c.Level != c.Default {
			levels = append(levels, option{scalar(c.Name), c.Level})
		}
	}
	if len(levels) == 0 {
		return d.remove([]string{"checks"})
	}
	return d.set([]string{"checks"}, braces(levels), topRank, true)
}
