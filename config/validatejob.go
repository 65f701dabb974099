package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"docketsync/config/diagnostic"
)

var jobName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)

// isName reports whether a name has an allowed form and at most 64 characters. The length is counted here. As a
// repetition in the pattern it would give each step a table of all letters, and fill 5 MB at every start of the
// program.
func isName(form *regexp.Regexp, name string) bool {
	return form.MatchString(name) && utf8.RuneCountInString(name) <= 64
}

func (v validator) jobs(c *Config) {
	first := map[string]int{}
	for i, job := range c.Jobs {
		v := v.in("jobs", i)
		name := strings.ToLower(job.Name)
		switch earlier, twice := first[name]; {
		case job.Name == "":
			v.fail("the name of the job is required", "for example, name: matters", "name")
		case !isName(jobName, job.Name):
			v.fail(fmt.Sprintf("invalid job name %q", job.Name),
				"use up to 64 letters, digits and - . _, without spaces", "name")
		case twice:
			one := v.file.At(v.file.Node("jobs", earlier, "name"), "", "")
			v.fail(fmt.Sprintf("duplicate job %q; the first is in %s, line %d", job.Name, one.File, one.Line),
				"rename one of them: the ledger identifies jobs by name", "name")
		default:
			first[name] = i
		}
		v.require(job.Mapping != "", "the job requires a mapping", "set mapping: FILE.yaml", "mapping")
		v.in("source").source(c, job.Source)
		v.ownFiles(c, i)
		if v.has("guards") {
			v.in("guards").guards(job.Guards)
		}
		if job.Source.Inbox != nil && job.Source.Inbox.Holds == "changes" {
			v.require(job.Vanished == "", "vanished is not supported with holds: changes", "remove vanished, or set holds: export", "vanished")
			v.require(!v.has("guards"), "guards are not supported with holds: changes: there is no export to compare with",
				"remove guards, or set holds: export", "guards")
		}
		v.comesAfter(c.Jobs, i)
		if job.When != nil {
			v.in("when").when(c.Jobs, i, *job.When)
		}
	}
}

