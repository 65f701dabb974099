package config

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/document"
)

// AddJob is the text of a configuration with one job more, behind all others. lines is the job as it stands under jobs:, with its
// dash; every character that was there stays. The error is of type document.Faults where the text cannot be read, or says that
// jobs: is written in a way that has to be changed by hand. Whether the whole is right is for Load to say.
func AddJob(name string, data []byte, lines string) ([]byte, error) {
	file, err := document.Parse(name, data)
	if err != nil {
		return nil, veil(data, err.(document.Faults)).Err()
	}
	end := "\n"
	if strings.Contains(string(data), "\r\n") {
		end = "\r\n"
	}
	text := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	at, depth, err := endOfJobs(file, text)
	if err != nil {
		return nil, err
	}
	added := indented(lines, depth)
	if at < 0 {
		for len(text) > 0 && text[len(text)-1] == "" {
			text = text[:len(text)-1]
		}
		at, added = len(text), append([]string{"", "jobs:"}, added...)
		text = append(text, "")
	}
	if at == len(text) {
		added = append(added, "")
	}
	return []byte(strings.Join(slices.Insert(text, at, added...), end)), nil
}

// endOfJobs is the line, from 0, that a new job is written at, and the column of its dash; -1 where there is no jobs: yet.
func endOfJobs(file *document.File, text []string) (line, depth int, err error) {
	if !file.Has("jobs") {
		return -1, 2, nil
	}
	jobs := file.Node("jobs")
	byHand := fmt.Errorf("the job cannot be added to %s, because jobs: is not written as a list with a line for each job\nAdd it there by hand", file.Name())
	if jobs.Kind == document.Scalar && jobs.ShortTag() == "!!null" && file.Root().Style&document.Flow == 0 {
		for n, l := range text {
			if strings.TrimRight(strings.SplitN(l, "#", 2)[0], " ") == "jobs:" {
				return n + 1, 2, nil
			}
		}
		return 0, 0, byHand
	}
	if jobs.Kind != document.List || jobs.Style&document.Flow != 0 || len(jobs.Content) == 0 {
		return 0, 0, byHand
	}
	depth = strings.Index(text[jobs.Line-1], "-")
	if depth < 0 || jobs.Column != depth+1 {
		return 0, 0, byHand
	}
	line = jobs.Line
	for n := line; n < len(text); n++ {
		bare := strings.TrimLeft(text[n], " ")
		indent := len(text[n]) - len(bare)
		switch {
		case bare == "" || strings.HasPrefix(bare, "#") && (indent < depth || depth == 0):
			continue
		case indent > depth || indent == depth && (strings.HasPrefix(bare, "-") || strings.HasPrefix(bare, "#")):
			line = n + 1
			continue
		}
		return line, depth, nil
	}
	return line, depth, nil
}

// indented are lines moved so that the first one begins in a column.
func indented(lines string, depth int) []string {
	list := strings.Split(strings.TrimRight(lines, "\n"), "\n")
	first := len(list[0]) - len(strings.TrimLeft(list[0], " "))
	for n, line := range list {
		list[n] = strings.Repeat(" ", depth) + line[min(first, len(line)):]
	}
	return list
}
