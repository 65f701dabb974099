// Package trace tells an OpenTelemetry collector how a run went: a span for the run, one for each of its two passes,
// and one for each request.
//
// Like the report, a trace is a fold over the ledger, made when the run has ended. So sending pays nothing for it, and
// if the collector is down only its trace is lost. It is posted as OTLP over HTTP in JSON (OpenTelemetry protocol 1,
// part OTLP/HTTP), which encoding/json writes: the SDK with its exporter would bring 22 modules for the same bytes. The
// ids are derived from the run's id, so a run that is reported again is the same trace.
//
// Spans say what happened and when; they contain no cell, payload, answer or secret. A record is named by its number in
// the run.
package trace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

const (
	// batch is how many spans are posted at once.
	batch = 500
	// maxRequests is how many requests of a run have a span; of a longer run, these are the first ones.
	maxRequests = 20_000
)

// Collector is where traces go.
type Collector struct {
	Endpoint string // the whole address, usually ending in /v1/traces
	HTTP     *http.Client
	Version  string // of docketsync
}

// OTLP's numbers for the kind of a span and for how it ended.
const (
	kindInternal = 1
	kindClient   = 3
	statusOK     = 1
	statusError  = 2
)

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     status      `json:"status"`
}

type status struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

func word(key, value string) attribute {
	return attribute{key, map[string]any{"stringValue": value}}
}

// count writes a number as text, as OTLP's JSON requires for 64 bits.
func count(key string, n int64) attribute {
	return attribute{key, map[string]any{"intValue": strconv.FormatInt(n, 10)}}
}

// Post tells the collector about a run that has ended.
func (c Collector) Post(ctx context.Context, book *ledger.Reader, s *report.Summary) error {
	spans := passes(s)
	parent, requests := spans[len(spans)-1].SpanID, 0
	for attempt, err := range book.AllAttempts(ctx, s.Run.ID) {
		if err != nil {
			return err
		}
		if requests++; requests > maxRequests {
			break
		}
		spans = append(spans, request(s.Run, parent, attempt))
		if len(spans) == batch {
			if err := c.post(ctx, spans); err != nil {
				return err
			}
			spans = spans[:0]
		}
	}
	return c.post(ctx, spans)
}

// passes returns the span of the run and, after it, those of its two passes.
func passes(s *report.Summary) []span {
	run := s.Run
	end := run.Ended
	if end.IsZero() {
		end = s.Requests.Last
	}
	first := s.Requests.First
	if first.IsZero() || first.After(end) {
		first = end
	}
	whole := made(run, "run", "run "+run.Job, "", run.Started, end)
	whole.Attributes = []attribute{word("docketsync.job", run.Job), word("docketsync.run", run.ID), word("docketsync.operation", run.Operation),
		count("docketsync.rows", int64(s.Rows.Read)), count("docketsync.records", int64(s.Records.Total)),
		count("docketsync.requests", int64(s.Requests.Total)), count("docketsync.requests_repeated", int64(s.Requests.Repeated))}
	for _, c := range s.Records.ByOutcome {
		if c.Records > 0 {
			whole.Attributes = append(whole.Attributes, count("docketsync.outcome."+string(c.Outcome), int64(c.Records)))
		}
	}
	if run.Phase == ledger.Stopped {
		whole.Status = status{statusError, "stopped: " + run.StopCode}
	}
	return []span{whole, made(run, "plan", "read, map and plan", whole.SpanID, run.Started, first), made(run, "push", "push", whole.SpanID, first, end)}
}

// request is the span of one request.
func request(run ledger.Run, parent string, a ledger.Attempt) span {
	made := made(run, fmt.Sprint(a.Seq, " ", a.Number), run.Operation, parent, a.Started, a.Started.Add(a.Duration))
	made.Kind = kindClient
	made.Attributes = []attribute{count("docketsync.record", a.Seq), count("docketsync.attempt", int64(a.Number)), word("docketsync.verdict", a.Verdict)}
	if a.Status != 0 {
		made.Attributes = append(made.Attributes, count("http.response.status_code", int64(a.Status)))
	}
	if a.Verdict != "accepted" {
		made.Status = status{statusError, a.Verdict}
	}
	return made
}

// made returns a span of a run. what tells the spans of one run apart.
func made(run ledger.Run, what, name, parent string, start, end time.Time) span {
	nanos := func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
	sum := sha256.Sum256([]byte(run.ID + " " + what))
	return span{TraceID: strings.ReplaceAll(run.ID, "-", ""), SpanID: hex.EncodeToString(sum[:8]), Parent: parent, Name: name, Kind: kindInternal,
		Start: nanos(start), End: nanos(end), Status: status{Code: statusOK}}
}

func (c Collector) post(ctx context.Context, spans []span) error {
	if len(spans) == 0 {
		return nil
	}
	type object = map[string]any
	body, err := json.Marshal(object{"resourceSpans": []object{{
		"resource":   object{"attributes": []attribute{word("service.name", "docketsync"), word("service.version", c.Version)}},
		"scopeSpans": []object{{"scope": object{"name": "docketsync"}, "spans": spans}},
	}}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", answer.Status)
	}
	return nil
}
