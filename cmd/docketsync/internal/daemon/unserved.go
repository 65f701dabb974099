package daemon

import (
	"context"
	"slices"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
)

// firmsLock is the lock that a node holds which leads the firms of a set of labels.
func firmsLock(labels string) string { return "firms " + labels }

// watchOthers tells of firms that demand labels which no running node has; nobody else could. Where several nodes lead firms, each does.
func (f *fleet) watchOthers(ctx context.Context, others []*firm) {
	demanded := map[string][]*firm{}
	var locks []string
	f.mu.Lock()
	for _, of := range others {
		demanded[of.labels] = append(demanded[of.labels], of)
		locks = append(locks, firmsLock(of.labels))
	}
	leads := f.led > 0
	f.mu.Unlock()
	if len(others) == 0 {
		return
	}
	unheld, err := f.node.Unheld(ctx, locks)
	if err != nil {
		return // the server is away, which is told by all that needs it
	}
	for labels, list := range demanded {
		f.unled[labels]++
		if !slices.Contains(unheld, firmsLock(labels)) {
			f.unled[labels] = 0
		}
		for _, of := range list {
			f.tellUnserved(ctx, of, &firms.UnservedError{Labels: labels}, leads && f.unled[labels] >= scansUnled, f.unled[labels] == 0)
		}
	}
}

// tellUnserved tells that nobody serves a firm, or somebody does again.
func (f *fleet) tellUnserved(ctx context.Context, of *firm, why *firms.UnservedError, nobody, somebody bool) {
	f.mu.Lock()
	told := of.trouble == exit.Explain(why)
	if !told {
		of.trouble, of.known = "", false // whoever serves it tells of it
	}
	f.mu.Unlock()
	switch {
	case nobody:
		f.tellTrouble(ctx, of, why)
	case told && somebody:
		f.tellTrouble(ctx, of, nil)
	}
}
