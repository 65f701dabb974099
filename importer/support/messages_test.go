package support

import (
	"cmp"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the messages that the sources log over messages.txt")

// TestMessagesAreThoseOfTheSources finds every message that is logged anywhere, which are the only ones a bundle shows.
func TestMessagesAreThoseOfTheSources(t *testing.T) {
	t.Parallel()
	var found []string
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return cmp.Or(err, filepath.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if message := logged(n); len(message) > 3 && !slices.Contains(found, message) {
				found = append(found, message)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	text := strings.Join(found, "\n") + "\n"
	if *update {
		if err := os.WriteFile("messages.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile("messages.txt")
	if err != nil || string(kept) != text || len(found) < 30 {
		t.Errorf("messages.txt is not what the sources log, %d messages (%v): go test ./importer/support -update", len(found), err)
	}
}

// logged is the message of a call that logs, "" for other nodes.
func logged(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, method.Sel.Name) {
		return ""
	}
	text, ok := call.Args[0].(*ast.BasicLit)
	if !ok || text.Kind != token.STRING {
		return ""
	}
	message, _ := strconv.Unquote(text.Value)
	return message
}
