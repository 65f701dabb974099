package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/schedule"
	"docketsync/mapping"
)

// firm is what is known of a firm while its ledger is closed. Its fields are guarded by fleet.mu; those of a visit
// belong to the visit while going is set.
type firm struct {
	name, path string
	demands    map[string]string // labels
	labels     string            // the same as a text
	unread     bool              // the last attempt to read them failed: demands and labels are from before
	stamp      string            // of its files
	mappings   []string          // among the files of stamp, as the last visit found them

	silent  bool // they do not answer, or have not yet
	going   bool
	began   time.Time // when the last visit began, by the wall clock
	next    time.Time // when a visit is due, zero for never
	waits   bool      // whatever arrives, wait until next: the last visit failed
	since   time.Time // when the current visit was due
	noticed time.Time // when this process found that a visit is due, zero while none is
	trouble string    // why it is not served
	known   bool      // people know whether it is served, as far as this process can tell
	large   bool      // it has given way with a run that needs a place to lead

	inboxes []*polledInbox // nil for those of the configuration, with nothing seen yet
	pruned  time.Time
	behind  map[string]time.Time // what visits found about the clock, see schedule.Scheduler
}

// looked is the state of a firm's files.
type looked struct {
	none    bool // the folder holds no firm
	stamp   string
	read    bool // demands, or err, were read
	demands map[string]string
	err     error
}

// look reads the state of a firm's files and, if it has changed, which labels the firm demands.
func (of *firm) look(env func(string) (string, bool)) (l looked) {
	l.stamp = firms.Stamp(firms.Files(of.path)) + firms.Stamp(of.mappings)
	if l.read = l.stamp != of.stamp || of.unread; l.read {
		l.demands, l.err = config.LabelsOf(of.path, env, installation.ReadFile)
	}
	return l
}

// changed applies a new state of the firm's files. While the firm is being visited, the change is seen afterwards. If
// its labels cannot be read, it stays with the nodes that it is with, and the next visit finds out what is wrong.
func (of *firm) changed(l looked, now time.Time) {
	if of.going || !l.read {
		return
	}
	if l.stamp != of.stamp {
		of.stamp, of.next, of.waits, of.inboxes = l.stamp, now, false, nil
	}
	if of.unread = l.err != nil; !of.unread {
		of.demand(l.demands)
	}
}

// demand sets which labels the firm demands.
func (of *firm) demand(labels map[string]string) {
	of.demands, of.labels = labels, firms.LabelText(labels)
}

// due reports whether the firm should be visited now, and since when; otherwise at is when that may be so, zero for
// never. look finds out what is in an inbox, which is not known at once.
func (of *firm) due(now time.Time, look func(box *polledInbox, anyway bool, poll time.Duration)) (due bool, at time.Time) {
	if at = of.next; !at.IsZero() && !at.After(now) {
		return true, at
	}
	if of.waits {
		return false, at
	}
	if now.Before(of.began) {
		return true, now // the clock was set back, and next was computed by the former one
	}
	for _, box := range of.inboxes {
		next := box.next
		if box.again.After(next) {
			next = box.again
		}
		switch {
		case box.arrived:
			return true, next
		case box.looking:
		case !next.After(now):
			box.looking = true
			look(box, box.grows(now), box.job.Source.Inbox.Poll)
		case at.IsZero() || next.Before(at):
			at = next
		}
	}
	return false, at
}

// lookInto finds out whether there is anything to do about an inbox, without opening the ledger: most of the time
// nothing is there. Nobody waits for it, because the folder may be on a share that does not answer.
func (f *fleet) lookInto(box *polledInbox, anyway bool, poll time.Duration) {
	go func() {
		counts, err := box.folder.Count()
		f.mu.Lock()
		box.looking, box.again = false, time.Now().Add(poll)
		box.arrived = anyway || err != nil || counts.Waiting > 0
		f.mu.Unlock()
		f.rouse()
	}()
}

// ended applies the end of a visit that began at a time.
func (of *firm) ended(began time.Time, table schedule.Timetable, gaveWay bool, err error) {
	of.going, of.began, of.next, of.waits, of.noticed = false, began, table.Next(began), false, time.Time{}
	switch {
	case gaveWay:
		of.next, of.large, of.inboxes = began, true, nil
	case errors.As(err, new(*firms.ElsewhereError)):
		of.next = time.Now() // for the node that leads the firms with the same demands
	case err != nil:
		of.next, of.waits = time.Now().Add(visitAgain), true
	}
}

