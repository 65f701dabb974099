package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/config"
)

const remotes = small + `
remotes:
  bank:
    sftp:
      host: sftp.example
      user: firm
      private_key: {file: id_ed25519}
      passphrase: {env: PASSPHRASE}
      known_hosts: known_hosts
  store:
    s3: {endpoint: https://s3.example, region: eu-central-1, bucket: exports, access_key: {env: ACCESS}, secret_key: {env: SECRET}}
    max_size: 10MiB
copy_reports: store:/reports
jobs:
  - {name: matters, source: "bank:/out/matters*.csv", mapping: m.yaml}
  - {name: marks, source: {sheet: A, inbox: in}, mapping: m.yaml}
`

func TestRemotesAndInboxes(t *testing.T) {
	t.Parallel()
	c, err := load(remotes, map[string]string{"KEY": "the-firm-key", "ACCESS": "access-7", "SECRET": "secret-7"})
	if err != nil {
		t.Fatal(err)
	}
	bank := c.Remotes["bank"].SFTP
	if bank.Port != 22 || bank.KnownHosts != "/etc/firm/known_hosts" || c.Remotes["bank"].MaxSize != 1<<30 || c.Remotes["store"].MaxSize != 10<<20 {
		t.Errorf("the remotes are %+v and %+v", bank, c.Remotes["store"])
	}
	if c.Remotes["store"].S3.SecretKey.Reveal() != "secret-7" {
		t.Error("the secret key is lost")
	}
	if got := c.Jobs[0].Source.Files[0]; got != "bank:/out/matters*.csv" {
		t.Errorf("the address of the source became %s", got)
	}
	want := &config.Inbox{
		Folder: "/etc/firm/in", Files: config.Names{"*"}, Holds: "export", Take: "all", Order: "time", Poll: 30 * time.Second, Still: time.Minute,
		Patience: time.Hour,
		Archive:  "/etc/firm/in/archive", Rejected: "/etc/firm/in/rejected",
	}
	if diff := cmp.Diff(want, c.Jobs[1].Source.Inbox); diff != "" {
		t.Errorf("the inbox (-want +got)\n%s", diff)
	}
	if got := c.SpoolFolder(); got != "/etc/firm/docketsync.db.spool" {
		t.Errorf("files are fetched to %s", got)
	}
	if err := fits(remotes); err != nil {
		t.Error(err)
	}
}

