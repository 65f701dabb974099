package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"docketsync/importer/report/wording"
)

// post posts a message as JSON to an address.
func (n *Notifier) post(ctx context.Context, address string, message any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, &body)
	if err != nil {
		return errors.New("the address cannot be used") // the error would quote it
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	return n.ask(request)
}

// ask makes a request and accepts any answer 2xx. Errors do not name the address, which is a secret, and quote nothing
// of the answer, which may echo it. The body is not read either: after a 101 it would end with the connection, whatever
// the time limit.
func (n *Notifier) ask(request *http.Request) error {
	request.Header.Set("User-Agent", "docketsync")
	answer, err := n.http.Do(request)
	if err != nil {
		if broken, ok := errors.AsType[*url.Error](err); ok {
			err = broken.Err
		}
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the response was %d %s; check the address, and that it is still in use", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	return nil
}

// NewHTTP returns a client that follows no redirect: an address that is a secret is not passed on, and a message that
// was redirected has not arrived.
func NewHTTP(s Settings) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = s.Proxy
	transport.TLSClientConfig = &tls.Config{RootCAs: s.CAs, MinVersion: tls.VersionTLS12}
	transport.DisableKeepAlives = true // messages are too rare to keep a connection
	return &http.Client{Transport: transport, Timeout: s.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// The largest numbers of characters that Slack accepts for a title and for a section.
const (
	slackTitle   = 150
	slackSection = 2900
)

type object = map[string]any

// slack returns the message in Slack's blocks. All texts are plain_text, in which nothing is markup or a mention; the
// text that is shown in notifications is escaped as Slack requires.
func slack(m Message) any {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	plain := func(text string, most int) object {
		return object{"type": "plain_text", "text": wording.Short(text, most), "emoji": false}
	}
	blocks := []object{{"type": "header", "text": plain(m.Headline, slackTitle)}}
	for _, part := range m.posted() {
		blocks = append(blocks, object{"type": "section", "text": plain(part, slackSection)})
	}
	var buttons []object
	for _, b := range m.buttons() {
		buttons = append(buttons, object{"type": "button", "text": plain(b.title, 75), "url": b.link})
	}
	if len(buttons) > 0 {
		blocks = append(blocks, object{"type": "actions", "elements": buttons})
	}
	blocks = append(blocks, object{"type": "context", "elements": []object{plain(m.Foot(), slackSection)}})
	return object{"text": escape.Replace(m.Subject), "blocks": blocks}
}

// teams returns the message as the adaptive card that a workflow "when a Teams webhook request is received" posts.
// Texts are text runs, which have no markdown.
func teams(m Message) any {
	run := func(text string, more object) object {
		inline := object{"type": "TextRun", "text": text}
		maps.Copy(inline, more)
		return object{"type": "RichTextBlock", "inlines": []object{inline}}
	}
	color := "Good"
	if m.Cause != "" {
		color = "Attention"
	}
	body := []object{run(m.Headline, object{"weight": "Bolder", "size": "Medium", "color": color})}
	for _, part := range m.posted() {
		for n, line := range strings.Split(part, "\n") {
			block := run(line, nil)
			if n > 0 {
				block["spacing"] = "None" // a run does not break lines itself
			}
			body = append(body, block)
		}
	}
	body = append(body, run(m.Foot(), object{"isSubtle": true, "size": "Small"}))
	card := object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
	var actions []object
	for _, b := range m.buttons() {
		actions = append(actions, object{"type": "Action.OpenUrl", "title": b.title, "url": b.link})
	}
	if len(actions) > 0 {
		card["actions"] = actions
	}
	return object{"type": "message", "summary": m.Subject,
		"attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
}

// webhook returns the message itself, with all of it also as one text for receivers that only show it.
func webhook(m Message) any {
	return struct {
		Message
		Text string `json:"text"`
	}{m, m.text(nil, nil)}
}

// Ping is a dead man's switch: a service that raises an alarm if it was not called for too long.
type Ping struct {
	URL string // {job} in it stands for the name of the job; empty for none
	// Always calls it after every run, not only after those that went well.
	Always bool
	// StartAndFail calls URL/start before a run, and URL/fail after one that went badly.
	StartAndFail bool
}

// Began tells the dead man's switch that a run begins, if it wants to know.
func (n *Notifier) Began(ctx context.Context, job string) {
	if n.Ping.StartAndFail {
		n.ping(ctx, job, "start")
	}
}

// pingAfter calls the dead man's switch after a run.
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
	err := errors.New("the address cannot be used") // the cause would quote it
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
