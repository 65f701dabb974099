package comparison

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/compare"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

// download answers with all records that differ. It compares the plans once more, into a temporary file. A download
// that broke off in the middle would look complete, and this way a slow download does not keep others from comparing.
func (p *Pages) download(r *web.Request, run ledger.Run) error {
	old, now, err := p.chosen(r, run)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "docketsync-compare-*.csv")
	if err != nil {
		return err
	}
	defer func() { _, _ = f.Close(), os.Remove(f.Name()) }()
	if err := p.write(r, [2]string{old.ID, now.ID}, f); err != nil {
		trouble, err := p.troubleOf(err)
		if err != nil {
			return err
		}
		return web.Refuse(http.StatusServiceUnavailable, trouble, "On the command line: "+p.Work.Command("compare", old.Name, now.Name, "--json"))
	}
	name := old.Name + "-" + now.Name + ".csv"
	r.About("run " + run.ID)
	r.Remark(name)
	r.Record("download", nil)
	h := r.Response.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	http.ServeContent(r.Response, r.Request, name, time.Time{}, f)
	return nil
}

// write compares two plans and writes a line for each value that differs, and for each record that only one of them
// has.
func (p *Pages) write(r *web.Request, of [2]string, f *os.File) error {
	if !p.desk.turn.TryLock() {
		return web.Refuse(http.StatusServiceUnavailable, "Other comparisons are being made.", "Try again in a minute.")
	}
	defer p.desk.turn.Unlock()
	_ = http.NewResponseController(r.Response).SetReadDeadline(time.Now().Add(p.Within)) // otherwise the request would end at the usual deadline
	ctx, cancel := context.WithTimeout(r.Context(), p.Within)
	defer cancel()
	out := bufio.NewWriter(f)
	line := csvfile.Begin(out, "cause", "key", "change", "earlier rows", "later rows", "field", "earlier", "later", "why it is rejected in one of the two", "earlier cell", "later cell")
	_, err := compareRuns(ctx, r.Book(), of, func(d *compare.Difference) (err error) {
		put := func(finding compare.Finding, rest ...string) {
			cells := []string{finding.Words(), d.Key, string(d.Change), list(d.OldRows), list(d.NewRows)}
			err = errors.Join(err, line(append(cells, rest...)...))
		}
		if d.Finding != nil {
			put(*d.Finding, make([]string, 6)...)
		}
		for _, f := range d.Fields {
			rest := []string{f.Field, "", "", f.Reason, "", ""}
			if f.Old != nil {
				rest[1] = f.Old.Text
			}
			if f.New != nil {
				rest[2] = f.New.Text
			}
			if len(f.Causes) == 1 && f.Causes[0].Kind == compare.Cell {
				rest[4], rest[5] = f.Causes[0].Old, f.Causes[0].New
			}
			put(f.Finding, rest...)
		}
		return err
	})
	return errors.Join(err, out.Flush())
}

func list(rows []int) string {
	words := make([]string, 0, len(rows))
	for _, row := range rows {
		words = append(words, strconv.Itoa(row))
	}
	return strings.Join(words, ", ")
}
