package installation

import (
	"sync/atomic"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"docketsync/importer/ledger"
)

// runFields are the run and the job that log lines belong to. Many lines come from parts that know nothing of runs,
// such as the client that all jobs share; the jobs of an installation run one after the other.
type runFields struct {
	now atomic.Pointer[[]zapcore.Field]
}

// set sets the current run.
func (f *runFields) set(run ledger.Run) {
	f.now.Store(&[]zapcore.Field{zap.String("run", run.ID), zap.String("job", run.Job)})
}

// wrap adds the fields to every line of a logger.
func (f *runFields) wrap(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core { return runCore{core, f} }))
}

type runCore struct {
	zapcore.Core
	run *runFields
}

// With keeps the wrapping.
func (c runCore) With(fields []zapcore.Field) zapcore.Core {
	return runCore{c.Core.With(fields), c.run}
}

// Check asks to be written to.
func (c runCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write adds the fields that a line does not have itself.
func (c runCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if now := c.run.now.Load(); now != nil {
		has := map[string]bool{}
		for _, field := range fields {
			has[field.Key] = true
		}
		for _, field := range *now {
			if !has[field.Key] {
				fields = append(fields[:len(fields):len(fields)], field)
			}
		}
	}
	return c.Core.Write(entry, fields)
}

// RunEnded says that log lines no longer belong to a run.
func (in *Installation) RunEnded() { in.run.now.Store(nil) }