// What reads and maps files of this machine needs no secrets of other ones.
func TestMissingSecretsOfARemoteAreForWhoSpeaksToIt(t *testing.T) {
	t.Parallel()
	c, err := load(remotes, map[string]string{"KEY": "the-firm-key", "ACCESS": "access-7"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Missing(config.OfService); err != nil {
		t.Errorf("the service is said to lack %v", err)
	}
	for name, want := range map[string]string{"bank": "PASSPHRASE is not set", "store": "SECRET is not set"} {
		err := c.Missing(config.OfRemote(name))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "files of the remote "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Missing(config.OfRemote("bank")); !strings.Contains(err.Error(), "cannot read the file of this secret") {
		t.Errorf("the private key is missing too: %v", err)
	}
}

func TestMistakesInRemotesAndInboxes(t *testing.T) {
	t.Parallel()
	const host = "host: h, user: u, password: {env: KEY}"
	const pin = "fingerprint: SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDAvlH5xxbRzYoMvXk"
	const s3 = "endpoint: https://s3.example, bucket: b, access_key: {env: KEY}"
	for name, test := range map[string]struct{ more, want string }{
		"neither":               {"remotes: {bank: {}}", `the remote "bank" has neither sftp nor s3`},
		"both":                  {"remotes: {bank: {sftp: {" + host + ", " + pin + "}, s3: {" + s3 + ", secret_key: {env: KEY}}}}", "has both sftp and s3"},
		"no proof":              {"remotes: {bank: {sftp: {" + host + "}}}", "fingerprint or known_hosts is required to verify the server"},
		"two proofs":            {"remotes: {bank: {sftp: {" + host + ", " + pin + ", known_hosts: k}}}", "cannot be used together"},
		"no fingerprint":        {"remotes: {bank: {sftp: {fingerprint: 'MD5:aa', " + host + "}}}", "invalid key fingerprint"},
		"no way in":             {"remotes: {bank: {sftp: {host: h, user: u, " + pin + "}}}", "private_key or password is required"},
		"a passphrase alone":    {"remotes: {bank: {sftp: {" + host + ", " + pin + ", passphrase: {env: KEY}}}}", "passphrase requires private_key"},
		"host with a scheme":    {"remotes: {bank: {sftp: {host: 'sftp://h', user: u, password: {env: KEY}, " + pin + "}}}", "host is missing or invalid"},
		"a password written":    {"remotes: {bank: {sftp: {host: h, user: u, password: hunter2hunter2, " + pin + "}}}", "secrets are not allowed in the configuration"},
		"a default elsewhere":   {"remotes: {bank: {sftp: {host: h, user: u, password: {env: NO, default: hunter2hunter2}, " + pin + "}}}", "for loopback addresses"},
		"not encrypted":         {"remotes: {bank: {s3: {endpoint: 'http://s3.example', bucket: b, access_key: {env: KEY}, secret_key: {env: KEY}}}}", "endpoint must use https://"},
		"a bucket in the path":  {"remotes: {bank: {s3: {endpoint: 'https://s3.example/b', bucket: b, access_key: {env: KEY}, secret_key: {env: KEY}}}}", "endpoint must contain only the host of the service"},
		"no secret key":         {"remotes: {bank: {s3: {" + s3 + "}}}", "secret_key is required"},
		"a name of one letter":  {"remotes: {c: {sftp: {" + host + ", " + pin + "}}}", "invalid remote name"},
		"an unknown key":        {"remotes: {bank: {sftp: {" + host + ", " + pin + ", hots: x}}}", `did you mean "host"?`},
		"reports nowhere":       {"copy_reports: reports", "copy_reports must name a remote"},
		"reports to no remote":  {"copy_reports: store:/reports", `unknown remote "store"`},
		"a source nowhere":      {"jobs: [{name: a, mapping: m, source: 'bank:/out/a.csv'}]", `unknown remote "bank"`},
		"a misspelt remote":     {"remotes: {bank: {sftp: {" + host + ", " + pin + "}}}\njobs: [{name: a, mapping: m, source: 'bnak:/out/a.csv'}]", `did you mean "bank"?`},
		"a folder as source":    {"remotes: {bank: {sftp: {" + host + ", " + pin + "}}}\njobs: [{name: a, mapping: m, source: 'bank:/out/'}]", "this is a folder"},
		"a pattern of folders":  {"remotes: {bank: {sftp: {" + host + ", " + pin + "}}}\njobs: [{name: a, mapping: m, source: 'bank:/*/a.csv'}]", "* and ? are allowed only in the file name, and .. is not allowed"},
		"inbox and file":        {"jobs: [{name: a, mapping: m, source: {file: f, inbox: in}}]", "both a file and an inbox"},
		"inbox without folder":  {"jobs: [{name: a, mapping: m, source: {inbox: {files: '*.csv'}}}]", "the inbox requires a folder"},
		"inbox on a remote":     {"jobs: [{name: a, mapping: m, source: {inbox: 'bank:/in'}}]", "a local folder"},
		"pattern with a folder": {"jobs: [{name: a, mapping: m, source: {inbox: {folder: in, files: 'a/*.csv'}}}]", "invalid file name pattern"},
		"a word for take":       {"jobs: [{name: a, mapping: m, source: {inbox: {folder: in, take: newset}}}]", "did you mean newest?"},
		"a word for holds":      {"jobs: [{name: a, mapping: m, source: {inbox: {folder: in, holds: change}}}]", "did you mean changes?"},
		"an inbox of two":       {"jobs: [{name: a, mapping: m, source: {inbox: in/}}, {name: b, mapping: m, source: {inbox: in}}]", `the files * of this inbox may be taken by job "a", which reads * from the same folder`},
		"files of two":          {`jobs: [{name: a, mapping: m, source: {inbox: {folder: in, files: "*.csv"}}}, {name: b, mapping: m, source: {inbox: {folder: in, files: [x.txt, "f*.csv"]}}}]`, `the files f*.csv of this inbox may be taken by job "a"`},
		"an inbox among all":    {"jobs: [{name: a, mapping: maps/m, source: {inbox: .}}]", "this inbox would take the configuration"},
		"an inbox of reports":   {"jobs: [{name: a, mapping: m, source: {inbox: reports/}}]", "this inbox would take the reports"},
		"an inbox of uploads":   {"jobs: [{name: a, mapping: m, source: {inbox: uploads}}]", "this inbox would take the uploads"},
		"an inbox of jobs":      {"jobs: [{name: a, mapping: m, source: {inbox: jobs.d}}]", "this inbox would take the jobs"},
		"an inbox of lookups":   {"jobs: [{name: a, mapping: m, source: {inbox: lookups}}]", "this inbox would take the lookups of the job a"},
		"an inbox of a mapping": {"jobs: [{name: a, mapping: maps/m.yaml, source: {inbox: {folder: ./maps, files: ['*.csv', 'M*']}}}]", "this inbox would take the mapping of the job a"},
		"an inbox of a secret":  {"notify: {ping: {url: {file: in/key.txt}}}\njobs: [{name: a, mapping: m, source: {inbox: in}}]", "this inbox would take the secret notify.ping.url"},
		"an inbox of a key":     {"console: {tls: {cert: in/c.pem, key: /k.pem}}\njobs: [{name: a, mapping: m, source: {inbox: in}}]", "this inbox would take the file of console.tls.cert"},
		"an inbox of a ledger":  {"ledger: in/book.db\njobs: [{name: a, mapping: m, source: {inbox: in}}]", "this inbox would take the ledger"},
		"an inbox of a source":  {"jobs: [{name: a, mapping: m, source: {inbox: in}}, {name: b, mapping: m, source: ./in/b.csv}]", "this inbox would take the file that the job b reads"},
		"the newest of changes": {"jobs: [{name: a, mapping: m, source: {inbox: {folder: in, holds: changes, take: newest}}}]", "take: newest is not supported with holds: changes: every file is needed"},
		"vanished from changes": {"jobs: [{name: a, mapping: m, vanished: list, source: {inbox: {folder: in, holds: changes}}}]", "vanished is not supported with holds: changes"},
		"guards of changes":     {"jobs: [{name: a, mapping: m, guards: {least: 3}, source: {inbox: {folder: in, holds: changes}}}]", "guards are not supported with holds: changes: there is no export to compare with"},
		"one folder for both":   {"jobs: [{name: a, mapping: m, source: {inbox: {folder: in, archive: x, rejected: x}}}]", "two different folders"},
	} {
		_, err := load(small+test.more+"\n", key)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %q", name, err, test.want)
			continue
		}
		if !strings.Contains(err.Error(), "docketsync.yaml:") {
			t.Errorf("%s: the error has no place: %v", name, err)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the secret is in the error: %v", name, err)
		}
	}
}

// An inbox may be a folder that holds other things if its patterns leave them out, and hold folders of the installation.
func TestInboxesBesideOtherThings(t *testing.T) {
	t.Parallel()
	for _, more := range []string{
		"jobs: [{name: a, mapping: m.yaml, source: {inbox: {folder: ., files: 'matters*.csv'}}}, {name: b, mapping: m.yaml, source: marks.csv}]",
		"ledger: /var/lib/d/book.db\nreports: in/reports\njobs: [{name: a, mapping: m.yaml, source: {inbox: in}}, {name: b, mapping: m.yaml, source: {inbox: in/marks}}]",
		"remotes: {bank: {s3: {endpoint: 'https://h', region: r, bucket: b, access_key: {env: KEY}, secret_key: {env: KEY}}}}\njobs: [{name: a, mapping: m.yaml, source: {inbox: in}}, {name: b, mapping: m.yaml, source: 'bank:/in/b.csv'}]",
	} {
		if _, err := load(small+more+"\n", key); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}
