package main

import (
	"regexp"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestBrokenNightLeadsToWhatMendsIt breaks two nights, and looks at the pages that their messages lead to: after a lost sign-in the connection
// is not said to be well, and what a guard misses can be looked at where it is let through.
func TestBrokenNightLeadsToWhatMendsIt(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, consoleUsers(""))
	g.export(good)
	g.run(exit.AllIn, "run")
	g.export(everyRow(func(row []string) {
		if row[0] < "TM-0010" {
			row[markColumn] += " II"
		}
	}))
	g.box.misbehave(t, "cookie_after=1")
	if said, _ := g.run(exit.Stopped, "run"); strings.Count(said, "\n  held: ") != 1 || !strings.Contains(said, "\n  held: 10 rows") {
		t.Errorf("a lost sign-in is not one cause of all that is held:\n%s", said)
	}
	c := startConsole(t, g.dir)
	ines := c.visitor("Ines", operatorPassword)
	if _, page := ines.post("/connection", map[string][]string{}); !strings.Contains(page, "lost its sign-in") || strings.Contains(page, "rejected the subscription key") || strings.Contains(page, "Nothing failed.") {
		t.Errorf("after the lost sign-in, the connection says:\n%s", page)
	}
	g.box.behave(t)
	g.run(exit.AllIn, "run")
	if _, page := ines.post("/connection", map[string][]string{}); strings.Contains(page, "lost its sign-in") || !strings.Contains(page, "Nothing failed.") {
		t.Errorf("after the next run, the connection says:\n%s", page)
	}
	g.export(func(rows [][]string) [][]string { return rows[:69] })
	g.run(exit.Stopped, "run")
	_, today := ines.get("/")
	_, page := ines.get(regexp.MustCompile(`/runs/[^/"]+/plan`).FindString(today))
	gone := regexp.MustCompile(`/runs/[^/"]+/files/vanished.csv`).FindString(page)
	if _, list := ines.get(gone); gone == "" || !strings.Contains(list, "TM-0099") || !strings.Contains(page, "rows fell from 100 to 68") {
		t.Errorf("what is no longer in the export, %q, is\n%s\nand the page that the guard leads to\n%s", gone, list, page)
	}
}