func (v validator) source(c *Config, s Source) {
	if s.Inbox != nil {
		v.require(len(s.Files) == 0, "the source has both a file and an inbox", "remove one of them; use a second job for the other", "file")
		v.in("inbox").inbox(*s.Inbox)
	} else {
		v.require(len(s.Files) > 0 && !slices.Contains(s.Files, ""), "the source requires a file", "set source: {file: PATH}", "file")
	}
	v.remoteFiles(c, s.Files)
	v.require(!s.Ignore || s.Hidden == "" || s.Hidden == "skip", "hidden and ignore_hidden contradict each other", "remove ignore_hidden: hidden says it", "ignore_hidden")
	for key, rows := range map[string]int{"header": s.Header, "header_rows": s.HeaderRows, "footer_rows": s.FooterRows} {
		v.require(rows >= 0, "the number of rows must not be negative", "remove it to detect it automatically", key)
	}
	v.require(!s.NoHeader || s.Header == 0 && s.HeaderRows == 0, "header and no_header cannot be used together", "remove one of them", "no_header")
	if _, err := regexp.Compile(s.Footer); err != nil {
		v.fail("footer is not a valid regular expression: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), `for example, "^Total:?$"`, "footer")
	}
}

func (v validator) inbox(b Inbox) {
	remote, _ := RemotePath(b.Folder)
	v.require(b.Folder != "", "the inbox requires a folder", "set inbox: {folder: PATH}", "folder")
	v.require(remote == "", "an inbox must be a local folder or a mounted share",
		"for files on a remote, set file: NAME:/path/matters*.csv; the newest is downloaded", "folder")
	v.require(len(b.Files) > 0, "files must not be empty", `set files: "*.csv", or remove it to accept all files`, "files")
	for _, pattern := range b.Files {
		_, err := filepath.Match(pattern, "")
		v.require(err == nil && pattern != "" && !strings.ContainsAny(pattern, `/\`), "invalid file name pattern",
			`for example, "matters*.csv"; * matches any characters, ? matches one; subfolders of the inbox are not read`, "files")
	}
	v.require(b.Holds != "changes" || b.Take != "newest", "take: newest is not supported with holds: changes: every file is needed",
		"remove take, or set holds: export if each file is a full export", "take")
	v.require(!strings.ContainsAny(b.Marker, `/\*?`), "marker must be the ending of a file name", "for example, .done, for matters.csv.done", "marker")
	v.require(b.Archive != "" && b.Rejected != "" && b.Archive != b.Rejected, "archive and rejected must be two different folders",
		"remove archive and rejected to use the default folders in the inbox")
}

// ownFiles checks that no file can arrive in two inboxes: the job that looks first would take it, and the other would
// never run. Nor may an inbox take what the installation owns, or the file that another job reads.
func (v validator) ownFiles(c *Config, i int) {
	own := c.Jobs[i].Source.Inbox
	if own == nil || own.Folder == "" {
		return
	}
	for _, earlier := range c.Jobs[:i] {
		other := earlier.Source.Inbox
		if other == nil || filepath.Clean(own.Folder) != filepath.Clean(other.Folder) {
			continue
		}
		for _, pattern := range own.Files {
			if n := slices.IndexFunc(other.Files, func(also string) bool { return overlap(pattern, also) }); n >= 0 {
				v.fail(fmt.Sprintf("the files %s of this inbox may be taken by job %q, which reads %s from the same folder", pattern, earlier.Name, other.Files[n]),
					"give each job a folder of its own, or set files to patterns that no file fits both of", "source", "inbox")
				return
			}
		}
	}
	owned := c.owned(c.place.resolve)
	for _, job := range c.Jobs {
		for _, file := range job.Source.Files {
			owned = append(owned, Owned{c.place.resolve(file), "the file that the job " + job.Name + " reads", false})
		}
	}
	at := *own
	at.Folder = c.place.resolve(own.Folder)
	if n := slices.IndexFunc(owned, at.Takes); n >= 0 {
		v.fail("this inbox would take "+owned[n].What, TakesHint, "source", "inbox")
	}
}

// TakesHint says what to do about an inbox that would take what belongs to the installation.
const TakesHint = "give the inbox a folder of its own, or set files to patterns that leave it out"

// Takes reports whether an inbox would take what belongs to the installation.
func (in *Inbox) Takes(o Owned) bool {
	at, folder, name := Owned{Path: o.Path}, Owned{Path: in.Folder}, strings.ToLower(filepath.Base(o.Path))
	if !o.Folder {
		at.Path = filepath.Dir(o.Path)
	}
	takes := func(pattern string) bool {
		fits, _ := filepath.Match(strings.ToLower(pattern), name)
		return fits
	}
	return at.Holds(folder.Path) && folder.Holds(at.Path) && (o.Folder || slices.ContainsFunc(in.Files, takes))
}

// overlap reports whether one of two patterns matches the other one's text, so that files may match both.
func overlap(a, b string) bool {
	one, _ := filepath.Match(a, b)
	other, _ := filepath.Match(b, a)
	return one || other
}

func (v validator) when(jobs []Job, i int, w When) {
	v.require(jobs[i].Source.Inbox == nil, "when is not supported with an inbox: the job runs whenever a file arrives",
		"remove when: docketsync schedule watches the inbox")
	switch {
	case w.Cron != "" && w.After != "":
		v.fail("when has both cron and after", "remove one of them: a job with after is due when the other job is", "after")
	case w.Cron == "" && w.After == "":
		v.fail("when requires cron or after", `set cron: "0 2 * * 1-5", or after: JOB`)
	case w.After != "":
		v.after(jobs, i)
		for key, said := range map[string]bool{"zone": w.Zone != "", "delay": w.Delay != 0, "catch_up": w.CatchUp != ""} {
			v.require(!said, key+" requires cron", "a job with after follows the schedule of the other job", key)
		}
	}
	if w.Zone != "" {
		_, err := time.LoadLocation(w.Zone)
		v.require(err == nil, fmt.Sprintf("unknown time zone %q", w.Zone), "use an IANA time zone name, such as Europe/Madrid or UTC", "zone")
	}
	v.require(w.Delay >= 0 && w.Delay <= 12*time.Hour, "delay must be between 0s and 12h", "for example, 10m", "delay")
}

// comesAfter checks that the jobs that a job waits for exist, and that none of them waits for it.
func (v validator) comesAfter(jobs []Job, i int) {
	for n, name := range jobs[i].After {
		path := []any{"after"}
		if v.has("after", n) {
			path = append(path, n)
		}
		switch {
		case !slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == name && j.Name != jobs[i].Name }):
			v.unknownJob(jobs, i, name, path...)
		case slices.Contains(Before(jobs, name), jobs[i].Name):
			v.fail(fmt.Sprintf("the jobs %q and %q come after each other in a circle", jobs[i].Name, name), "remove one of them from after", path...)
		}
	}
}

// Before returns the jobs that must have ended before the named one is sent: those in its after, and those in theirs.
func Before(jobs []Job, name string) (list []string) {
	next := []string{name}
	for n := 0; n < len(next); n++ {
		for _, job := range jobs {
			if job.Name != next[n] {
				continue
			}
			for _, before := range job.After {
				if !slices.Contains(list, before) {
					list, next = append(list, before), append(next, before)
				}
			}
		}
	}
	return list
}

// InOrder sorts jobs so that each follows those that it comes after. Jobs that wait for equally many jobs keep their
// order.
func InOrder(all, chosen []Job) []Job {
	return slices.SortedStableFunc(slices.Values(chosen), func(a, b Job) int { return len(Before(all, a.Name)) - len(Before(all, b.Name)) })
}

// unknownJob reports the name of a job that does not exist, or that is the i-th job itself.
func (v validator) unknownJob(jobs []Job, i int, name string, path ...any) {
	var known []string
	for n, job := range jobs {
		if n != i {
			known = append(known, job.Name)
		}
	}
	v.fail(fmt.Sprintf("unknown job %q in after", name), diagnostic.Suggest(name, known), path...)
}

// after checks that the job that another one follows exists and, possibly through other jobs, has a time of its own.
func (v validator) after(jobs []Job, i int) {
	name := jobs[i].When.After
	find := func(name string) int { return slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name }) }
	n := find(name)
	switch {
	case n < 0 || n == i:
		v.unknownJob(jobs, i, name, "after")
	case jobs[n].When == nil:
		v.fail(fmt.Sprintf("the job %q is not scheduled", name), "add when: to that job", "after")
	default:
		for steps := 0; jobs[n].When != nil && jobs[n].When.After != ""; steps++ {
			if steps == len(jobs) {
				v.fail("these jobs depend on each other in a circle", "set cron for one of them", "after")
				return
			}
			if n = find(jobs[n].When.After); n < 0 {
				return // reported at that job
			}
		}
	}
}
