package wording

import (
	"html/template"
	"strings"
	"testing"
)

func TestPagesShowMarks(t *testing.T) {
	t.Parallel()
	page := template.Must(template.New("page").Parse(`<!doctype html><TITLE>{{.}}</TITLE><script>const a = {{.}}</script><p CLASS="{{.}}">{{.}} &amp; {{.}}<br>
<input value="{{.}}"><textarea>
{{.}}</textarea><select><option>{{.}}</option></select>{{.}}</p>`))
	for text, shown := range map[string]string{
		"1\u202e2\u200b":               "1⟨U+202E⟩2⟨U+200B⟩",
		"می\u200cخواهم \u200fא \u00ad": "می\u200cخواهم \u200fא \u00ad",
		"👩\u200d👧 e\u0301":             "👩\u200d👧 e\u0301",
	} {
		var plain, b strings.Builder
		if err := page.Execute(&plain, text); err != nil {
			t.Fatal(err)
		}
		if err := WritePage(&b, page, "page", text); err != nil {
			t.Fatal(err)
		}
		want := plain.String()
		for _, read := range []string{"<TITLE>%</TITLE>", ">% &amp; %<br>", "</select>%</p>"} {
			if !strings.Contains(want, strings.ReplaceAll(read, "%", text)) {
				t.Fatalf("the page has no %q", read)
			}
			want = strings.ReplaceAll(want, strings.ReplaceAll(read, "%", text), strings.ReplaceAll(read, "%", shown))
		}
		if got := b.String(); got != want {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	}
}
