package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/sqlite"
)

func TestLogDoesNotGrowWhileRecordsAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	payload := json.RawMessage(`"` + strings.Repeat("x", 8000) + `"`)
	write := func(from int) {
		batch := make([]Record, 500)
		for n := range batch {
			batch[n] = planned("1", int64(from+n+1), fmt.Sprint("key ", from+n))
			batch[n].Payload = payload
		}
		add(t, l, batch...)
	}
	write(0)
	written := 500
	largest := int64(0)
	for _, err := range l.Records(t.Context(), "1", RecordFilter{}) {
		must(t, err)
		if written < 9000 {
			write(written)
			written += 500
		}
		info, err := os.Stat(path + "-wal")
		must(t, err)
		largest = max(largest, info.Size())
	}
	if total := int64(written * len(payload)); largest > sqlite.LogPages*4096+8<<20 || largest > total*2/3 {
		t.Errorf("the log grew to %d MB while %d MB were written", largest>>20, total>>20)
	}
}

func TestFewRecordsAreSearchedByTheirOwnIndexes(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	for query, indexes := range map[string][]string{
		`select * from records where +run_no = 1 and state in ('sending', 'in_doubt') and sent_at is not null and state = 'sending'`:                                                  {"SCAN records USING INDEX records_unsure"},
		strings.NewReplacer("$1", "'s'", "$2", "2", "$3", "3").Replace(planning.SelectLearnt):                                                                                         {"SEARCH r USING INDEX records_unsettled (scope=?", "SEARCH o USING INDEX known_by_id (service_id=?", "SEARCH known USING INDEX known_differing (scope=?"},
		strings.Replace(planning.SelectGroups, "$3", "4", 1):                                                                                                                          {"staged_by_key (run_no=? AND key=?"},
		`select * from records where state = 'in_doubt' and sent_at is null and +run_no = 1`:                                                                                          {"records_echoes"},
		`update records set state = 'failed' where state = 'in_doubt' and sent_at is null and (scope, key) = (select n.scope, n.key from records n where n.run_no = 1 and n.seq = 2)`: {"records_echoes"},
	} {
		rows, err := l.h.Read.QueryContext(t.Context(), "explain query plan "+query, 1, 2)
		must(t, err)
		var plan strings.Builder
		for rows.Next() {
			var id, parent, unused int
			var detail string
			must(t, rows.Scan(&id, &parent, &unused, &detail))
			plan.WriteString(detail + "\n")
		}
		must(t, rows.Close())
		for _, index := range indexes {
			if !strings.Contains(plan.String(), index) {
				t.Errorf("%s\nis not answered by %s but by\n%s", query, index, plan.String())
			}
		}
	}
}
