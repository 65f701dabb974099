package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/push"
)

const (
	// presentLock is shared by the nodes of a ledger, each on a connection that bears its name. So the server knows
	// which nodes are there, without a table of nodes that would have to be kept true.
	presentLock = "hashtextextended('docketsync/' || current_schema() || '/nodes', 0)"
	// channel is where a node is asked by name to leave.
	channel = "docketsync_drain"
	// presentAgain is how soon a node that has lost its connection shows itself again, and how often a request to leave
	// is repeated.
	presentAgain = time.Second
	// looks is how often a node is looked for before it counts as missing: one that has just lost its connection soon
	// shows itself again.
	looks = 4
	// silence is how long a node hears nothing before it checks whether its connection is still there.
	silence = 10 * time.Second
)

// present shows others that this node is there, and lets them ask it to leave, until ctx ends.
func (n *Node) present(ctx context.Context) {
	defer close(n.unseen)
	for told := false; ctx.Err() == nil; {
		err := n.listen(ctx)
		if !told && ctx.Err() == nil {
			n.Log.Warn("this node cannot be asked to leave at the moment; trying again", zap.Error(err))
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(presentAgain):
		}
	}
}

func (n *Node) listen(ctx context.Context) error {
	config := n.pool.Config().ConnConfig
	config.RuntimeParams["application_name"] = n.Ledger.Node()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), presentAgain)
		defer cancel()
		_ = conn.Close(closing)
	}()
	said := about(n.Version, n.began)
	if _, err := conn.Exec(ctx, `listen `+channel+`; select pg_advisory_lock_shared(`+presentLock+`)`); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, said); err != nil {
		return err
	}
	for {
		asked, err := heard(ctx, conn, said)
		if err != nil {
			return err
		}
		if asked != nil && asked.Payload == n.Ledger.Node() {
			n.Asked()
		}
	}
}

// heard waits for the next notification. After a while without one it runs the statement say, which others may read, to
// check the connection; it then returns nil.
func heard(ctx context.Context, conn *pgx.Conn, say string) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	asked, err := conn.WaitForNotification(waiting)
	if err == nil || ctx.Err() != nil || waiting.Err() == nil {
		return asked, err
	}
	answering, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	_, err = conn.Exec(answering, say)
	return nil, err
}

// Drain asks nodes to leave, and returns when they have. Nodes are named by their name or by their machine ("host",
// "host:process"). left is told of each. The error is a *MissingError if there is no such node.
//
// The ledger itself is not opened: while nodes are being replaced there are nodes of two releases, and the command of
// either must work.
func Drain(ctx context.Context, server *pgx.ConnConfig, names []string, left func(node string)) error {
	conn, err := pgx.ConnectConfig(ctx, server.Copy())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	every := time.NewTicker(presentAgain)
	defer every.Stop()
	var asked []string
	found := false
	for look := 1; ; look++ {
		up, err := nodesUp(ctx, conn)
		if err != nil {
			return fmt.Errorf("list the nodes: %w", err)
		}
		if !found {
			if asked, err = named(up, names); err != nil && look == looks {
				return err
			}
			found = err == nil
		}
		asked = slices.DeleteFunc(asked, func(node string) bool {
			gone := !slices.Contains(up, node)
			if gone {
				left(node)
			}
			return gone
		})
		if len(asked) == 0 && found {
			return nil
		}
		for _, node := range asked { // again and again: a node that has just lost its connection does not hear it
			if _, err := conn.Exec(ctx, `select pg_notify($1, $2)`, channel, node); err != nil {
				return fmt.Errorf("ask node %s to leave: %w", node, err)
			}
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// nodesUp lists the nodes of the ledger.
func nodesUp(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, _ := conn.Query(ctx, `select a.application_name`+held+presentLock+` order by 1`) // an error shows when they are collected
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// MissingError says that a node that should leave is not there.
type MissingError struct {
	Name string
	Up   []string
}

func (e *MissingError) Error() string {
	if len(e.Up) == 0 {
		return fmt.Sprintf("there is no node %s; none is up", e.Name)
	}
	return fmt.Sprintf("there is no node %s; up are %s", e.Name, strings.Join(e.Up, ", "))
}

// named returns the nodes of these names or machines.
func named(up, names []string) (list []string, err error) {
	for _, name := range names {
		found := false
		for _, node := range up {
			if node == name || strings.HasPrefix(node, name+":") {
				found = true
				list = append(list, node)
			}
		}
		if !found {
			err = errors.Join(err, &MissingError{name, up})
		}
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

// Guest lets the nodes that are up send a run that a person started in this process, and sends with them for that long:
// n is a node that nobody sees or asks to leave, and joins here. If no node is up, or n cannot join them, Guest sends
// nothing, and the process sends alone; see Share.
func (n *Node) Guest(ctx context.Context, run ledger.Run, sends Settings, tell func(map[ledger.State]int)) (push.End, error) {
	up, err := anyUp(ctx, n.Ledger.Server().Config())
	if err != nil || !up {
		return push.End{}, nil // the caller will report that the database is away
	}
	if err := n.Join(ctx); err != nil {
		n.Log.Warn("this process sends alone: it could not join the nodes", zap.Error(err))
		return push.End{}, nil
	}
	defer context.AfterFunc(ctx, n.Finish)()
	end, err := n.Share(ctx, run, sends, tell)
	if leaving := n.Leave(); leaving != nil {
		n.Log.Warn("leaving the cluster", zap.Error(leaving))
	}
	return end, err
}

// anyUp reports whether a node is up.
func anyUp(ctx context.Context, server *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, server.Copy())
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	up, err := nodesUp(ctx, conn)
	return len(up) > 0, err
}
