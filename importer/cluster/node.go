package cluster

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/push"
)

const (
	// shardSize is the largest number of planned records in a shard, and leastShard the smallest. Between them, a run
	// is cut into shardsOfARun shards: more than there are usually nodes, so that none is idle while another has most
	// of a shard before it, but few enough that taking and giving back costs little.
	shardSize, leastShard, shardsOfARun = 2000, 250, 16
	// sliceTime is how long a node sends a shard before it gives the rest back. What a dead node had waits for a free
	// node that long, after the end of a lease, which is 45 s by default; together less than a minute.
	sliceTime = 10 * time.Second

	queue       = "slices"
	connections = 4 // to the database: River's listener, its fetches, and what is rung
	// fetchPause is the least time between two attempts to fetch a job.
	fetchPause = 20 * time.Millisecond
	// jobsKept is how long finished jobs can be looked at.
	jobsKept = time.Hour
)

// ErrNoServer says that the ledger is not on a server, so only one process can use it.
var ErrNoServer = errors.New("several nodes need a ledger on PostgreSQL; this one is an SQLite file. Run 'docketsync schedule', which does the same with one process, " +
	"or use PostgreSQL from the first run; a used ledger file cannot be moved there (see 'docketsync help postgresql')")

// Opened is what sends one run from this node.
type Opened struct {
	*push.Pusher
	Settings Settings
	Close    func() error
}

// Node is this process as one of those that work on a ledger.
type Node struct {
	Ledger  *ledger.Ledger
	Log     *zap.Logger
	Version string // of this program
	// Open makes what sends a run from here, by the settings in use.
	Open func(ctx context.Context, run ledger.Run) (Opened, error)
	// Firm opens what sends runs of a firm from here. It is nil if the nodes serve one installation, which is Ledger
	// and Open.
	Firm func(ctx context.Context, name string) (Firm, error)
	// Asked is called when somebody asks the node to leave; see Drain. It must return at once, and may be called more
	// than once. It is nil for a guest.
	Asked func()
	// Slice, if set, is told what becomes of shards here; Settled is told how many records of a firm's job they settle,
	// by state. Both return at once.
	Slice   func(event string)
	Settled func(firm, job string, state ledger.State, n int)
	// Shard is the largest number of planned records in a shard, 0 for shardSize.
	Shard int

	began  time.Time
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	ending context.Context // nothing is sent any more from here after its end
	end    context.CancelFunc
	hide   context.CancelFunc // ends that others see the node
	unseen chan struct{}      // closed after that

	mu     sync.Mutex
	run    string // what open sends
	opened Opened
	said   map[string]bool // errors of runs that are already in the log
}

// Join makes the node one of the cluster: from then on it sends shards of runs. Leave must be called.
func (n *Node) Join(ctx context.Context) error {
	server := n.Ledger.Server()
	if server == nil {
		return ErrNoServer
	}
	var err error
	if n.pool, err = open(ctx, server.Config()); err != nil {
		return err
	}
	n.ending, n.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := n.start(ctx); err != nil {
		n.pool.Close()
		return err
	}
	n.began = time.Now()
	seen, hide := context.WithCancel(context.WithoutCancel(ctx))
	n.hide, n.unseen = hide, make(chan struct{})
	if n.Asked == nil {
		close(n.unseen)
		return nil
	}
	go n.present(seen)
	return nil
}

func (n *Node) start(ctx context.Context) error {
	if err := migrate(ctx, n.pool, n.Log); err != nil {
		return err
	}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &sliceWorker{node: n}); err != nil {
		return err
	}
	client, err := river.NewClient(riverpgxv5.New(n.pool), &river.Config{
		ID: n.Ledger.Node(), Logger: slog.New(logHandler{n.Log}), Workers: workers,
		Queues: map[string]river.QueueConfig{queue: n.queueConfig()}, FetchCooldown: fetchPause,
		// Age does not show whether a node is dead, and a slice ends by itself.
		JobTimeout: -1, MaxAttempts: 1,
		CompletedJobRetentionPeriod: jobsKept, DiscardedJobRetentionPeriod: jobsKept, CancelledJobRetentionPeriod: jobsKept,
	})
	if err != nil {
		return err
	}
	n.client = client
	return client.Start(context.WithoutCancel(ctx))
}

// migrateLock is held while the tables of River are created, by one node at a time.
const migrateLock = "hashtextextended('docketsync/' || current_schema() || '/river', 0)"

// Migrate brings the tables of River up to date.
func Migrate(ctx context.Context, server *pgx.ConnConfig, log *zap.Logger) error {
	pool, err := open(ctx, server)
	if err != nil {
		return err
	}
	defer pool.Close()
	return migrate(ctx, pool, log)
}

func migrate(ctx context.Context, pool *pgxpool.Pool, log *zap.Logger) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(`+migrateLock+`)`); err != nil {
		return err
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock(`+migrateLock+`)`) // otherwise the lock ends with the connection
	}()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(logHandler{log})})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// open opens connections to a server.
func open(ctx context.Context, server *pgx.ConnConfig) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, err
	}
	config.ConnConfig, config.MaxConns = server.Copy(), connections
	return pgxpool.NewWithConfig(ctx, config)
}

// queueOf returns the queue of runs that only nodes with these labels send.
func queueOf(labels string) string {
	if labels == "" {
		return queue
	}
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, labels)
	return fmt.Sprintf("%s_%016x", queue, sum.Sum64())
}

// Serve makes the node also send runs of firms that demand these labels; calling it again does nothing. There is a
// queue for each set of labels, not for each firm: every queue of a node is polled once a second.
func (n *Node) Serve(labels string) error {
	err := n.client.Queues().Add(queueOf(labels), n.queueConfig())
	if errors.Is(err, &river.QueueAlreadyAddedError{}) {
		return nil
	}
	return err
}

func (n *Node) queueConfig() river.QueueConfig { return river.QueueConfig{MaxWorkers: 1} }

// Finish takes nothing new; what is being sent is finished and given back.
func (n *Node) Finish() { n.end() }

// Leave calls Finish, and waits until the node has given back what it had.
func (n *Node) Leave() error {
	n.end()
	err := n.client.Stop(context.Background())
	n.forget()
	n.pool.Close()
	n.hide()
	<-n.unseen
	return err
}

// opening returns what sends a run from here. It is kept from one slice to the next.
func (n *Node) opening(ctx context.Context, run ledger.Run) (Opened, error) {
	n.mu.Lock()
	same := n.run == run.ID
	n.mu.Unlock()
	if !same {
		n.forget()
		opened, err := n.Open(ctx, run)
		if err != nil {
			return Opened{}, err
		}
		n.mu.Lock()
		n.run, n.opened = run.ID, opened
		n.mu.Unlock()
	}
	return n.opened, nil
}

// forget closes what sends a run from here, because another run is next or this one must not be sent any more.
func (n *Node) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run == "" {
		return
	}
	if err := n.opened.Close(); err != nil {
		n.Log.Warn("a run could not be closed", zap.Error(err))
	}
	n.run, n.opened = "", Opened{}
}

// logHandler writes River's warnings to the log.
type logHandler struct{ log *zap.Logger }

func (h logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	var fields []zap.Field
	r.Attrs(func(a slog.Attr) bool {
		fields = append(fields, zap.String(a.Key, a.Value.String()))
		return true
	})
	h.log.Warn("queue: "+r.Message, fields...)
	return nil
}

func (h logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h logHandler) WithGroup(string) slog.Handler      { return h }
