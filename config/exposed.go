package config

import (
	"fmt"
	"io/fs"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// SecretFiles says how docketsync goes about files that hold secrets.
type SecretFiles struct {
	// Readable is refuse or accept: what to do about such a file that every user of this machine can open.
	Readable string `yaml:"readable" json:"readable"`
}

// Opener tells the mode of a file that every user of this machine can open, 0 of one that they cannot.
type Opener func(path string) fs.FileMode

// exposed refuses files with secrets that every user of this machine can open: those that settings name, the key of the console,
// and the configuration itself where it holds the hash of a password, since passwords can be tried on it. Nothing else that is
// secret may stand in it.
func (c *Config) exposed() (faults diagnostic.Faults) {
	if c.place.open == nil || c.SecretFiles.Readable == "accept" {
		return nil
	}
	refuse := func(n *document.Node, path, holds, other string) {
		if mode := c.place.open(path); mode != 0 {
			faults = append(faults, c.place.file.At(n, fmt.Sprintf("every user of this machine can open %s (mode %04o), which holds %s", path, mode.Perm(), holds),
				"run chmod 600 "+path+other+"; or write secret_files: {readable: accept} where everybody on this machine may know it"))
		}
	}
	for _, secret := range c.secrets() {
		if secret.kept != nil && secret.kept.file != "" {
			refuse(secret.kept.node, c.place.resolve(secret.kept.file), "a secret", "")
		}
	}
	if tls := c.Console.TLS; tls != nil && tls.Key != "" {
		refuse(c.place.file.Node("console", "tls", "key"), c.place.resolve(tls.Key), "the key of the console", "")
	}
	for _, user := range c.Console.Users {
		if kept := user.Password.kept; kept != nil && kept.file == "" && !user.Password.Empty() && kept.node.Tag != tagEnvironment {
			refuse(kept.node, c.place.file.Name(), "the hash of a password, which passwords can be tried on", ", or write {env: NAME} or {file: PATH} here")
			break
		}
	}
	return faults
}
