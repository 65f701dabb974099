package reason

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every sentence is said somewhere, by somebody who gives it as many arguments as it has; those of checks by the checks.
func TestEverySentenceIsSaidWithItsArguments(t *testing.T) {
	t.Parallel()
	named := constants(t)
	said := map[string]bool{}
	calls := 0
	root := filepath.Join("..", "..")
	for _, dir := range []string{"mapping", "importer"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "reason" {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					said[named[nameOf(n)]] = true
				case *ast.BasicLit:
					said[strings.Trim(n.Value, `"`)] = true // the names of checks
				case *ast.CallExpr:
					if called, ok := n.Fun.(*ast.SelectorExpr); !ok || nameOf(called) != "New" || len(n.Args) == 0 {
						break
					}
					name := ""
					switch first := n.Args[0].(type) {
					case *ast.SelectorExpr:
						name = named[nameOf(first)]
					case *ast.BasicLit:
						name = strings.Trim(first.Value, `"`)
					}
					if f := parsed[name]; f != nil {
						if calls++; len(f.args) != len(n.Args)-1 {
							t.Errorf("%s says %s with %d arguments of %d: %v", path, name, len(n.Args)-1, len(f.args), f.args)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sentences)) {
		if !said[name] {
			t.Errorf("nobody says %s", name)
		}
	}
	if calls < 70 {
		t.Errorf("only %d calls were found: the test looks in the wrong place", calls)
	}
}

// nameOf is the name behind "reason.", "" of another package's.
func nameOf(s *ast.SelectorExpr) string {
	if of, ok := s.X.(*ast.Ident); ok && of.Name == "reason" {
		return s.Sel.Name
	}
	return ""
}

// constants are the values of the package's constants by their names.
func constants(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, path := range []string{"sentences.go", "codes.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				of := spec.(*ast.ValueSpec)
				text := ""
				ast.Inspect(of.Values[0], func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.Ident:
						text += values[n.Name]
					case *ast.BasicLit:
						text += strings.Trim(n.Value, `"`)
					}
					return true
				})
				values[of.Names[0].Name] = text
			}
		}
	}
	return values
}

// A message or hint shows each of its arguments, and one that is stored without its words has them again.
func TestSentencesLoseNoArgument(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(sentences)) {
		if name[0] == '+' {
			continue
		}
		args := make([]any, len(parsed[name].args))
		for n := range args {
			args[n] = "<" + parsed[name].args[n] + ">"
		}
		p := New(name, args...)
		for n, arg := range p.Args {
			if !strings.Contains(p.Message+p.Hint, arg) {
				t.Errorf("%s loses {%s}: %s %s", name, parsed[name].args[n], p.Message, p.Hint)
			}
		}
		if p.Message == "" {
			t.Errorf("%s says nothing", name)
		}
		for _, r := range []Reason{{}, {Code: name, Field: "name", Cell: "C17", Row: 17, Value: "v", Stored: "s"}} {
			for _, p := range []*Problem{p, p.And(OrWarn)} {
				r := r.Says(p)
				data, err := json.Marshal(Stored([]Reason{r}))
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(data), `"message"`) || strings.Contains(string(data), `"hint"`) {
					t.Errorf("%s is stored with its words: %s", name, data)
				}
				var back []Reason
				if err := json.Unmarshal(data, &back); err != nil || len(back) != 1 || !reflect.DeepEqual(back[0], r) {
					t.Errorf("%s comes back as %+v, want %+v (%v)", name, back, r, err)
				}
			}
		}
	}
}

// What releases before arguments stored, and what later ones may store, is shown.
func TestReasonsOfOtherReleases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, stored, message, hint string }{
		{"with its words alone", `{"code":"guid_invalid","message":"as it was said","hint":"then"}`, "as it was said", "then"},
		{"of another sentence than today's", `{"code":"text_too_long","args":["300"]}`, "text_too_long: 300", ""},
		{"of a form that is not known", `{"code":"guid_invalid","form":"later","args":["x","y"]}`, "guid_invalid: x, y", ""},
		{"of a code that is not known", `{"code":"later","args":["x"]}`, "later: x", ""},
		{"without words", `{"code":"later"}`, "", ""},
	} {
		var r Reason
		if err := json.Unmarshal([]byte(c.stored), &r); err != nil || r.Message != c.message || r.Hint != c.hint {
			t.Errorf("%s: %q %q (%v)", c.name, r.Message, r.Hint, err)
		}
		if kept, err := json.Marshal(Stored([]Reason{r})); c.name == "with its words alone" && (err != nil || string(kept) != `[{"code":"guid_invalid","hint":"then","message":"as it was said"}]`) {
			t.Errorf("%s: written again as %s", c.name, kept)
		}
	}
}

// Arguments are cut where the sentence shows no more of them, and hold nothing that a database refuses.
func TestArgumentsAreWhatTheSentenceShows(t *testing.T) {
	t.Parallel()
	p := New(LookupUnknown, strings.Repeat("x", 100)+"\x00", "a\xffb\x00")
	if want := []string{strings.Repeat("x", 60) + "…", "a\ufffdb\ufffd"}; !reflect.DeepEqual(p.Args, want) {
		t.Errorf("%q, want %q", p.Args, want)
	}
	if want := `"` + strings.Repeat("x", 60) + `…" is not in the lookup "a�b�"`; p.Message != want {
		t.Errorf("%s, want %s", p.Message, want)
	}
}

// Every code is explained on the page of reasons.
func TestGuideExplainsEveryReason(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "cmd", "docketsync", "guide", "reasons.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range sentences {
		if code, _, _ := strings.Cut(name, "/"); code[0] != '+' && !strings.Contains(string(page), "`"+code+"`") {
			t.Errorf("the page of reasons does not explain %s", code)
		}
	}
}
