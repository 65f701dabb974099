package config_test

import (
	"strings"
	"testing"

	"docketsync/config"
)

func loadAt(path, text string) (*config.Config, error) {
	env := func(string) (string, bool) { return "", false }
	return config.Load(path, env, func(string) ([]byte, error) { return []byte(text), nil }, nil, nil)
}

const ofFirm = `
service: {base_url: sandbox}
ledger: postgres://vendor@db.example/docketsync?sslmode=verify-full
ledger_server: {schema: folder}
`

func TestSchemaOfAFirmIsItsFolder(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		"acme": `postgres://vendor@db.example/docketsync?search_path=%22acme%22&sslmode=verify-full`, "birch-law_2": `search_path=%22birch-law_2%22`,
	} {
		c, err := loadAt("/firms/"+folder+"/docketsync.yaml", ofFirm)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Ledger.Reveal(); !strings.Contains(got, want) {
			t.Errorf("the ledger of %s is %s, not %s", folder, got, want)
		}
	}
	for name, text := range map[string][2]string{
		"the folder Acme cannot name a schema":        {"/firms/Acme/docketsync.yaml", ofFirm},
		"the folder public cannot name a schema":      {"/firms/public/docketsync.yaml", ofFirm},
		"the folder pg_toast cannot name a schema":    {"/firms/pg_toast/docketsync.yaml", ofFirm},
		"schema requires a ledger on PostgreSQL":      {"/firms/acme/docketsync.yaml", "service: {base_url: sandbox}\nledger_server: {schema: folder}"},
		"the ledger's address names a schema already": {"/firms/acme/docketsync.yaml", strings.Replace(ofFirm, "sslmode", "search_path=birch&sslmode", 1)},
	} {
		if _, err := loadAt(text[0], text[1]); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConfigurationOfAFleetHasNoServiceOfItsOwn(t *testing.T) {
	t.Parallel()
	if _, err := loadAt("docketsync.yaml", "firms: firms\nledger: postgres://vendor@db.example/docketsync"); err != nil {
		t.Error(err)
	}
	_, err := loadAt("docketsync.yaml", "firms: firms\nservice: {base_url: sandbox}\njobs: [{name: a, source: a.csv, mapping: a.yaml}]")
	if err == nil || !strings.Contains(err.Error(), "service does not belong") || !strings.Contains(err.Error(), "jobs does not belong") {
		t.Error(err)
	}
	if _, err := loadAt("docketsync.yaml", "labels: {region: 'eu west'}\nservice: {base_url: sandbox}"); err == nil || !strings.Contains(err.Error(), "invalid label") {
		t.Error(err)
	}
}

// TestLabelsOfAFirm reads the labels of a firm as Load does, and nothing else.
func TestLabelsOfAFirm(t *testing.T) {
	t.Parallel()
	read := func(text string) (map[string]string, error) {
		env := func(name string) (string, bool) {
			if name != "REGION" {
				t.Errorf("the variable %s is read", name)
			}
			return "eu", true
		}
		return config.LabelsOf("docketsync.yaml", env, func(string) ([]byte, error) { return []byte(text), nil })
	}
	rest := "service: {subscription_key: {env: KEY}}\n"
	for _, text := range []string{"labels: {region: eu}\n", "labels: {region: {env: REGION}}\n"} {
		if labels, err := read(text + rest); err != nil || labels["region"] != "eu" {
			t.Errorf("%s%v, %v", text, labels, err)
		}
	}
	for _, text := range []string{"labels: [region]\n", "labels: {region: eu\n"} {
		if labels, err := read(text + rest); err == nil || labels != nil {
			t.Errorf("%s%v, %v", text, labels, err)
		}
	}
}
