package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docketsync/cmd/docketsync/guide"
)

// block is a fenced block of a page: the words behind its fence, and its text.
type block struct {
	words []string
	text  string
}

var fenced = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

func blocks(text string) (list []block) {
	for _, match := range fenced.FindAllStringSubmatch(text, -1) {
		list = append(list, block{strings.Fields(match[1]), match[2]})
	}
	return list
}

// TestGuide does what the pages of the guide say: a block with the name of a file makes that file, at the start or after so many
// console blocks; a console block runs its commands and expects what it shows of their output, where … stands for anything.
func TestGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ran := 0
	for _, topic := range guide.Topics() {
		if script := scriptOf(t, topic); script != "" {
			ran++
			if err := os.WriteFile(filepath.Join(dir, topic.Name+".txtar"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran < 3 {
		t.Fatalf("only %d pages have commands: the test looks in the wrong place", ran)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true, Setup: quietHome,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits}})
}

func scriptOf(t *testing.T, topic guide.Topic) string {
	var script, files strings.Builder
	steps := 0
	later := map[int][]string{} // files that are made after so many console blocks, by the names that the archive has for them
	for _, b := range blocks(topic.Source()) {
		switch {
		case len(b.words) == 0, len(b.words) == 1 && b.words[0] != "console" && b.words[0] != "sh":
			t.Errorf("%s: a block does not say what it is, so nothing tries it:\n%s", topic.Name, b.text)
		case b.words[0] == "console":
			steps++
			commands(&script, b.text)
			for _, name := range later[steps] {
				fmt.Fprintf(&script, "cp later/%s %s\n", name, name)
			}
		case len(b.words) == 3: // csv FILE after=N
			n, err := strconv.Atoi(strings.TrimPrefix(b.words[2], "after="))
			if err != nil {
				t.Errorf("%s: %v", topic.Name, err)
			}
			if n <= steps {
				fmt.Fprintf(&script, "cp later/%s %s\n", b.words[1], b.words[1])
			}
			later[n] = append(later[n], b.words[1])
			fmt.Fprintf(&files, "-- later/%s --\n%s", b.words[1], b.text)
		case len(b.words) == 2 && b.words[1] != "config":
			fmt.Fprintf(&files, "-- %s --\n%s", b.words[1], b.text)
		}
	}
	if steps == 0 {
		return ""
	}
	return script.String() + files.String()
}

// commands turns a console block into the lines of a script. A command whose end says "# exit status 3" must end so.
func commands(script *strings.Builder, text string) {
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "$ "), "\n$ ") {
		command, shown, _ := strings.Cut(part, "\n")
		command, status, fails := strings.Cut(command, " # exit status ")
		if !fails {
			status = "0"
		}
		fmt.Fprintf(script, "exits %s %s\n", status, command)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(shown)), "…", "(.|\n)*")
		pattern = strings.ReplaceAll(pattern, "\n", `\n`)
		if strings.Trim(shown, "…\n ") != "" {
			fmt.Fprintf(script, "stdout '%s'\n", strings.ReplaceAll(pattern, "'", "''"))
		}
	}
}

