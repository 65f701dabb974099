package cluster

import (
	"context"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/push"
)

// Guest has the nodes that are up send a run which a person started in this process, and sends with them for that long: n is a node that
// nobody sees or asks to leave, and joins in here. Where no node is up, or it cannot join them, nothing is sent by it, and the process sends alone. It is
// push.Service.Share.
func (n *Node) Guest(ctx context.Context, run ledger.Run, tell func(map[ledger.State]int)) (push.End, error) {
	up, err := anyUp(ctx, n.Ledger.Server().Config())
	if err != nil || !up {
		return push.End{}, nil // who has to say that the database is away says it
	}
	if err := n.Join(ctx); err != nil {
		n.Log.Warn("this process sends alone: it could not join the nodes", zap.Error(err))
		return push.End{}, nil
	}
	defer context.AfterFunc(ctx, n.Finish)()
	end, err := n.Share(ctx, run, tell)
	if leaving := n.Leave(); leaving != nil {
		n.Log.Warn("leaving the cluster", zap.Error(leaving))
	}
	return end, err
}

// anyUp tells whether a node is up.
func anyUp(ctx context.Context, server *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, server.Copy())
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	up, err := nodesUp(ctx, conn)
	return len(up) > 0, err
}
