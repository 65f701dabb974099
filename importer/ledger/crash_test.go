package ledger

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
)

// The crash test kills a process that commits as fast as it can, at any instant, and checks that everything
// acknowledged to it is there. DOCKETSYNC_LEDGER_KILLS says how often to kill it on each engine; the default is quick.

const (
	childEnv     = "DOCKETSYNC_LEDGER_CHILD" // what the child process is to do, and with which ledger
	crashWorkers = 8
	crashLines   = 400 // of what a child says, at the most, before it is killed
)

func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	kills := 4
	if many, err := strconv.Atoi(os.Getenv("DOCKETSYNC_LEDGER_KILLS")); err == nil {
		kills = many
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killOften(t, filepath.Join(t.TempDir(), "ledger.db"), kills)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killOften(t, ledgertest.Shared(t).Database(t), kills)
	})
}

func killOften(t *testing.T, dsn string, kills int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	records := (kills + 2) * crashLines
	fill(t, dsn, records)
	acknowledged := map[int64]string{}
	most := 0
	for range kills {
		killOnce(t, dsn, random.IntN(crashLines), acknowledged)
		most = max(most, account(t, dsn, records, acknowledged))
	}
	t.Logf("%d kills, %d records acknowledged, at most %d under way at a time", kills, len(acknowledged), most)
}

// fill plans records; every other one is repeatable.
func fill(t *testing.T, dsn string, records int) {
	l, err := Open(t.Context(), dsn)
	must(t, err)
	defer l.Close()
	beginAs(t, l, "1", Push, Pushing)
	var batch []Record
	for n := range records {
		r := planned("1", int64(n+1), fmt.Sprint("key ", n+1))
		r.Repeatable = n%2 == 0
		batch = append(batch, r)
	}
	add(t, l, batch...)
}

// killOnce runs the child until it has acknowledged that many lines, kills it, and reads what it acknowledged until
// then.
func killOnce(t *testing.T, dsn string, lines int, acknowledged map[int64]string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=commit "+dsn)
	var trouble bytes.Buffer
	child.Stderr = &trouble
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	in := bufio.NewScanner(out)
	for n := 0; in.Scan(); n++ {
		word, number, _ := strings.Cut(in.Text(), " ")
		seq, err := strconv.ParseInt(number, 10, 64)
		must(t, err)
		acknowledged[seq] = word
		if n == lines {
			must(t, child.Process.Kill())
		}
	}
	_, _ = io.Copy(io.Discard, out)
	if err := child.Wait(); err == nil || trouble.Len() > 0 {
		t.Fatalf("the child was not killed: %v %s", err, trouble.Bytes())
	}
}

// account compares the ledger with what was acknowledged, recovers the run, and returns how many records were in
// flight.
func account(t *testing.T, dsn string, records int, acknowledged map[int64]string) int {
	t.Helper()
	l, err := Open(t.Context(), dsn)
	must(t, err)
	defer l.Close()
	under, seen := 0, 0
	for r, err := range l.Records(t.Context(), "1", RecordFilter{}) {
		must(t, err)
		seen++
		switch ack := acknowledged[r.Seq]; {
		case r.State == Sending:
			under++
			if ack == "outcome" {
				t.Errorf("the outcome of record %d was acknowledged and is lost", r.Seq)
			}
		case r.State == Accepted:
			if r.Attempts != 1 || r.ServiceID != fmt.Sprint("id ", r.Seq) {
				t.Errorf("record %d is half written: %+v", r.Seq, r)
			}
		case r.State == Planned && (ack == "outcome" || ack == "intent" && !r.Repeatable):
			t.Errorf("the %s of record %d was acknowledged and is lost", ack, r.Seq)
		}
	}
	if seen != records || under > crashWorkers {
		t.Errorf("%d records, %d of them under way", seen, under)
	}
	accepted(t, l)
	again, doubt, err := l.Recover(t.Context(), "1")
	must(t, err)
	if again+doubt != under {
		t.Errorf("%d under way, %d planned again, %d in doubt", under, again, doubt)
	}
	return under
}

