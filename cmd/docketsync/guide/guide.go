// Package guide is the documentation that people read: one embedded Markdown file for each topic, and the references of
// mapping files and of the configuration. These references are the package comments of mapping and config, and are
// written only there.
//
// The same text is shown in the terminal (docketsync help TOPIC), in the console (/guide), and as man pages or a static
// site (docketsync guide). A test runs the examples: a fenced block that names a file makes that file, a console block
// runs its commands and compares what they print, and a block "yaml config" is loaded as a part of a configuration. So
// no example can be broken.
//
// It imports the two packages whose references it shows.
package guide

import (
	"bytes"
	"embed"
	_ "embed"
	"fmt"
	"go/doc/comment"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"docketsync/config"
	"docketsync/mapping"
)

//go:embed *.md
var files embed.FS

// Topic is one page of the guide.
type Topic struct {
	// Name is the name of the topic for help and in addresses; Title is its heading.
	Name, Title string
	// Source returns the original Markdown, heading included, with the names of files behind the fences of their
	// blocks.
	Source func() string
}

// order is the order in which a reader should meet the topics.
var order = []string{"first-import", "migration", "weekend", "nights", "mornings", "mapping", "configuration", "reasons", "web", "monitoring",
	"backup", "postgresql", "machines", "upgrade", "security", "threats", "scripts"}

// Topics returns all pages, in reading order. Every command asks for their titles, so it does no more than that.
func Topics() (topics []Topic) {
	references := map[string]Topic{
		"mapping":       reference("mapping", "Mapping files", mapping.Documentation, "A mapping file"),
		"configuration": reference("configuration", "The configuration", config.Documentation, "Reference"),
	}
	for _, name := range order {
		topic, generated := references[name]
		if !generated {
			data, err := files.ReadFile(name + ".md")
			if err != nil {
				panic(err) // the file is part of the program
			}
			text := string(data)
			title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			topic = Topic{name, title, func() string { return text }}
		}
		topics = append(topics, topic)
	}
	return topics
}

// reference makes a page from the part of a package comment, given as Go source, that begins with a heading: the part
// for people who write such files.
func reference(name, title, source, heading string) Topic {
	return Topic{name, title, func() string {
		var text strings.Builder
		_, from, _ := strings.Cut(source, "// # "+heading+"\n")
		for line := range strings.Lines(from) {
			if line, isComment := strings.CutPrefix(line, "//"); isComment {
				text.WriteString(strings.TrimPrefix(line, " "))
			}
		}
		var parser comment.Parser
		printer := comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
		return fmt.Sprintf("# %s\n\n%s", title, printer.Markdown(parser.Parse(text.String())))
	}}
}

// HTML is a topic as the body of a page.
func (t Topic) HTML() (string, error) {
	var page bytes.Buffer
	err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(t.Text()), &page)
	return page.String(), err
}

// Text is the page in Markdown for readers. The name of a file is above its block; the source has it behind the fence,
// for the test that makes the file. Pictures, which are only in the repository, are left out.
func (t Topic) Text() string {
	return blockOfFile.ReplaceAllString(picture.ReplaceAllString(t.Source(), ""), "`$2`:\n\n```$1\n")
}

var picture = regexp.MustCompile(`(?m)^!\[.*\)\n\n`)

var blockOfFile = regexp.MustCompile("(?m)^```(\\w+) (\\S+\\.\\w+)(?: .*)?\n")

// Terminal is a topic as text for a terminal: code blocks are indented rather than fenced, and paragraphs are broken at
// width.
func (t Topic) Terminal() string {
	var text, paragraph strings.Builder
	flush := func() {
		if paragraph.Len() > 0 {
			text.WriteString(wrapped(escaped.ReplaceAllString(paragraph.String(), "$1")))
			paragraph.Reset()
		}
	}
	inside := false
	for line := range strings.Lines(listed(t.Text())) {
		code, isCode := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			inside = !inside
		case inside:
			text.WriteString("    " + line)
		case isCode:
			flush()
			text.WriteString("    " + code)
		case line == "\n" || line[0] == '#':
			flush()
			text.WriteString(line)
		default:
			if item.MatchString(line) {
				flush()
			}
			paragraph.WriteString(line)
		}
	}
	flush()
	return text.String()
}

// escaped matches a character that Markdown would read as markup.
var escaped = regexp.MustCompile(`\\([_*<>\[\]#])`)

// listed turns the rows of tables into definition lists, because a table is wider than a terminal. The first cell is
// the term; the other cells define it, each after the name of its column if there are several.
func listed(text string) string {
	return table.ReplaceAllStringFunc(text, func(table string) string {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		header := cells(lines[0])
		var list strings.Builder
		for _, line := range lines[2:] {
			row := cells(line)
			list.WriteString(row[0] + "\n")
			for i, cell := range row[1:] {
				if len(row) > 2 && cell != "" {
					cell = header[i+1] + ": " + cell
				}
				if cell != "" {
					list.WriteString(":   " + cell + "\n")
				}
			}
			list.WriteByte('\n')
		}
		return list.String()
	})
}

var table = regexp.MustCompile(`(?m)^\|.*\n\|[-|]+\n(?:\|.*\n)+\n?`)

// cells returns the cells in a line of a table.
func cells(line string) []string {
	list := strings.Split(strings.Trim(line, "|"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// width is the longest line of text for a terminal.
const width = 100

// item matches the beginning of a list item, or of a definition.
var item = regexp.MustCompile(`^(?:- |\d+\. |:   )`)

// wrapped breaks a paragraph between words; the lines of an item are aligned.
func wrapped(paragraph string) string {
	mark := item.FindString(paragraph)
	indent := len(mark)
	var text strings.Builder
	text.WriteString(strings.Replace(mark, ":", " ", 1))
	used := indent
	for i, word := range strings.Fields(paragraph[indent:]) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			text.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			text.WriteByte(' ')
			used++
		}
		text.WriteString(word)
		used += n
	}
	return text.String() + "\n"
}

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
