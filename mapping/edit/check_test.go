package edit_test

import (
	"strings"
	"testing"

	"docketsync/mapping"
	"docketsync/mapping/edit"
)

// The level of a check is written so that a mapping takes it, is read back as it was chosen, leaves the others and the firm's own as they
// were, and goes without a trace.
func TestChecks(t *testing.T) {
	t.Parallel()
	const head, tail = "operation: update_trademark\nkey: Ref\n", "fields:\n  id: Ref\n  name: Title\n"
	const own = `date(row["Closed"]) < date(row["Opened"])`
	for name, before := range map[string]string{
		"none": "", "one level for all": "checks: warn\n", "in braces": "checks: {date_far_off: off}  # far\n",
		"in a block": "checks:\n  # dates\n  date_far_off: off\n  closed first: '" + own + "'\n", "our own in braces": "checks: {closed first: {expr: '" + own + "', level: warn}}\n",
		"our own alone": "checks:\n  closed first: '" + own + "'\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := edit.Read("m.yaml", head+before+tail, "", mapping.Options{})
			if err != nil {
				t.Fatal(err)
			}
			was := levels(t, d)
			for _, level := range []string{"off", "warn", "error", was["nice_class"]} {
				if d, err = d.ChooseCheck("nice_class", level); err != nil {
					t.Fatal(err)
				}
				now := levels(t, d)
				for check, before := range was {
					if want := map[bool]string{true: level, false: before}[check == "nice_class"]; now[check] != want {
						t.Errorf("after nice_class: %s, %s is %s, want %s\n%s", level, check, now[check], want, d.Text())
					}
				}
				if compiled, err := mapping.Parse("m.yaml", []byte(d.Text()), mapping.Options{}); strings.Contains(errorText(err), "check") {
					t.Errorf("%v\n%s\n%v", err, d.Text(), compiled)
				}
			}
			if name != "one level for all" && d.Text() != head+before+tail {
				t.Errorf("chosen back, it leaves\n%s", d.Text())
			}
		})
	}
	d, err := edit.Read("m.yaml", head+tail, "", mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][2]string{{"nice_class", "loud"}, {"number_repeated", "off"}, {"closed first", "off"}} {
		if _, err := d.ChooseCheck(bad[0], bad[1]); err == nil {
			t.Errorf("%v is written", bad)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// levels are the levels of all checks of a mapping.
func levels(t *testing.T, d *edit.File) map[string]string {
	t.Helper()
	checks, ok := d.Checks()
	if !ok || len(checks) < 5 {
		t.Fatalf("the checks are %v", checks)
	}
	list := map[string]string{}
	for _, check := range checks {
		list[check.Name] = check.Level
	}
	return list
}
