package guide

import (
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes the guide as a static site into a folder: a file for each topic, and index.html, which lists them. It returns how
// many files it wrote.
func WriteHTML(dir string) (int, error) {
	type view struct {
		Topics []Topic
		Topic  *Topic
		Body   template.HTML
	}
	write := func(name string, v view) error {
		file, err := os.Create(filepath.Join(dir, name+".html"))
		if err != nil {
			return err
		}
		if err := page.Execute(file, v); err != nil {
			file.Close()
			return err
		}
		return file.Close()
	}
	topics := Topics()
	for i := range topics {
		body, err := topics[i].HTML()
		if err != nil {
			return i, err
		}
		if err := write(topics[i].Name, view{Topics: topics, Topic: &topics[i], Body: template.HTML(body)}); err != nil {
			return i, err
		}
	}
	return len(topics) + 1, write("index", view{Topics: topics})
}

// WriteMan writes the topics as man pages of section 7 into a folder. It returns how many files it wrote.
func WriteMan(dir string) (int, error) {
	topics := Topics()
	for i, topic := range topics {
		name := "docketsync-" + topic.Name
		text := fmt.Sprintf("%% %s 7 \"\" docketsync docketsync\n\n# NAME\n%s - %s\n\n%s", name, name, topic.Title, listed(topic.Text()))
		if err := os.WriteFile(filepath.Join(dir, name+".7"), md2man.Render([]byte(text)), 0o644); err != nil {
			return i, err
		}
	}
	return len(topics), nil
}