// tellTrouble reports that a firm cannot be served, once for each trouble, and that it can be again.
func (f *fleet) tellTrouble(ctx context.Context, of *firm, err error) {
	trouble := ""
	if err != nil {
		trouble = exit.Explain(err)
	}
	f.mu.Lock()
	before, known := of.trouble, of.known
	of.trouble, of.known = trouble, true
	f.mu.Unlock()
	f.count()
	switch {
	case trouble == before && known:
	case trouble == before && trouble == "": // another process, or this one before a restart, may have told that it was not
		f.in.Observers.Firm(ctx, of.name, nil)
	case trouble == "":
		fmt.Fprintf(f.setup.Err, "docketsync: firm %s is served again\n", of.name)
		f.in.Observers.Firm(ctx, of.name, nil)
	default:
		fmt.Fprintf(f.setup.Err, "docketsync: firm %s cannot be served; all others are. It is tried again every minute, and when its files change\n%s\n", of.name, trouble)
		f.in.Observers.Firm(ctx, of.name, errors.New(trouble))
	}
}

// count counts how many firms are served.
func (f *fleet) count() {
	served, broken := 0, 0
	f.mu.Lock()
	for _, of := range f.firms {
		switch {
		case of.trouble != "":
			broken++
		case f.serves(of):
			served++
		}
	}
	f.mu.Unlock()
	f.in.Observers.Firms(served, broken)
}

// admit refuses a firm that this process may not serve, and one that is being visited with other labels: the node that
// leads those visits it.
func (f *fleet) admit(of *firm, demands map[string]string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := of.labels
	of.demand(demands)
	if !f.serves(of) || of.going && of.labels != before {
		return &firms.ElsewhereError{Labels: of.labels}
	}
	return nil
}

// installation opens a firm: its configuration, with the ledger. Labels may have been added since the files were last
// looked at, so they are read before any secret is, and compared with those that are read together with the secrets.
func (f *fleet) installation(ctx context.Context, of *firm) (*installation.Installation, error) {
	before := firms.Stamp(firms.Files(of.path))
	settings, err := f.folder.Settings(of.name, func(demands map[string]string) error { return f.admit(of, demands) })
	if err != nil {
		return nil, err
	}
	f.watch(of, before, settings)
	in, err := f.folder.Open(ctx, of.name, settings, (*installation.Installation).OpenLedger)
	if err != nil {
		return nil, err
	}
	if f.node != nil {
		err = in.Book.Evict(ctx, in.Book.Term())
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// watch adds the mappings of a firm, and their bases, to its watched files. before is the stamp of the files of its
// settings, taken before they were read.
func (f *fleet) watch(of *firm, before string, settings *config.Config) {
	var mappings []string
	for _, job := range settings.Jobs {
		mappings = append(mappings, job.Mapping)
		if text, err := os.ReadFile(job.Mapping); err == nil {
			base, _ := mapping.Base(job.Mapping, text) // whoever runs the job reports that it is not YAML
			mappings = append(mappings, base)
		}
	}
	stamp := before + firms.Stamp(mappings)
	f.mu.Lock()
	defer f.mu.Unlock()
	if stamp != of.stamp {
		of.inboxes = nil
	}
	of.mappings, of.stamp, of.unread = mappings, stamp, false
}

// firmsLock is the lock of the node that leads the firms of a set of labels.
func firmsLock(labels string) string { return "firms " + labels }

// watchOthers reports firms that demand labels which no running node has; nobody else could. If several nodes lead
// firms, each reports them.
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
		return // the server is away, which everything that needs it reports
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

// tellUnserved reports that nobody serves a firm, or that somebody does again.
func (f *fleet) tellUnserved(ctx context.Context, of *firm, why *firms.UnservedError, nobody, somebody bool) {
	f.mu.Lock()
	told := of.trouble == exit.Explain(why)
	if !told {
		of.trouble, of.known = "", false // whoever serves it reports on it
	}
	f.mu.Unlock()
	switch {
	case nobody:
		f.tellTrouble(ctx, of, why)
	case told && somebody:
		f.tellTrouble(ctx, of, nil)
	}
}
