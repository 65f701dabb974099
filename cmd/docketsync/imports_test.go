package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path that our own imports begin with.
const module = "docketsync/"

// allowed says which packages of ours a package may import. A package that is not listed may import nothing of ours.
var allowed = map[string][]string{
	"cmd/docketsync": {"*"},
	// The rooms of cmd, each above those that it names. The guide shows what the package comments of both say.
	"cmd/docketsync/guide":              {"config", "mapping"},
	"cmd/docketsync/internal/exit":      {"config/diagnostic", "importer/source/format"},
	"cmd/docketsync/internal/terminal":  {"importer", "importer/forecast", "importer/ledger", "importer/report", "importer/report/cause", "importer/report/wording"},
	"cmd/docketsync/internal/observers": {"apiclient", "config", "config/diagnostic", "importer", "importer/ledger", "importer/ledger/fault", "importer/metrics", "importer/notify", "importer/report", "importer/trace", "cmd/docketsync/internal/exit", "importer/report/files", "importer/report/wording", "importer/report/remedy"},
	// An installation turns every part of the configuration into what it stands for, so it may import whatever there is below cmd.
	"cmd/docketsync/internal/installation": {"*"},
	"cmd/docketsync/internal/runner":       {"*"},
	"cmd/docketsync/internal/checking":     {"mapping/reason", "*"},
	"cmd/docketsync/internal/doctor":       {"*"},
	"cmd/docketsync/internal/proposing":    {"*"},
	"cmd/docketsync/internal/doubts":       {"*"},
	"cmd/docketsync/internal/arrivals":     {"*"},
	"cmd/docketsync/internal/firms":        {"*"},
	"cmd/docketsync/internal/daemon":       {"*"},
	"cmd/docketsync/internal/basechange":   {"*"},
	"cmd/docketsync/internal/forgetting":   {"config", "importer/ledger", "importer/report", "importer/report/files"},
	"cmd/docketsync/internal/webwork":      {"*"},
	"config":                               {"apiclient/payload", "config/diagnostic", "config/document"},
	"config/document":                      {"config/diagnostic"},
	"config/schematest":                    {"config/document"},
	"apiclient":                            {"apiclient/jsontext", "apiclient/pace", "apiclient/payload"},
	"apiclient/payload":                    {"apiclient/jsontext"},
	"mapping/table":                        {"mapping/reason", "apiclient/jsontext"},
	"mapping/reason":                       {},
	"mapping/date":                         {"mapping/reason", "mapping/table"},
	"mapping/value":                        {"mapping/reason", "mapping/table"},
	"mapping/lookup":                       {"config/diagnostic", "mapping/reason", "mapping/table", "mapping/value"},
	"mapping/expr":                         {"config/diagnostic", "mapping/date", "mapping/lookup", "mapping/reason", "mapping/table", "mapping/value"},
	"mapping/rule":                         {"apiclient/jsontext", "apiclient/payload", "config/diagnostic", "config/document", "mapping/date", "mapping/expr", "mapping/lookup", "mapping/reason", "mapping/table", "mapping/value"},
	"mapping/file":                         {"apiclient/payload", "config/diagnostic", "config/document", "mapping/date", "mapping/expr", "mapping/lookup", "mapping/reason", "mapping/rule", "mapping/table", "mapping/value"},
	"mapping":                              {"mapping/date", "mapping/expr", "mapping/file", "mapping/lookup", "mapping/reason", "mapping/rule", "mapping/value", "apiclient/jsontext", "apiclient/payload", "config/diagnostic", "config/document", "mapping/table"},
	"mapping/infer":                        {"mapping/reason", "apiclient/payload", "mapping", "mapping/table", "mapping/date", "mapping/lookup", "mapping/value"},
	"mapping/edit":                         {"apiclient/payload", "config/diagnostic", "config/document", "mapping", "mapping/infer"},
	// The importer's rooms, from the rows to the run.
	"importer/lookups": {"config/diagnostic", "importer/ledger", "importer/referencelist", "importer/report/csvfile", "importer/report/reading", "importer/source", "importer/source/format", "mapping", "mapping/table", "mapping/lookup", "mapping/reason"},
	"importer/decide":  {"mapping/reason", "apiclient/payload", "importer/ledger", "importer/report/cause", "mapping", "importer/moment"},
	"importer/guard":   {"apiclient/jsontext", "apiclient/payload", "importer/ledger", "importer/report/wording", "mapping/table", "importer/moment"},
	"importer/rows":    {"importer/ledger/decisions", "apiclient/payload", "importer/report/corrected", "config/diagnostic", "importer/decide", "importer/guard", "importer/ledger", "importer/moment", "importer/ledger/unchanged", "importer/report/reading", "importer/report/wording", "importer/source", "importer/source/column", "importer/source/format", "mapping", "mapping/table", "mapping/date", "mapping/lookup", "mapping/reason"},
	"importer/plan":    {"mapping/reason", "apiclient/payload", "importer/decide", "importer/guard", "importer/ledger", "importer/ledger/unchanged", "importer/rows", "mapping", "mapping/table", "importer/moment", "importer/report/corrected", "importer/report/wording"},
	"importer/push":    {"mapping/reason", "apiclient", "apiclient/payload", "importer/decide", "importer/ledger", "importer/ledger/fault", "importer/report/cause", "importer/stop"},
	"importer/support": {"apiclient/payload", "importer/ledger", "importer/report", "importer/report/outcome", "mapping/reason", "mapping/table"},
	"importer/inquiry": {"apiclient", "apiclient/payload", "importer/ledger", "importer/moment"},
	"importer/revert":  {"apiclient/jsontext", "apiclient/payload", "importer/decide", "importer/ledger", "importer/report/csvfile", "importer/moment"},
	"importer/compare": {"apiclient/jsontext", "apiclient/payload", "config/document", "importer/decide", "importer/ledger", "importer/planfile", "importer/report", "importer/report/wording",
		"mapping", "mapping/lookup", "mapping/reason", "mapping/table"},
	"importer/forecast": {"importer/ledger", "importer/moment"},
	"importer/cutover":  {"mapping/reason", "importer/decide", "importer/guard", "importer/ledger", "importer/stop", "importer/moment", "importer/report/wording"},
	"importer/planfile": {"apiclient/jsontext", "mapping/table", "apiclient/payload", "importer", "importer/ledger", "importer/report", "importer/report/outcome", "importer/report/wording"},
	"importer": {"importer/ledger/model", "apiclient/payload", "config/diagnostic", "importer/conflict", "importer/decide", "importer/forecast", "importer/guard", "importer/inquiry", "importer/ledger", "importer/ledger/fault",
		"importer/lookups", "importer/plan", "importer/push", "importer/report/wording", "importer/rows", "importer/source", "importer/source/format", "importer/stop", "mapping", "mapping/table", "mapping/lookup", "mapping/reason", "importer/moment"},
	"importer/conflict":      {"mapping/reason", "apiclient", "apiclient/jsontext", "apiclient/payload", "importer/ledger", "importer/report/cause"},
	"importer/atomicfile":    {},
	"importer/moment":        {},
	"importer/referencelist": {"apiclient", "importer/atomicfile", "importer/report/wording"},
	// The readers of files: what they have in common is at the bottom, and none of the formats knows another.
	"importer/source/format":      {"mapping/table"},
	"importer/source/column":      {"importer/source/format", "mapping/table"},
	"importer/source/header":      {"importer/source/format", "importer/source/sheet", "mapping/table"},
	"importer/source/archive":     {"importer/source/format"},
	"importer/source/charset":     {"importer/source/format"},
	"importer/source/text/record": {"importer/source/column", "importer/source/format"},
	"importer/source/text":        {"importer/source/charset", "importer/source/column", "importer/source/format", "importer/source/text/record", "mapping/table"},
	"importer/source/officexml":   {"mapping/reason", "importer/source/charset", "importer/source/format", "mapping/table"},
	"importer/source/numfmt":      {"importer/source/format", "mapping/table"},
	"importer/source/compound":    {},
	"importer/source/sheetxml":    {"importer/source/archive", "importer/source/format"},
	"importer/source/sheet":       {"mapping/reason", "importer/source/column", "importer/source/format", "importer/source/numfmt", "mapping/table"},
	"importer/source/xlsx": {"importer/source/archive", "importer/source/compound", "importer/source/format", "importer/source/numfmt",
		"importer/source/sheet", "importer/source/sheetxml", "mapping/table"},
	"importer/source/xls": {"importer/source/compound", "importer/source/format", "importer/source/numfmt", "importer/source/sheet", "mapping/table"},
	"importer/source/ods": {"importer/source/archive", "importer/source/format", "importer/source/numfmt", "importer/source/sheet", "importer/source/sheetxml", "mapping/table"},
	"importer/source": {"mapping/reason", "importer/source/archive", "importer/source/column", "importer/source/compound", "importer/source/format", "importer/source/header", "importer/source/ods", "importer/source/officexml",
		"importer/source/sheet", "importer/source/text", "importer/source/xls", "importer/source/xlsx", "mapping/table"},
	"importer/source/sourcetest": {"importer/source/format", "mapping/table"}, // what their tests share
	// A report, its rooms from the bottom up.
	"importer/report/wording":   {"apiclient/payload", "importer/ledger"},
	"importer/report/outcome":   {"importer/ledger"},
	"importer/report/remedy":    {"mapping/reason", "importer/guard", "importer/ledger", "importer/moment", "importer/report/outcome", "importer/report/wording", "importer/stop"},
	"importer/report/cause":     {"mapping/reason", "importer/guard", "apiclient/payload", "importer/ledger", "importer/report/outcome", "importer/report/wording", "mapping/table"},
	"importer/report/corrected": {"importer/ledger", "importer/report/cause", "importer/report/outcome", "importer/report/wording", "mapping/table"},
	"importer/report/reading":   {"apiclient/jsontext", "importer/forecast", "importer/ledger", "importer/report/wording"},
	"importer/report": {"mapping/reason", "importer/forecast", "importer/ledger", "importer/ledger/unchanged", "importer/stop", "importer/report/cause", "importer/report/corrected", "importer/report/outcome", "importer/report/reading",
		"importer/report/wording", "importer/moment", "importer/report/remedy"},
	"importer/report/csvfile":  {},
	"importer/report/workbook": {},
	"importer/report/page": {"apiclient/payload", "importer/ledger", "importer/report", "importer/report/cause", "importer/report/corrected", "importer/report/outcome",
		"importer/report/reading", "importer/report/wording", "mapping/table", "importer/moment", "importer/report/remedy"},
	"importer/report/rejects": {"importer/ledger", "importer/report", "importer/report/cause", "importer/report/corrected", "importer/report/outcome", "importer/report/workbook", "importer/report/wording",
		"mapping/table"},
	"importer/report/files": {"mapping/reason", "importer/atomicfile", "importer/ledger", "importer/report", "importer/report/cause", "importer/report/csvfile", "importer/report/outcome", "importer/report/page",
		"importer/report/rejects", "importer/report/wording"},
	"importer/stop":     {},
	"importer/inbox":    {"importer/atomicfile"},
	"importer/remote":   {"importer/moment"},
	"importer/schedule": {"importer/ledger", "importer/ledger/fault", "importer/moment"},
	"importer/cluster":  {"importer/ledger", "importer/ledger/fault", "importer/push", "importer/stop"},
	// The ledger's rooms: what can be wrong is a leaf; the engines are below the ledger, which opens one of them.
	"importer/ledger/fault":          {"importer/moment"},
	"importer/ledger/store":          {"importer/ledger/fault"},
	"importer/ledger/sqlite":         {"importer/ledger/fault", "importer/ledger/store"},
	"importer/ledger/postgres":       {"importer/ledger/fault", "importer/ledger/store"},
	"importer/ledger/unchanged":      {"importer/ledger/store", "importer/ledger/varint"},
	"importer/ledger/varint":         {},
	"importer/ledger/chain":          {"importer/ledger/varint"},
	"importer/certificate/signature": {"importer/atomicfile", "importer/ledger/chain"},
	// Its rooms, each above those that it names. None imports the ledger, which puts them together and has what sends.
	"importer/ledger/model":       {"mapping/reason", "mapping/table"},
	"importer/ledger/handle":      {"importer/ledger/chain", "importer/ledger/fault", "importer/ledger/model", "importer/ledger/store"},
	"importer/ledger/bundle":      {"importer/ledger/chain", "importer/ledger/fault", "importer/ledger/handle", "importer/ledger/model", "importer/ledger/store", "importer/ledger/varint"},
	"importer/ledger/evidence":    {"importer/ledger/bundle", "importer/ledger/chain", "importer/ledger/handle", "importer/ledger/model", "importer/ledger/store"},
	"importer/ledger/history":     {"apiclient/payload", "importer/ledger/bundle", "importer/ledger/handle", "importer/ledger/model", "importer/ledger/store", "importer/ledger/unchanged", "importer/ledger/varint"},
	"importer/ledger/planning":    {"mapping/reason", "importer/ledger/bundle", "importer/ledger/chain", "importer/ledger/evidence", "importer/ledger/fault", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/store", "importer/ledger/unchanged"},
	"importer/ledger/decisions":   {"mapping/reason", "importer/ledger/chain", "importer/ledger/evidence", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/planning", "importer/ledger/store"},
	"importer/ledger/occurrences": {"importer/ledger/handle", "importer/ledger/store"},
	"importer/ledger/prune":       {"importer/ledger/bundle", "importer/ledger/evidence", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/store", "importer/ledger/unchanged"},
	"importer/ledger/search":      {"apiclient/payload", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/store"},
	"importer/ledger/forget":      {"apiclient/payload", "mapping/reason", "mapping/table", "importer/ledger/bundle", "importer/ledger/decisions", "importer/ledger/evidence", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/search", "importer/ledger/sqlite", "importer/ledger/store", "importer/ledger/unchanged"},
	"importer/ledger":             {"mapping/reason", "importer/ledger/chain", "importer/ledger/decisions", "importer/ledger/evidence", "importer/ledger/fault", "importer/ledger/forget", "importer/ledger/handle", "importer/ledger/history", "importer/ledger/model", "importer/ledger/occurrences", "importer/ledger/planning", "importer/ledger/postgres", "importer/ledger/prune", "importer/ledger/search", "importer/ledger/sqlite", "importer/ledger/store", "importer/ledger/varint"},
	"importer/notify":             {"importer/stop", "importer/ledger", "importer/report", "importer/report/cause", "importer/report/files", "importer/report/outcome", "importer/moment", "importer/report/remedy"},
	"importer/trace":              {"importer/ledger", "importer/report"},
	// The console's rooms. Nothing of ours is known to who signs in; what frames pages knows nothing of any page.
	"importer/console/signin":     {},
	"importer/console/shelf":      {"importer/atomicfile"},
	"importer/console/web":        {"apiclient/payload", "importer/console/signin", "importer/ledger", "importer/ledger/fault", "importer/report", "importer/moment"},
	"importer/console/queue":      {"importer", "importer/forecast", "importer/ledger"},
	"importer/console/upload":     {"apiclient/payload", "importer/report/workbook", "mapping/value", "config/diagnostic", "importer", "importer/atomicfile", "importer/console/shelf", "importer/ledger", "importer/report", "importer/source", "importer/source/format", "mapping", "mapping/infer", "mapping/table", "importer/lookups", "importer/report/csvfile", "importer/rows", "importer/report/cause", "mapping/lookup", "mapping/reason"},
	"importer/console/access":     {"importer/console/signin", "importer/console/web", "importer/ledger", "importer/report"},
	"importer/console/nodes":      {"importer/cluster", "importer/console/signin", "importer/console/web", "importer/ledger", "importer/report/wording"},
	"importer/console/firms":      {"importer/console/signin", "importer/console/web", "importer/report"},
	"importer/console/manual":     {"importer/console/signin", "importer/console/web"},
	"importer/console/setup":      {"apiclient/payload", "config/diagnostic", "importer/console/signin", "importer/console/web", "mapping/infer"},
	"importer/console/records":    {"importer/ledger/decisions", "apiclient", "apiclient/payload", "importer/rows", "importer/report/corrected", "importer/console/signin", "importer/console/web", "importer/inquiry", "importer/ledger", "importer/planfile", "importer/report", "mapping/table"},
	"importer/console/comparison": {"importer/compare", "importer/console/signin", "importer/console/web", "importer/ledger", "importer/report", "importer/report/csvfile", "importer/report/wording"},
	"importer/console/jobs": {"apiclient/payload", "config", "importer", "importer/stop", "importer/console/comparison", "importer/console/queue", "importer/console/records", "importer/console/signin", "importer/console/upload",
		"importer/console/web", "importer/forecast", "importer/ledger", "importer/planfile", "importer/report", "importer/report/cause", "importer/report/files", "importer/report/outcome", "importer/report/wording", "importer/source/format", "importer/report/remedy"},
	"importer/console/wizard": {"apiclient/payload", "config/diagnostic", "importer", "importer/atomicfile", "importer/console/jobs", "importer/console/queue", "importer/console/signin",
		"importer/console/upload", "importer/console/web", "importer/ledger", "importer/report", "importer/report/cause", "importer/source", "importer/source/format", "mapping", "mapping/edit", "mapping/infer", "mapping/table", "mapping/value", "importer/report/wording", "mapping/lookup", "mapping/reason"},
	"importer/console": {"importer/console/access", "importer/console/comparison", "importer/console/firms", "importer/console/jobs", "importer/console/manual", "importer/console/nodes", "importer/console/queue", "importer/console/records", "importer/console/setup", "importer/console/signin",
		"importer/console/upload", "importer/console/web", "importer/console/wizard", "importer/ledger"},
	"importer/metrics": {"apiclient", "importer/ledger", "importer/report", "importer/stop", "importer/report/outcome"},
	// A certificate is another reading of the ledger: it shares the words for outcomes with reports, and cells with mappings.
	"importer/certificate": {"mapping/reason", "apiclient/payload", "importer/atomicfile", "importer/certificate/signature", "importer/ledger", "importer/report", "mapping", "mapping/table"},
}

// ledgerRooms are the ledger and its rooms, which write through its one transaction.
var ledgerRooms = []string{"importer/ledger", "importer/ledger/handle", "importer/ledger/bundle", "importer/ledger/evidence", "importer/ledger/history", "importer/ledger/planning",
	"importer/ledger/decisions", "importer/ledger/occurrences", "importer/ledger/prune", "importer/ledger/search", "importer/ledger/forget"}

// confined says which packages alone may import a heavy dependency, by the beginning of its path.
var confined = map[string][]string{
	"github.com/xuri/excelize": {"importer/source/xlsx", "importer/report/workbook", "importer/report/rejects", "importer/certificate"}, // what is signed is a workbook too
	"modernc.org/sqlite":       {"importer/ledger/sqlite", "apiclient/sandbox"},
	"github.com/jackc/pgx":     {"importer/ledger/postgres", "importer/ledger/ledgertest", "importer/cluster"},
	"github.com/riverqueue":    {"importer/cluster"},
	// Who can name a transaction can write: nobody but the ledger itself.
	module + "importer/ledger/store":  append(ledgerRooms, "importer/ledger/postgres", "importer/ledger/sqlite", "importer/ledger/unchanged"),
	module + "importer/ledger/handle": ledgerRooms,
	// To all others a mapping is a Mapping, which cannot be made but of a file without mistakes.
	module + "mapping/rule":      {"mapping", "mapping/file"},
	module + "mapping/file":      {"mapping"},
	"go.yaml.in/yaml":            {"config/document"},
	"github.com/expr-lang":       {"mapping/expr"},
	"github.com/spf13/cobra":     {"cmd/docketsync"},
	"github.com/minio":           {"importer/remote"},
	"github.com/pkg/sftp":        {"importer/remote"},
	"golang.org/x/crypto/ssh":    {"importer/remote", "importer/remote/servertest"},
	"github.com/fsnotify":        {"importer/inbox"},
	"github.com/alexedwards":     {"importer/console/signin"},
	"github.com/coreos/go-oidc":  {"importer/console/signin"},
	"golang.org/x/oauth2":        {"importer/console/signin"},
	"golang.org/x/crypto/argon2": {"importer/console/signin"},
	"github.com/robfig/cron":     {"importer/schedule"},
	"github.com/wneessen":        {"importer/notify"},
	"github.com/prometheus":      {"importer/metrics"},
	"github.com/chromedp":        {"importer/browsertest"},
}

// TestImports keeps the packages in order: imports run one way, and heavy dependencies stay where they belong. Test
// files may import what they test with.
func TestImports(t *testing.T) {
	t.Parallel()
	files := 0
	for dir, imports := range importsOf(t, os.DirFS(filepath.Join("..", ".."))) {
		for _, imported := range imports {
			files++
			for _, complaint := range complaints(dir, imported) {
				t.Error(complaint)
			}
		}
	}
	if files < 50 {
		t.Errorf("saw only %d imports: the test looks in the wrong place", files)
	}
}

// TestImportRules shows that the check sees what it is there to see.
func TestImportRules(t *testing.T) {
	t.Parallel()
	for _, bad := range [][2]string{
		{"mapping", "docketsync/importer"},
		{"mapping/infer", "docketsync/importer/source"},
		{"mapping/rule", "docketsync/mapping/file"},
		{"mapping/file", "docketsync/mapping"},
		{"mapping/edit", "docketsync/mapping/rule"},
		{"cmd/docketsync/internal/installation", "docketsync/mapping/file"},
		{"config", "docketsync/mapping"},
		{"apiclient/sandbox", "docketsync/apiclient"},
		{"apiclient/sandbox", "docketsync/apiclient/payload"}, // so that a wrong name cannot agree with itself
		{"importer/source", "docketsync/importer/ledger"},
		{"importer/ledger", "docketsync/mapping"},
		{"importer/report", "docketsync/importer/ledger/store"},
		{"importer/report", "docketsync/importer/ledger/handle"},
		{"importer/ledger/handle", "docketsync/importer/ledger/history"},
		{"importer/ledger/history", "docketsync/importer/ledger"},
		{"importer/ledger/search", "docketsync/importer/ledger/planning"},
		{"cmd/docketsync", "docketsync/importer/ledger/store"},
		{"mapping", "github.com/xuri/excelize/v2"},
		{"importer", "modernc.org/sqlite"},
		{"apiclient/sandbox", "github.com/jackc/pgx/v5/stdlib"},
		{"cmd/docketsync/internal/installation", "docketsync/cmd/docketsync/internal/runner"},
		{"cmd/docketsync/internal/terminal", "docketsync/cmd/docketsync/internal/installation"},
		{"importer/report", "docketsync/cmd/docketsync/internal/terminal"},
	} {
		if len(complaints(bad[0], bad[1])) == 0 {
			t.Errorf("%s may import %s, and must not", bad[0], bad[1])
		}
	}
}

// TestTopLevel keeps the top level to what it is meant to hold.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("cmd importer mapping apiclient config samples go.mod go.sum README.md docketsync-demo")
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(want, name) {
			t.Errorf("the top level holds %s, which has no place there", name)
		}
	}
}

// rooms are the rooms of cmd, the lowest first: none imports one that comes after it.
var rooms = []string{"exit", "terminal", "observers", "installation", "runner", "checking", "doctor", "proposing", "doubts", "arrivals", "firms", "daemon", "webwork", "basechange"}

func complaints(dir, imported string) []string {
	var found []string
	from, ofCmd := strings.CutPrefix(dir, "cmd/docketsync/internal/")
	if to, ok := strings.CutPrefix(imported, module+"cmd/docketsync/internal/"); ok && ofCmd && slices.Index(rooms, to) >= slices.Index(rooms, from) {
		found = append(found, dir+" imports "+imported+", which is above it")
	}
	if ours, ok := strings.CutPrefix(imported, module); ok {
		may := allowed[dir]
		if !slices.Contains(may, ours) && (house(ours) == house(dir) || !slices.Contains(may, house(ours))) && !slices.Contains(may, "*") {
			found = append(found, dir+" imports "+ours+", and imports do not run that way")
		}
	}
	for prefix, homes := range confined {
		if strings.HasPrefix(imported, prefix) && !slices.Contains(homes, dir) {
			found = append(found, dir+" imports "+imported+", which belongs to "+strings.Join(homes, ", "))
		}
	}
	return found
}

// open are the houses whose rooms may be imported by whoever may import the house. Among themselves they are in order.
var open = []string{"importer/report"}

// house is the open house of a room, and of any other package itself.
func house(dir string) string {
	for _, house := range open {
		if strings.HasPrefix(dir, house+"/") {
			return house
		}
	}
	return dir
}

// importsOf returns the imports of every folder's Go files, tests left out.
func importsOf(t *testing.T, root fs.FS) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[path.Dir(name)] = append(imports[path.Dir(name)], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}
