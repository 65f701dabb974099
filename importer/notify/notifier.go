// Package notify tells people about the state of jobs, by mail and by chat, and tells a dead man's switch that a run
// happened.
//
// One message goes out for each change: a job broke, it is still broken (once a day), it has recovered; and, if a
// channel asks for it, a summary of the first run of a day that went well. A job is broken if its run could not be made
// or was stopped, if something is in doubt, or if more records were rejected or failed than the installation tolerates.
// An interrupted run is no news: somebody asked for it. While a job stays broken, a graver cause than the one that was
// reported is reported at once; a lesser one waits for the next day. A firm among several is reported as a job is; one
// that is gone is reported once, to the channels that get broken.
//
// What a channel was last told is kept in the ledger, channel by channel, and written after the message was accepted.
// So a message that could not be sent is decided anew, and sent, by the next run; a mail server that is down never
// makes a run fail. If the ledger itself is unavailable, what was told is remembered for as long as the process lasts.
//
// # One library, and why not another
//
// Mail goes through go-mail: attachments, STARTTLS that is required rather than hoped for, our own certificate
// authorities, a context. Slack, Teams and other hooks are one POST of a JSON object to an address that the firm was
// given, which net/http does with the same context, time limit and authorities. A library that speaks to many chats by
// URL (shoutrrr) was considered: it attaches nothing, follows redirects, takes no context and no certificate
// authorities, has only partly a time limit, its errors quote the address, which is the secret, and its Teams is the
// connector that Microsoft has switched off.
//
// # What a message contains
//
// Texts come from cells and from the service's answers: they are escaped in HTML, and in chats they are put where
// nothing is read as markup. Known secrets are removed from every message, wherever they came from.
package notify

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/report/remedy"
)

// Settings says who is told what. Only Timeout is required.
type Settings struct {
	// Firm and Host say in messages whose job it is, and on which machine it ran.
	Firm, Host string
	// Rehearsal says that the service is not a live one, "" if it is live: every message begins with it.
	Rehearsal string
	// Link is where reports can be opened; {folder} stands for the name of a report's folder.
	Link string
	// Site is where people do what has to be done.
	Site remedy.Site
	// RejectsAbove is how many records may be rejected or fail before a job counts as broken.
	RejectsAbove int
	// Timeout is the longest that one message or ping may take.
	Timeout time.Duration
	// CAs are the authorities to trust, nil for the system's.
	CAs *x509.CertPool
	// Proxy chooses the proxy of a request, nil for none.
	Proxy    func(*http.Request) (*url.URL, error)
	Channels []Channel
	Ping     Ping
	// Secrets are removed from every message and log.
	Secrets []string
	// Book remembers what was told; it is nil if the ledger is unavailable.
	Book *ledger.Ledger
	Log  *zap.Logger
	Now  func() time.Time
	// Sent, if set, is told how each message fared.
	Sent func(channel string, event Event, err error)
}

// Channel is one way to reach people: Mail, or a form (slack, teams, webhook) with its address.
type Channel struct {
	Name string
	On   []Event
	Mail *Mail
	Form string
	URL  string
}

// Notifier tells channels what became of runs. Its methods may be used by several goroutines at once.
type Notifier struct {
	Settings
	http *http.Client

	mu    sync.Mutex
	spare map[[2]string]ledger.NotificationState // what was told, by job and channel, for when the ledger cannot say
}

