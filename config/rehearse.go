package config

import (
	"path/filepath"
	"strings"
)

// Rehearse turns the settings into those of a rehearsal: the service is the sandbox inside the process, and ledger, records of the
// sandbox and reports are its own, beside those of the installation. Nothing that others watch is told of it: no ping, no metrics,
// no copies of reports. It needs none of the service's secrets; names come from the service's lists as they were fetched last.
func (c *Config) Rehearse() {
	c.liveURL, c.liveLists = c.Service.BaseURL, c.ListFolder()
	book := filepath.Join(c.Dir(), "docketsync.db")
	if c.Ledger.IsFile() {
		book = c.Ledger.Reveal()
	}
	stem := strings.TrimSuffix(book, filepath.Ext(book)) + ".rehearsal"
	c.Ledger = DSN(stem + filepath.Ext(book))
	c.Sandbox.Data = stem + "-sandbox.db"
	c.Reports += ".rehearsal"
	c.Service.BaseURL, c.Service.SignIn, c.Service.CAFile = InProcess, nil, ""
	c.Service.SubscriptionKey, c.Service.AuthCookie = Secret{}, Secret{}
	c.CopyReports, c.Notify.Ping, c.Metrics = "", Ping{}, Metrics{}
	if c.place != nil {
		c.place.missing = nil
	}
}

// Rehearses tells whether the settings are those of a rehearsal.
func (c *Config) Rehearses() bool { return c.liveURL != "" }

// ListService is the base URL of the service whose lists are looked up.
func (c *Config) ListService() string {
	if c.Rehearses() {
		return c.liveURL
	}
	return c.Service.BaseURL
}
