package occurrences

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
	if !l.h.Sees(job) {
		return n, nil
	}
	var since, at *int64
	_, err := store.Found(l.h.Read.QueryRowContext(ctx, `select state, cause, since, told_at from notifications where job = $1 and channel = $2`, store.Plain(job), store.Plain(channel)).
		Scan(&n.State, &n.Cause, &since, &at))
	n.Since, n.At = store.TimeOf(since), store.TimeOf(at)
	return n, l.h.Wrap("read the notifications about "+job, err)
}

// SaveNotificationState notes what a channel was told about a job, in place of what it was told before. It is on disk when it returns.
func (l *Writer) SaveNotificationState(ctx context.Context, job, channel string, n NotificationState) error {
	return l.w.Exec(ctx, "note a notification about "+job, `insert into notifications (job, channel, state, cause, since, told_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (job, channel) do update set state = excluded.state, cause = excluded.cause, since = excluded.since, told_at = excluded.told_at`,
		store.Plain(job), store.Plain(channel), store.Plain(n.State), store.Plain(n.Cause), n.Since.UnixMicro(), n.At.UnixMicro())
}
