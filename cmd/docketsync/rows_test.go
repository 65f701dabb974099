package main

import (
	"reflect"
	"strings"
	"testing"

	"docketsync/config"
	"docketsync/importer/console/upload"
)

// What the configuration can say about reading a file, rows and init take as flags, and init writes down.
func TestEverythingAboutReadingCanBeSaidOnTheCommandLine(t *testing.T) {
	t.Parallel()
	flags := newRows(newApp(nil, nil)).Flags()
	var all fileOptions
	all.passwordEnv = "X"
	options := reflect.ValueOf(&all.Options).Elem()
	for _, field := range options.Fields() {
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Int:
			field.SetInt(1)
		case reflect.Bool:
			field.SetBool(true)
		}
	}
	written := upload.JobText{Source: "in.csv", Name: "in", Mapping: "in.yaml", Options: all.Options, PasswordEnv: all.passwordEnv}.Lines()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config.Source]()) {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch key {
		case "", "-", "file", "inbox", "ignore_hidden": // which file it is, not how it is read; and a former key
			continue
		}
		flag := strings.ReplaceAll(key, "_", "-")
		if key == "password" {
			flag = "password-env"
		}
		if flags.Lookup(flag) == nil {
			t.Errorf("there is no flag --%s for %s", flag, key)
		}
		if !strings.Contains(written, ", "+key+": ") {
			t.Errorf("%s is not written: %s", key, written)
		}
	}
}
