package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// FirmFile is the name of the configuration in the folder of a firm.
const FirmFile = "docketsync.yaml"

// firmName matches the name of a firm, which is that of its folder and of its schema. The server converts capitals in a
// schema name to lower case.
var firmName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,47}$`)

// labelText matches a name or a value of a label.
var labelText = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// IsFirmName reports whether a folder of this name can be a firm's.
func IsFirmName(name string) bool {
	return firmName.MatchString(name) && name != "public" && name != "information_schema" && !strings.HasPrefix(name, "pg_")
}

// IsLabel reports whether a label may have this name and value.
func IsLabel(name, value string) bool {
	return labelText.MatchString(name) && labelText.MatchString(value)
}

// LabelsOf reads the labels that a configuration requires and nothing else, so that a node that may not serve the firm
// touches none of its secrets. env looks up the variables that labels come from.
func LabelsOf(path string, env func(string) (string, bool), readFile func(string) ([]byte, error)) (map[string]string, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	file, err := document.Parse(path, text)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	if n := document.Member(file.Root(), "labels"); n != nil {
		variables := &environment{file: file, lookup: env, names: map[position]string{}}
		variables.resolve(n)
		faults := slices.Concat(variables.faults, file.Decode(n, &labels), variables.unset)
		if len(faults) > 0 {
			return nil, faults.Err()
		}
	}
	return labels, nil
}

// takeSchema makes the ledger keep its tables in the schema named like the folder of the configuration.
func (c *Config) takeSchema(path string) diagnostic.Faults {
	if c.LedgerServer.Schema != "folder" {
		return nil
	}
	fault := func(message, hint string) diagnostic.Faults {
		return diagnostic.Faults{c.FaultAt(message, hint, "ledger_server", "schema")}
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return fault("the folder of this file is not known: "+err.Error(), "name the file by its whole path")
	}
	name := filepath.Base(filepath.Dir(whole))
	if !IsFirmName(name) {
		return fault("the folder "+name+" cannot name a schema", "use lowercase letters a to z, digits, - and _, starting with a letter, up to 48 characters")
	}
	address, err := url.Parse(c.Ledger.Reveal())
	if c.Ledger.IsFile() || err != nil {
		return fault("schema requires a ledger on PostgreSQL", "set ledger: {env: NAME} to the address of a database, postgres://…")
	}
	query := address.Query()
	if query.Has("search_path") {
		return fault("the ledger's address names a schema already", "remove search_path from the address, or schema: folder here")
	}
	query.Set("search_path", `"`+name+`"`)
	address.RawQuery = query.Encode()
	c.Ledger = DSN(address.String())
	return nil
}

// fleet checks the settings about firms.
func (v validator) fleet(c *Config) {
	for _, name := range slices.Sorted(maps.Keys(c.Labels)) {
		v.require(IsLabel(name, c.Labels[name]), "invalid label", "use letters, digits, dots, dashes and underscores, up to 63 characters: {region: eu}", "labels", name)
	}
	if c.Firms == "" {
		return
	}
	for _, key := range []string{"service", "jobs", "labels"} {
		v.require(!v.has(key), key+" does not belong in a configuration with firms", "write it into the "+FirmFile+" of each firm", key)
	}
}
