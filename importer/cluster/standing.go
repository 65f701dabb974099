package cluster

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standing says which nodes of a ledger are there, and what is in the queue.
type Standing struct {
	Nodes []Present `json:"nodes"`
	// Schedules says which process schedules if it is not a node: "process 17 on host"; otherwise it is "".
	Schedules string `json:"schedules,omitempty"`
	// Queue counts River's jobs by state. Jobs are those that are not done and the last ones that failed, newest first.
	Queue map[string]int `json:"queue,omitempty"`
	Jobs  []job          `json:"jobs,omitempty"`
}

// Other says which process schedules if it is not a node, "" otherwise.
func (s Standing) Other() string {
	if s.Schedules == "" {
		return ""
	}
	return fmt.Sprintf("The jobs are scheduled by %s, which is not a node.", s.Schedules)
}

// Present is a node that is there.
type Present struct {
	Node      string    `json:"node"`
	Version   string    `json:"version,omitempty"` // "" where the release does not tell, or the account may not see it
	Since     time.Time `json:"since,omitzero"`    // when it started, or, if it does not say, last showed itself anew; zero if the account may not see it
	Schedules bool      `json:"schedules"`
}

// job is a River job: a part of a run that was rung for.
type job struct {
	ID     int64     `json:"id"`
	State  string    `json:"state"`
	Run    string    `json:"run"`
	Shard  int64     `json:"shard"`
	Node   string    `json:"node,omitempty"` // that fetched it
	At     time.Time `json:"at"`             // when it was fetched, or rung for
	Failed string    `json:"failed,omitempty"`
}

// jobsShown is the largest number of jobs that are listed.
const jobsShown = 50

const (
	// held finds the connections that hold an advisory lock of the ledger.
	held = ` from pg_locks l join pg_stat_activity a on a.pid = l.pid where l.locktype = 'advisory' and l.granted and l.objsubid = 1
		and a.datname = current_database() and ((cast(l.classid as bigint) << 32) | cast(l.objid as bigint)) = `
	// scheduleLock is the ledger's lock held by the node that schedules. Its connection bears the process and the host.
	scheduleLock = "hashtextextended('docketsync/' || current_schema() || '/schedule', 0)"
)

// about is the last statement on the connection that shows a node: others read the node's version and start there.
func about(version string, began time.Time) string {
	return fmt.Sprintf("select 'docketsync %s since %s'", regexp.MustCompile(`[^\w.+()-]`).ReplaceAllString(version, "_"), began.UTC().Format(time.RFC3339))
}

var toldAbout = regexp.MustCompile(`^select 'docketsync (\S+) since (\S+)'$`)

// Look finds out the state of the nodes of a ledger. The ledger itself is not opened.
func Look(ctx context.Context, server *pgx.ConnConfig) (s Standing, err error) {
	conn, err := pgx.ConnectConfig(ctx, server.Copy())
	if err != nil {
		return s, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if s.Nodes, err = present(ctx, conn); err != nil {
		return s, fmt.Errorf("list the nodes: %w", err)
	}
	var holder string
	err = conn.QueryRow(ctx, `select a.application_name`+held+scheduleLock).Scan(&holder)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("find out who schedules: %w", err)
	}
	if process, host, ok := strings.Cut(strings.TrimPrefix(holder, "docketsync "), "@"); ok {
		s.Schedules = fmt.Sprintf("process %s on %s", process, host)
		for n, node := range s.Nodes {
			if strings.HasPrefix(node.Node, host+":"+process+":") {
				s.Nodes[n].Schedules, s.Schedules = true, ""
			}
		}
	}
	return s, s.readQueue(ctx, conn)
}

// present lists the nodes that are there.
func present(ctx context.Context, conn *pgx.Conn) ([]Present, error) {
	rows, _ := conn.Query(ctx, `select a.application_name, a.backend_start, coalesce(a.query, '')`+held+presentLock+` order by 1`) // an error shows when they are collected
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Present, err error) {
		var query string
		var began *time.Time // NULL for an account that may not see it, see pg_read_all_stats
		if err = row.Scan(&p.Node, &began, &query); began != nil {
			p.Since = *began
		}
		if told := toldAbout.FindStringSubmatch(query); told != nil {
			p.Version = told[1]
			if began, wrong := time.Parse(time.RFC3339, told[2]); wrong == nil {
				p.Since = began
			}
		}
		return p, err
	})
}

// Unheld returns which of these locks of the ledger nobody holds.
func (n *Node) Unheld(ctx context.Context, locks []string) ([]string, error) {
	rows, _ := n.pool.Query(ctx, `select distinct name from unnest(cast($1 as text[])) name where not exists (select 1`+held+
		`hashtextextended('docketsync/' || current_schema() || '/' || name, 0))`, locks) // an error shows when they are collected
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// readQueue reads River's table, which does not exist before the first node has joined.
func (s *Standing) readQueue(ctx context.Context, conn *pgx.Conn) error {
	var made bool
	if err := conn.QueryRow(ctx, `select to_regclass('river_job') is not null`).Scan(&made); err != nil || !made {
		return err
	}
	s.Queue = map[string]int{}
	var state string
	var n int
	rows, _ := conn.Query(ctx, `select cast(state as text), cast(count(*) as int) from river_job group by 1`) // an error shows when they are collected
	_, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { s.Queue[state] = n; return nil })
	if err == nil {
		rows, _ = conn.Query(ctx, `select id, cast(state as text), coalesce(args->>'run', ''), coalesce(cast(args->>'shard' as bigint), 0), coalesce(attempted_by[cardinality(attempted_by)], ''),
			coalesce(attempted_at, created_at), coalesce(errors[cardinality(errors)]->>'error', '') from river_job where state <> 'completed' order by id desc limit $1`, jobsShown)
		s.Jobs, err = pgx.CollectRows(rows, pgx.RowToStructByPos[job])
	}
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	return nil
}