// New returns a notifier; it sends nothing yet.
func New(s Settings) *Notifier {
	if s.Log == nil {
		s.Log = zap.NewNop()
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	return &Notifier{Settings: s, http: NewHTTP(s), spare: map[[2]string]ledger.NotificationState{}}
}

// Run tells whoever must know about one run, and returns when all have been told or could not be. It never fails: what
// could not be sent is logged, and decided anew after the next run. ctx may have ended: an interrupted run is reported
// too.
func (n *Notifier) Run(ctx context.Context, e Ended) {
	ctx = context.WithoutCancel(ctx)
	cause, news := judge(e, n.RejectsAbove)
	if !news {
		return
	}
	var all sync.WaitGroup
	all.Go(func() { n.pingAfter(ctx, e.Job, cause) })
	for _, channel := range n.Channels {
		all.Go(func() {
			n.tell(ctx, channel, cause, e)
			if e.Err == nil && n.told(ctx, "", channel.Name).State == broken {
				n.tell(ctx, channel, "", Ended{}) // jobs run, so all channels can be used again
			}
		})
	}
	all.Wait()
}

// Unusable tells the channels that can be used, once, that others cannot, and that therefore none of jobs is run.
func (n *Notifier) Unusable(ctx context.Context, jobs []string, why error) {
	ctx = context.WithoutCancel(ctx)
	var all sync.WaitGroup
	for _, job := range jobs {
		all.Go(func() { n.pingAfter(ctx, job, couldNotRun) })
	}
	for _, channel := range n.Channels {
		all.Go(func() { n.tell(ctx, channel, noChannel, Ended{Err: why}) })
	}
	all.Wait()
}

// tell decides for one channel, sends, and remembers.
func (n *Notifier) tell(ctx context.Context, channel Channel, cause Cause, e Ended) {
	at := n.Now()
	last := n.told(ctx, e.Job, channel.Name)
	if e.Firm != "" && cause == "" && !e.Gone && last.State != broken && last.State != left {
		return // it is no news that a firm is served
	}
	event, now := decide(last, cause, at, channel.On)
	switch {
	case e.Gone:
		event, now = part(last, at, channel.On)
	case e.Firm != "" && event == succeeded:
		event = ""
	}
	if event != "" {
		since := now.Since
		if event == recovered {
			since = last.Since
		}
		if err := n.deliver(ctx, channel, n.compose(event, cause, e, since, at)); err != nil {
			return
		}
	}
	if now != last {
		n.remember(ctx, e.Job, channel.Name, now)
	}
}

// deliver sends a message within the time limit, and logs what came of it.
func (n *Notifier) deliver(ctx context.Context, channel Channel, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, n.Timeout)
	defer cancel()
	err := n.send(ctx, channel, m)
	if err != nil {
		err = errors.New(Hidden(err.Error(), n.Secrets))
		fields := []zap.Field{zap.String("channel", channel.Name),
			zap.String("event", string(m.Event)), zap.String("job", m.Job), zap.String("error", err.Error())}
		if m.Event == tested {
			n.Log.Error("a message could not be sent", fields...)
		} else {
			n.Log.Error("a message could not be sent; docketsync tries again after the next run", fields...)
		}
	} else {
		n.Log.Info("a message was sent", zap.String("channel", channel.Name), zap.String("event", string(m.Event)), zap.String("job", m.Job))
	}
	if n.Sent != nil {
		n.Sent(channel.Name, m.Event, err)
	}
	return err
}

// send hands a message over; nil means that it was accepted.
func (n *Notifier) send(ctx context.Context, c Channel, m Message) error {
	switch {
	case c.Mail != nil:
		return c.Mail.send(ctx, n, m)
	case c.Form == "slack":
		return n.post(ctx, c.URL, slack(m))
	case c.Form == "teams":
		return n.post(ctx, c.URL, teams(m))
	}
	return n.post(ctx, c.URL, webhook(m))
}

// told returns what a channel was last told. What the process remembers is newer if the ledger could not be written.
func (n *Notifier) told(ctx context.Context, job, channel string) ledger.NotificationState {
	n.mu.Lock()
	spare, known := n.spare[[2]string{job, channel}]
	n.mu.Unlock()
	if known || n.Book == nil {
		return spare
	}
	told, err := n.Book.NotificationState(ctx, job, channel)
	if err != nil {
		n.Log.Warn("the ledger could not say which notifications were sent", zap.String("job", job), zap.Error(err))
	}
	return told
}

func (n *Notifier) remember(ctx context.Context, job, channel string, told ledger.NotificationState) {
	err := errors.New("there is no ledger")
	if n.Book != nil {
		err = n.Book.SaveNotificationState(ctx, job, channel, told)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		delete(n.spare, [2]string{job, channel})
		return
	}
	n.spare[[2]string{job, channel}] = told
	n.Log.Warn("which notifications were sent is remembered until this process ends", zap.String("job", job), zap.Error(err))
}

// Keep writes to the ledger what was told while the ledger was unavailable; from then on the ledger remembers it.
func (n *Notifier) Keep(ctx context.Context, book *ledger.Ledger) {
	n.mu.Lock()
	n.Book = book
	spare := maps.Clone(n.spare)
	n.mu.Unlock()
	for of, told := range spare {
		n.remember(ctx, of[0], of[1], told)
	}
}

// Try is the result of testing one channel.
type Try struct {
	Channel string `json:"channel"`
	Error   string `json:"error,omitempty"`
}

// Test sends a test message to every channel, whatever events it is for, and returns the results. The dead man's switch
// is not called: a test is not a run.
func (n *Notifier) Test(ctx context.Context) []Try {
	tries := make([]Try, len(n.Channels))
	m := n.compose(tested, "", Ended{}, time.Time{}, n.Now())
	var all sync.WaitGroup
	for at, channel := range n.Channels {
		all.Go(func() {
			tries[at].Channel = channel.Name
			if err := n.deliver(ctx, channel, m); err != nil {
				tries[at].Error = fmt.Sprint(err)
			}
		})
	}
	all.Wait()
	slices.SortFunc(tries, func(a, b Try) int { return strings.Compare(a.Channel, b.Channel) })
	return tries
}
