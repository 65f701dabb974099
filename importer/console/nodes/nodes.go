// Package nodes has the page of the nodes that share a ledger on a server: which nodes there are, what each does, how
// far their shared runs are, and what is in their queue, whose own pages are not available. A console has no such page
// if its ledger is a file, or a firm's schema, whose nodes meet elsewhere.
package nodes

import (
	"context"
	"embed"

	"docketsync/importer/cluster"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

//go:embed pages/*.html
var files embed.FS

// Path is the address of the page.
const Path = "/nodes"

// Work finds out what the page shows.
type Work interface {
	// Nodes returns the state of the nodes, and the runs that they share at the moment.
	Nodes(ctx context.Context) (cluster.Standing, []Shared, error)
}

// Shared is a run that nodes share.
type Shared struct {
	Run    ledger.Run
	Shards []ledger.Shard
}

// Pages are the pages of nodes.
type Pages struct{ Work Work }

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get(Path, signin.ViewerOfAll, p.show)
	f.Poll(Path+"/now", signin.ViewerOfAll, p.now)
}

type view struct {
	Headline string
	Nodes    []node
	Runs     []run
	cluster.Standing
}

type node struct {
	cluster.Present
	Sends []string // the jobs that it sends a part of
}

type run struct {
	ledger.Run
	Parts, Done, Sending int
	Stuck                int // parts whose node has not been heard from for the length of a lease
}

func (p *Pages) show(r *web.Request) error {
	return r.Made("nodes", "Nodes")(p.view(r.Context()))
}

func (p *Pages) now(r *web.Request) error {
	v, err := p.view(r.Context())
	if err != nil {
		return err
	}
	return r.Fragment("nodes", "now", v)
}

func (p *Pages) view(ctx context.Context) (v view, err error) {
	standing, shared, err := p.Work.Nodes(ctx)
	v.Standing = standing
	sends := map[string][]string{}
	for _, s := range shared {
		of := run{Run: s.Run, Parts: len(s.Shards)}
		for _, shard := range s.Shards {
			switch {
			case shard.Done:
				of.Done++
			case shard.Node != "" && shard.Expired:
				of.Stuck++
			case shard.Node != "":
				of.Sending++
				sends[shard.Node] = append(sends[shard.Node], s.Run.Job)
			}
		}
		v.Runs = append(v.Runs, of)
	}
	leads := false
	for _, one := range standing.Nodes {
		v.Nodes = append(v.Nodes, node{one, sends[one.Node]})
		leads = leads || one.Schedules
	}
	v.Headline = headline(len(v.Nodes), leads, standing.Other())
	return v, err
}

// headline is the first sentence of the page.
func headline(nodes int, leads bool, other string) string {
	switch {
	case other != "":
		return other
	case nodes == 0:
		return "No node is up, so no job starts on its schedule."
	case !leads:
		return "None of the nodes schedules at the moment; one takes over within a minute."
	}
	return wording.UpperFirst(wording.Counted(nodes, "node")) + " up."
}
