// Command parts lists what a docketsync binary is made of, from the binary itself: the Go modules it was linked with, their versions, sums and
// licences. It writes a CycloneDX 1.6 document to standard output and, with a folder as its second argument, the text of every licence there.
//
//	go run ./.ci/parts BINARY [FOLDER]
//
// With -list it writes one line for each module that docketsync is linked with on any system, from the sources: its path, version and licence.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl"`
	Licenses []licence `json:"licenses,omitempty"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "parts:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 {
		return errors.New("usage: parts BINARY [FOLDER]")
	}
	if args[0] == "-list" {
		return list()
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	std := component{Type: "platform", Name: "go", Version: strings.TrimPrefix(info.GoVersion, "go"), PURL: "pkg:generic/go@" + strings.TrimPrefix(info.GoVersion, "go")}
	if err := std.take(strings.TrimSpace(string(root)), args[1:]); err != nil {
		return err
	}
	parts := []component{std}
	for _, module := range info.Deps {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module.Path).Output()
		if err != nil {
			return fmt.Errorf("%s: %w", module.Path, err)
		}
		part := component{Type: "library", Name: module.Path, Version: module.Version, PURL: "pkg:golang/" + module.Path + "@" + module.Version}
		if err := part.take(strings.TrimSpace(string(dir)), args[1:]); err != nil {
			return err
		}
		parts = append(parts, part)
	}
	list := map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": map[string]string{"type": "application", "name": "docketsync", "version": info.Main.Version}},
		"components": parts,
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(list)
}

// list writes what 'docketsync licenses' shows.
func list() error {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`
	modules := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", format, "./cmd/docketsync")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("list the modules for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if path, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				modules[path] = rest
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		version, dir, _ := strings.Cut(modules[path], " ")
		part := component{Name: path}
		if err := part.take(dir, nil); err != nil {
			return err
		}
		fmt.Println(path, version, part.Licenses[0].License.ID)
	}
	return nil
}

var licenceFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying)(\.(md|txt))?$`)

// take finds the licence in a folder, says which it is, and copies its text. A part without one must not be shipped.
func (c *component) take(dir string, to []string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if !licenceFile.MatchString(file.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return err
		}
		id, err := licenceOf(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		var l licence
		l.License.ID = id
		c.Licenses = []licence{l}
		if len(to) == 0 {
			return nil
		}
		if err := os.MkdirAll(to[0], 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to[0], strings.ReplaceAll(c.Name, "/", "_")+".txt"), text, 0o644)
	}
	return fmt.Errorf("%s has no file with its licence in %s", c.Name, dir)
}

// licences are those that we ship parts of, by a phrase that only they have, the narrower ones first.
var licences = []struct{ id, phrase string }{
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-3-Clause", "names of its contributors"},
	{"BSD-2-Clause", "Redistributions in binary form"},
	{"ISC", "Permission to use, copy, modify, and/or distribute"},
	{"ISC", "Permission to use, copy, modify, and distribute"},
	{"Unlicense", "This is free and unencumbered software"},
	{"MIT", "Permission is hereby granted, free of charge"},
}

var blanks = regexp.MustCompile(`\s+`)

func licenceOf(text string) (string, error) {
	text = blanks.ReplaceAllString(text, " ")
	for _, l := range licences {
		if strings.Contains(text, l.phrase) {
			return l.id, nil
		}
	}
	return "", errors.New("its licence is not one that we know; add it to .ci/parts, if we may ship it")
}
