// Package page writes report.html.
//
// It is one file that needs nothing else, so that it can be mailed, and opened without a network: its policy forbids every request, and
// every script and style but its own two, known by their digests. Without scripts it shows the verdict, the counts, the charts, the
// causes and the first rejected rows. The table of all records is data for its script, in blocks of deflated JSON in base64: a page of
// 100,000 records is ten times smaller so, no text in it can be taken for markup, and the browser unpacks at first only what the table
// shows — the text to search in follows when somebody searches, the cells, payload and attempts of a record when somebody opens it.
// Values of payloads go to the page as texts made here, because a browser's JSON would round their numbers.
//
// Of 100,000 records of 12 cells, the page is 11 MB; on two cores, its table can be used 0.5 s after it is opened; a filter takes 15 ms,
// a search 25 ms, the first one 45 ms, sorting by name 0.2 s (go test ./importer/report -run '^$' -bench Open -benchtime 5x).
package page
