package ledger

import (
	"context"
	"time"

	"docketsync/importer/ledger/store"
)

// NotificationState is what a channel of messages was last told about a job. The words are those of whoever tells; the ledger only keeps
// them, so that they outlive the process.
type NotificationState struct {
	State string    `json:"state"`
	Cause string    `json:"cause,omitempty"`
	Since time.Time `json:"since"` // when the job came into that state
	At    time.Time `json:"at"`    // when the channel was last sent a message about it
}

// NotificationState returns what a channel was last told about a job, zero when it was told nothing yet.
func (l *Reader) NotificationState(ctx context.Context, job, channel string) (NotificationState, error) {
	var n NotificationState
	if !l.sees(job) {
		return n, nil
	}
	var since, at *int64
	_, err := store.Found(l.read.QueryRowContext(ctx, `select state, cause, since, told_at from notifications where job = $1 and channel = $2`, store.Plain(job), store.Plain(channel)).
		Scan(&n.State, &n.Cause, &since, &at))
	n.Since, n.At = store.TimeOf(since), store.TimeOf(at)
	return n, l.wrap("read the notifications about "+job, err)
}

// SaveNotificationState notes what a channel was told about a job, in place of what it was told before. It is on disk when it returns.
func (l *Ledger) SaveNotificationState(ctx context.Context, job, channel string, n NotificationState) error {
	return l.exec(ctx, "note a notification about "+job, `insert into notifications (job, channel, state, cause, since, told_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (job, channel) do update set state = excluded.state, cause = excluded.cause, since = excluded.since, told_at = excluded.told_at`,
		store.Plain(job), store.Plain(channel), store.Plain(n.State), store.Plain(n.Cause), n.Since.UnixMicro(), n.At.UnixMicro())
}

// Writable tells whether the ledger takes changes: nil when a transaction that changes nothing went through.
func (l *Ledger) Writable(ctx context.Context) error {
	err := l.do(ctx, true, func(tx *transaction) error {
		_, err := tx.Exec(`delete from notifications where job = '' and channel = ''`)
		return err
	})
	return l.wrap("check that it can be written", err)
}

// SchemaVersion is the version of the schema that the ledger has, which is the one that this program writes.
func (l *Ledger) SchemaVersion() int64 { return l.store.Version() }

// Doubtful is how many records wait for a person who says what became of them, over all runs.
func (l *Reader) Doubtful(ctx context.Context) (int, error) {
	var n int
	var c store.Clauses
	c.And("state in ('sending', 'in_doubt') and sent_at is not null and state = 'in_doubt'")
	if jobs := l.jobs(&c); jobs != "" {
		c.And("run_no in (select number from runs where job in (" + jobs + "))")
	}
	err := l.read.One(ctx, `select count(*) from records `+c.Text(), c.Args, &n)
	return n, l.wrap("count what is in doubt", err)
}