// accepted checks that accepted records, their attempts and what is known are the same set.
func accepted(t *testing.T, l *Ledger) {
	t.Helper()
	var records, attempts, known int
	must(t, l.h.Read.QueryRowContext(t.Context(), `select (select count(*) from records where state = 'accepted'), (select count(*) from attempts) + (select count(*) from records where took_us is not null),
		(select count(*) from known k join records r on r.key = k.key and r.state = 'accepted' and r.digest = k.digest)`).Scan(&records, &attempts, &known))
	if records != attempts || records != known {
		t.Errorf("%d accepted, %d attempts, %d known", records, attempts, known)
	}
	if _, sqlite := l.h.Engine.(*sqlite.Engine); sqlite {
		var verdict string
		must(t, l.h.Read.QueryRowContext(t.Context(), `pragma integrity_check`).Scan(&verdict))
		same(t, verdict, "ok")
	}
}

// child is what the test binary does as a child process.
func child(task string) int {
	what, dsn, _ := strings.Cut(task, " ")
	open := Open
	if what == "view" {
		open = func(ctx context.Context, dsn string) (*Ledger, error) {
			_, err := Damage(ctx, dsn)
			fmt.Fprintln(os.Stderr, "Damage:", err)
			return OpenView(ctx, dsn, postgres.Trust{}, false)
		}
	}
	l, err := open(context.Background(), dsn)
	switch {
	case err != nil:
	case what == "commit":
		err = commitForever(l)
	case what == "lock":
		err = lockForever(l)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// commitForever commits and announces each commit, until it is killed.
func commitForever(l *Ledger) error {
	ctx := context.Background()
	run, err := l.Run(ctx, "1")
	if err == nil {
		err = l.SaveRun(ctx, run) // which is being pushed
	}
	if err != nil {
		return err
	}
	list, err := l.Pending(ctx, "1", 0, 10*crashLines)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var done sync.WaitGroup
	failed := make(chan error, crashWorkers)
	for range crashWorkers {
		done.Go(func() {
			var last []Outcome
			for n := next.Add(1) - 1; n < int64(len(list)); n = next.Add(1) - 1 {
				seq := list[n].Seq
				if err := l.Commit(ctx, last, []Intent{{Run: "1", Seq: seq}}); err != nil {
					failed <- err
					return
				}
				say := ""
				if last != nil {
					say = fmt.Sprintf("outcome %d\n", last[0].Seq)
				}
				fmt.Fprintf(os.Stdout, "%sintent %d\n", say, seq)
				last = []Outcome{{Run: "1", Seq: seq, State: Accepted, ServiceID: fmt.Sprint("id ", seq), At: noon, Attempts: []Attempt{{Started: noon, Status: 201}}}}
			}
		})
	}
	done.Wait()
	close(failed)
	return <-failed
}

// lockForever takes a lock, announces it, and waits to be killed.
func lockForever(l *Ledger) error {
	if _, err := l.Lock(context.Background(), "matters"); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func TestLockDiesWithItsHolder(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { lockDies(t, filepath.Join(t.TempDir(), "ledger.db")) })
	t.Run("postgres", func(t *testing.T) { lockDies(t, ledgertest.Shared(t).Database(t)) })
}

func lockDies(t *testing.T, dsn string) {
	l := open(t, dsn)
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), childEnv+"=lock "+dsn)
	in, err := holder.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	same(t, line, "locked\n")
	_, err = l.Lock(t.Context(), "matters")
	var busy *fault.BusyError
	if !errors.As(err, &busy) || busy.Holder.PID != holder.Process.Pid {
		t.Errorf("got %v, want that process %d holds it", err, holder.Process.Pid)
	}
	must(t, holder.Process.Kill())
	_ = holder.Wait()
	// A database server takes a moment to notice.
	for end := time.Now().Add(20 * time.Second); ; {
		release, err := l.Lock(t.Context(), "matters")
		if err == nil {
			must(t, release())
			return
		}
		if !errors.Is(err, fault.ErrBusy) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
