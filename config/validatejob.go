package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/config/diagnostic"
)

var jobName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$`)

func (v validator) jobs(c *Config) {
	first := map[string]int{}
	for i, job := range c.Jobs {
		v := v.in("jobs", i)
		name := strings.ToLower(job.Name)
		switch earlier, twice := first[name]; {
		case job.Name == "":
			v.fail("the job has no name", "write name: matters", "name")
		case !jobName.MatchString(job.Name):
			v.fail(fmt.Sprintf("%q cannot be the name of a job", job.Name),
				"letters, digits and the signs - . _, at most 64, no blanks: it is typed in commands", "name")
		case twice:
			one := v.file.At(v.file.Node("jobs", earlier, "name"), "", "")
			v.fail(fmt.Sprintf("the job %q is there twice; the first is in %s, line %d", job.Name, one.File, one.Line),
				"give it another name: the ledger knows a job by its name", "name")
		default:
			first[name] = i
		}
		v.require(job.Mapping != "", "the job has no mapping", "write mapping: FILE.yaml", "mapping")
		v.in("source").source(c, job.Source)
		if v.has("guards") {
			v.in("guards").guards(job.Guards)
		}
		if job.Source.Inbox != nil && job.Source.Inbox.Holds == "changes" {
			v.require(job.Vanished == "", "nothing vanishes from files that hold changes", "leave vanished out, or write holds: export", "vanished")
			v.require(!v.has("guards"), "files that hold changes are not guarded: there is no export to compare them with",
				"leave guards out, or write holds: export", "guards")
		}
		if job.When != nil {
			v.in("when").when(c.Jobs, i, *job.When)
		}
	}
}

func (v validator) source(c *Config, s Source) {
	if s.Inbox != nil {
		v.require(len(s.Files) == 0, "the source has both a file and an inbox", "leave one of them; a job of its own may read the other", "file")
		v.in("inbox").inbox(*s.Inbox)
	} else {
		v.require(len(s.Files) > 0 && !slices.Contains(s.Files, ""), "the source has no file", "write source: {file: PATH}", "file")
	}
	v.remoteFiles(c, s.Files)
	for key, rows := range map[string]int{"header": s.Header, "header_rows": s.HeaderRows, "footer_rows": s.FooterRows} {
		v.require(rows >= 0, "rows count from 1", "leave it out to have it found", key)
	}
	v.require(!s.NoHeader || s.Header == 0 && s.HeaderRows == 0, "header and no_header contradict each other", "leave one of them", "no_header")
	if _, err := regexp.Compile(s.Footer); err != nil {
		v.fail("footer is no regular expression: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), `such as "^Total"`, "footer")
	}
}

func (v validator) inbox(b Inbox) {
	remote, _ := RemotePath(b.Folder)
	v.require(b.Folder != "", "the inbox has no folder", "write inbox: {folder: PATH}", "folder")
	v.require(remote == "", "an inbox is a folder of this machine or of a share that is mounted here",
		"for files on a remote write file: NAME:/path/matters*.csv; the newest is fetched", "folder")
	v.require(len(b.Files) > 0, "the inbox takes no files", `write files: "*.csv", or leave it out for all`, "files")
	for _, pattern := range b.Files {
		_, err := filepath.Match(pattern, "")
		v.require(err == nil && pattern != "" && !strings.ContainsAny(pattern, `/\`), "this is no pattern of names",
			`such as "matters*.csv"; * stands for any characters, ? for one; folders in the inbox are not looked into`, "files")
	}
	v.require(b.Holds != "changes" || b.Take != "newest", "files that hold changes are all needed, and only the newest is taken",
		"leave take out, or write holds: export if each file is the whole export", "take")
	v.require(!strings.ContainsAny(b.Marker, `/\*?`), "the marker is the ending of a name", "such as .done, for matters.csv.done", "marker")
	v.require(b.Archive != "" && b.Rejected != "" && b.Archive != b.Rejected, "files that are done with need two folders to be put into",
		"leave archive and rejected out for the folders of these names in the inbox")
}

func (v validator) when(jobs []Job, i int, w When) {
	v.require(jobs[i].Source.Inbox == nil, "a job with an inbox is run whenever a file has arrived, and has no times",
		"leave when out: docketsync schedule looks into the inbox all the time")
	switch {
	case w.Cron != "" && w.After != "":
		v.fail("when has both cron and after", "leave one of them: a job that comes after another is due when that one is", "after")
	case w.Cron == "" && w.After == "":
		v.fail("when says neither cron nor after", `write cron: "0 2 * * 1-5", or after: JOB`)
	case w.After != "":
		v.after(jobs, i)
		for key, said := range map[string]bool{"zone": w.Zone != "", "delay": w.Delay != 0, "catch_up": w.CatchUp != ""} {
			v.require(!said, key+" goes with cron", "a job that comes after another follows the schedule of that one", key)
		}
	}
	if w.Zone != "" {
		_, err := time.LoadLocation(w.Zone)
		v.require(err == nil, fmt.Sprintf("there is no time zone %q", w.Zone), "write a name of the IANA database, such as Europe/Madrid or UTC", "zone")
	}
	v.require(w.Delay >= 0 && w.Delay <= 12*time.Hour, "delay is from 0s to 12h", "such as 10m", "delay")
}

// after checks that the job which another comes after is there, and has a time of its own in the end.
func (v validator) after(jobs []Job, i int) {
	name := jobs[i].When.After
	var known []string
	for n, job := range jobs {
		if n != i {
			known = append(known, job.Name)
		}
	}
	find := func(name string) int { return slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name }) }
	n := find(name)
	switch {
	case n < 0 || n == i:
		hint := fmt.Sprintf("the other jobs are %s", strings.Join(known, ", "))
		if near := diagnostic.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		v.fail(fmt.Sprintf("there is no other job %q to come after", name), hint, "after")
	case jobs[n].When == nil:
		v.fail(fmt.Sprintf("the job %q is not scheduled itself", name), "give it a when: of its own", "after")
	default:
		for steps := 0; jobs[n].When != nil && jobs[n].When.After != ""; steps++ {
			if steps == len(jobs) {
				v.fail("these jobs come after each other in a circle", "give one of them a cron expression", "after")
				return
			}
			if n = find(jobs[n].When.After); n < 0 {
				return // which is said there
			}
		}
	}
}
