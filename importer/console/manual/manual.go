// Package manual shows the guide: its list of topics, and a page for each. The topics come as HTML, because the guide
// is kept with the commands, which print it too.
package manual

import (
	"embed"
	"html/template"
	"net/http"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
)

//go:embed pages/*.html
var files embed.FS

// Topic is one page of the guide; its heading is in its body.
type Topic struct {
	Name, Title string
	Body        template.HTML
}

// Pages are the pages of this package.
type Pages struct{ Topics []Topic }

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/guide", signin.Viewer, p.list)
	f.Get("/guide/{topic}", signin.Viewer, p.show)
}

type view struct {
	Topics []Topic
	Topic  Topic // without a name on the list of topics
}

func (p *Pages) list(r *web.Request) error {
	return r.Show("guide", "Guide", view{Topics: p.Topics})
}

func (p *Pages) show(r *web.Request) error {
	for _, topic := range p.Topics {
		if topic.Name == r.PathValue("topic") {
			return r.Show("guide", topic.Title, view{p.Topics, topic})
		}
	}
	return web.Refuse(http.StatusNotFound, "Topic not found.", "Choose one from the guide.")
}
