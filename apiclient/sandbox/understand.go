package sandbox

import (
	"errors"
	"mime"
	"net/http"
	"strings"
)

// understand checks everything about a request that can be checked without the data, and reads its payload. It gives
// nil when there are reasons against it.
func (s *Server) understand(q *request, r *http.Request, read reader) work {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		q.reasons.add("Content-Type", "must be application/json, not %s", quoted(r.Header.Get("Content-Type")))
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" {
		q.reasons.add("Content-Encoding", "is %s; bodies are not encoded", quoted(encoding))
	}
	if r.URL.RawQuery != "" {
		q.reasons.add("", "no query parameters are defined for this operation")
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(q.bodyFault, &tooLarge) {
		q.reasons.add("", "the body has more than %d bytes", tooLarge.Limit)
		return nil
	} else if q.bodyFault != nil {
		q.reasons.add("", "the body could not be read: %v", q.bodyFault)
		return nil
	}
	do := read(s, q)
	if len(q.reasons.list) > 0 {
		return nil
	}
	return do
}

// open reads the body as one object.
func (q *request) open(s *Server) (*fields, bool) {
	v, err := parseTree(q.body)
	if err != nil {
		q.reasons.add("", "%v", err)
		return nil, false
	}
	return q.reasons.object("", v, s.index, s.options.TextLimit)
}

// target takes the id of what is to be updated; a path that names it too must name the same.
func (q *request) target(f *fields) string {
	id := f.guid("id", required)
	if q.pathID != nil && id != "" && !strings.EqualFold(*q.pathID, id) {
		f.fault("id", "is %s, but the path names %s", id, quoted(*q.pathID))
	}
	return id
}