// Every part of a configuration in the guide is one that loads.
func TestGuideConfigurations(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, topic := range guide.Topics() {
		for _, b := range blocks(topic.Source()) {
			if b.words[0] != "yaml" || len(b.words) != 2 || b.words[1] != "config" {
				continue
			}
			ran++
			dir := filepath.Join(t.TempDir(), "firm")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			text := b.text
			for key, least := range map[string]string{
				"service": "service: {base_url: sandbox, paths: {update_case: /v1/case}}\n",
				"jobs":    "jobs: [{name: j, source: j.csv, mapping: m.yaml}]\n",
			} {
				if !regexp.MustCompile(`(?m)^(` + key + `|firms):`).MatchString(b.text) {
					text += least
				}
			}
			for _, name := range []string{"docketsync.yaml", "ines.hash", "victor.hash"} {
				content := text
				if strings.HasSuffix(name, ".hash") {
					content = "$argon2id$v=19$m=65536,t=3,p=2$c2FsdHNhbHRzYWx0c2FsdA$" + strings.Repeat("A", 43) + "\n"
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := func(name string) (string, bool) {
				if name == "DOCKETSYNC_LEDGER" {
					return "postgres://vendor@db.example/docketsync", true
				}
				return "https://example.com/{job}", true
			}
			if _, err := quietApp(env, filepath.Join(dir, "docketsync.yaml")).Settings(); err != nil {
				t.Errorf("%s: %v\n%s", topic.Name, err, b.text)
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d parts of configurations were found: the test looks in the wrong place", ran)
	}
}

// What the README, the guide and the help of commands tell a person to type are commands with flags that exist.
func TestGuideNamesCommandsThatExist(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"README.md": string(readme)}
	for _, topic := range guide.Topics() {
		text := topic.Text()
		for _, b := range blocks(topic.Source()) {
			text += "\n    " + strings.ReplaceAll(b.text, "\n", "\n    ")
		}
		texts["help "+topic.Name] = text
	}
	var helps func(cmd *cobra.Command)
	helps = func(cmd *cobra.Command) {
		texts[cmd.CommandPath()+" --help"] = cmd.Long
		for _, c := range cmd.Commands() {
			if c.Runnable() {
				helps(c)
			}
		}
	}
	root := newRoot(quietApp(nil, ""))
	helps(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	typed := regexp.MustCompile("(?m)^ {4}(?:\\$ )?docketsync( [^\n]*)?$|[`']docketsync((?: [^`'\n]+)+)[`']")
	tried := 0
	for from, text := range texts {
		for _, match := range typed.FindAllStringSubmatch(text, -1) {
			tried++
			if err := typable(root, match[1]+match[2]); err != nil {
				t.Errorf("%s: %s: %v", from, match[0], err)
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d commands are named: the test looks in the wrong place", tried)
	}
}

// The README fits on two screens, links to files that exist, and its way from a file to a report works as it is written.
func TestReadme(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	if lines := strings.Count(readme, "\n"); lines > 72 {
		t.Errorf("the README has %d lines, which is more than two screens", lines)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(link[1]))); err != nil {
			t.Error(err)
		}
	}
	const id = ",1d7f43c8-9f3e-5a51-9a0b-2c3d4e5f6a7b\n"
	const files = "-- exports/matters.csv --\nOur Ref,Matter Name,Client\nM-1001,Acme v Birch,Acme Holdings\n" +
		"-- ids/clients.csv --\nname,id\nAcme Holdings" + id +
		"-- ids/constants.csv --\nname,id\ntemplate of the cases" + id + "responsible user" + id
	var steps strings.Builder
	for _, command := range regexp.MustCompile(`(?m)^ {4}(docketsync .*?)  `).FindAllStringSubmatch(readme, -1) {
		steps.WriteString("exec " + command[1] + "\n")
		if strings.HasPrefix(command[1], "docketsync init ") {
			steps.WriteString("cp ids/clients.csv lookups/clients.csv\ncp ids/constants.csv lookups/constants.csv\n")
		}
	}
	if n := strings.Count(steps.String(), "exec "); n < 5 {
		t.Fatalf("the README has only %d steps: the test looks in the wrong place", n)
	}
	steps.WriteString("stdout 'report: reports/.*report.html'\nstdout 'Rehearsal: the service is the sandbox'\n")
	file := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(file, []byte(steps.String()+files), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, RequireExplicitExec: true, Setup: quietHome})
}

// typable says whether a command line names a command, or a topic of help, and flags that it has. Names in capitals stand for anything.
func typable(root *cobra.Command, line string) error {
	line, _, _ = strings.Cut(line, "  ") // what the README says of the command
	line, _, _ = strings.Cut(line, " # ")
	line, _, _ = strings.Cut(line, " > ")
	words := strings.Fields(line)
	if len(words) > 1 && words[0] == "help" {
		if words = words[1:]; words[0] == "TOPIC" {
			return nil
		}
	}
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	return nil
}

// Pages fit a terminal and are free of the signs of Markdown that only a browser needs.
func TestGuideFitsATerminal(t *testing.T) {
	t.Parallel()
	for _, topic := range guide.Topics() {
		for line := range strings.Lines(topic.Terminal()) {
			if strings.HasPrefix(line, "|") || strings.Contains(line, `\_`) {
				t.Errorf("%s shows Markdown: %s", topic.Name, line)
			}
			if !strings.HasPrefix(line, "    ") && utf8.RuneCountInString(line) > 101 {
				t.Errorf("%s is wider than 100 characters: %s", topic.Name, line)
			}
		}
	}
	dir := t.TempDir()
	if _, err := guide.WriteMan(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "docketsync-reasons.7"))
	if err != nil || strings.Contains(string(page), ".TS") || !strings.Contains(string(page), "what to do: fill in the cell") {
		t.Errorf("the man page of reasons has a table, which is wider than a terminal: %v", err)
	}
}

// Every code of a guard and a stop is explained on the page of reasons; mapping/reason has the test for those of reasons.
func TestGuideExplainsEveryStop(t *testing.T) {
	t.Parallel()
	var page string
	for _, topic := range guide.Topics() {
		if topic.Name == "reasons" {
			page = topic.Text()
		}
	}
	found := 0
	for _, file := range []string{"importer/stop/stop.go", "importer/guard/guard.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, isValue := n.(*ast.ValueSpec)
			if !isValue {
				return true
			}
			for _, value := range spec.Values {
				literal, isLiteral := value.(*ast.BasicLit)
				if !isLiteral || literal.Kind != token.STRING {
					continue
				}
				found++
				if code, _ := strconv.Unquote(literal.Value); !strings.Contains(page, "`"+code+"`") {
					t.Errorf("the page of reasons does not explain %s of %s", code, file)
				}
			}
			return true
		})
	}
	if found < 25 {
		t.Errorf("only %d codes were found: the test looks in the wrong place", found)
	}
}

// Every test that the pages name as a proof is there.
func TestGuideNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			var text []byte
			text, err = os.ReadFile(path)
			tests.Write(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, topic := range guide.Topics() {
		for _, name := range regexp.MustCompile("`((Test|Fuzz)[A-Z][A-Za-z]+)`").FindAllStringSubmatch(topic.Source(), -1) {
			named++
			if !strings.Contains(tests.String(), "\nfunc "+name[1]+"(") {
				t.Errorf("%s: there is no %s", topic.Name, name[1])
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d tests are named: the test looks in the wrong place", named)
	}
}
