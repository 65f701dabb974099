package notify

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"
)

// Ping is a dead man's switch: a service that raises an alarm when it was not asked for too long.
type Ping struct {
	URL string // {job} in it stands for the name of the job; empty for none
	// Always asks after every run, not only after those that went well.
	Always bool
	// StartAndFail asks URL/start before a run, and URL/fail after one that went badly.
	StartAndFail bool
}

// Began tells the dead man's switch that a run begins, where it wants to know.
func (n *Notifier) Began(ctx context.Context, job string) {
	if n.Ping.StartAndFail {
		n.ping(ctx, job, "start")
	}
}

// pingAfter tells the dead man's switch of a run.
func (n *Notifier) pingAfter(ctx context.Context, job string, cause Cause) {
	switch {
	case cause == "":
		n.ping(ctx, job, "")
	case n.Ping.StartAndFail:
		n.ping(ctx, job, "fail")
	case n.Ping.Always:
		n.ping(ctx, job, "")
	}
}

func (n *Notifier) ping(ctx context.Context, job, signal string) {
	if n.Ping.URL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, n.Timeout)
	defer cancel()
	err := errors.New("the address cannot be used") // what is wrong with it would quote it
	if address, faulty := url.Parse(strings.ReplaceAll(n.Ping.URL, "{job}", url.PathEscape(job))); faulty == nil {
		if signal != "" {
			address = address.JoinPath(signal)
		}
		if request, faulty := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil); faulty == nil {
			err = n.ask(request)
		}
	}
	if err != nil {
		n.Log.Warn("the ping was not answered", zap.String("job", job), zap.String("error", Hidden(err.Error(), n.Secrets)))
	}
}
