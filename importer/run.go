package importer

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/push"
	"docketsync/importer/stop"
)

// Run carries a job through both passes and returns the run as it ended. It settles an interrupted run of the same
// scope first: with the same job and input that run is resumed, otherwise what it left unsent is held and planned
// again.
//
// When ctx ends, nothing new is sent, requests in flight are finished and settled, the rest is held, and Run returns a
// Stopped run and no error. An error means that the job could not be run.
//
// A run whose export fires a guard ends Stopped with stop.Guard, the guards in Run.Guards, and nothing sent. So does a
// run that cannot be planned because its export is empty, damaged, or lacks columns that the last one had. Such a run
// has no Run.Export and cannot be let through.
//
// While a job that this one comes after has not ended completely, nothing begins or is resumed, and the error is a
// WaitsError.
//
// If the ledger's server goes away before anything is sent and is back in time (Ledger.Outlast), the job is read again.
func (i *Importer) Run(ctx context.Context, job Job) (ledger.Run, error) {
	return i.run(ctx, job, consent{})
}

// RunAccepting is Run for somebody who has seen which guards stopped the job's last run, and lets it through. The
// consent covers exactly that: if other guards fire, or the same ones with other numbers, or the input has changed, the
// run is stopped again. Who let it through is stored with the run. stopped names the run that was looked at, "" for the
// newest; if another one has been stopped since, it is not let through.
func (i *Importer) RunAccepting(ctx context.Context, job Job, who, stopped string) (ledger.Run, error) {
	return i.run(ctx, job, consent{who: who, stopped: stopped})
}

func (i *Importer) run(ctx context.Context, job Job, c consent) (ledger.Run, error) {
	var run ledger.Run
	var resumed bool
	var release func() error
	err := i.patiently(ctx, job, func() (err error) {
		run, resumed, release, err = i.ready(ctx, job, c)
		return err
	})
	if err != nil {
		return run, err
	}
	defer func() { _ = release() }() // the lock dies with the process in any case
	if run.Phase == ledger.Stopped && !resumed {
		return run, nil
	}
	return i.push(ctx, job, resumed, run)
}

// plansAtMost is how often a run is planned at most if the ledger's server goes away each time.
const plansAtMost = 3

// patiently makes a plan, and makes it anew if the ledger's server went away meanwhile and is back in time.
func (i *Importer) patiently(ctx context.Context, job Job, plan func() error) error {
	err := plan()
	for again := 1; again < plansAtMost && i.Ledger.Back(ctx, err); again++ {
		i.log().Warn("the ledger could not be reached while the run was being planned; planning it again", zap.String("job", job.Name), zap.Error(err))
		away := err
		if err = plan(); errors.Is(err, fault.ErrBusy) {
			err = away // the server may still hold the lock for the connection that was lost
		}
	}
	return err
}

// ready locks the job's scope and makes a plan of the job, or finds one to resume. A new run that it returns Stopped is
// not to be sent. After an error, the lock is free again.
func (i *Importer) ready(ctx context.Context, job Job, c consent) (run ledger.Run, resumed bool, release func() error, err error) {
	if err := i.waits(ctx, job); err != nil {
		return run, false, nil, err
	}
	if release, err = i.Ledger.Lock(ctx, job.Mapping.Scope()); err != nil {
		return run, false, nil, err
	}
	ready := false
	defer func() {
		if !ready {
			_ = release()
		}
	}()
	print, err := job.fingerprint()
	if err != nil {
		run, err = i.couldNotRun(ctx, job, err)
		return run, false, release, err
	}
	begun := print
	if c.approve != nil { // without a sum the run cannot be resumed, so it must be approved first
		print, begun = print.approved(c.seal), fingerprint{files: print.files, made: print.made}
	}
	run, resumed, err = i.resume(ctx, job, print, &c)
	switch {
	case err != nil:
	case resumed:
		i.began(run)
	default:
		run, err = i.begin(ctx, job, ledger.Push, begun, c)
		if err == nil && run.Phase != ledger.Stopped && c.approve != nil {
			err = i.approve(ctx, job, &run, print, c.approve)
		}
	}
	ready = err == nil
	return run, resumed, release, err
}

// Plan makes the first pass of a run and sends nothing. The records stay in the ledger under the returned run until the
// job is planned again.
func (i *Importer) Plan(ctx context.Context, job Job) (ledger.Run, error) {
	return i.dryPatiently(ctx, job, ledger.Plan)
}

// Check is Plan for somebody who wants to know about the rows rather than the service. It needs no network either.
func (i *Importer) Check(ctx context.Context, job Job) (ledger.Run, error) {
	return i.dryPatiently(ctx, job, ledger.Check)
}

func (i *Importer) dryPatiently(ctx context.Context, job Job, kind ledger.Kind) (run ledger.Run, err error) {
	err = i.patiently(ctx, job, func() (err error) {
		run, err = i.dry(ctx, job, kind)
		return err
	})
	return run, err
}

// dryLock returns the lock under which each plan or check of a job replaces the one before.
func dryLock(kind ledger.Kind, job string) string { return string(kind) + " of " + job }

func (i *Importer) dry(ctx context.Context, job Job, kind ledger.Kind) (ledger.Run, error) {
	release, err := i.Ledger.Lock(ctx, dryLock(kind, job.Name))
	if err != nil {
		return ledger.Run{}, err
	}
	defer func() { _ = release() }()
	earlier, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{kind}})
	if err != nil {
		return ledger.Run{}, err
	}
	for _, run := range earlier {
		if err := i.Ledger.RemoveRun(ctx, run.ID); err != nil {
			return ledger.Run{}, err
		}
	}
	if err := i.recoverCutOff(ctx, job.Mapping.Scope()); err != nil {
		return ledger.Run{}, err
	}
	print, err := job.fingerprint()
	if err != nil {
		return ledger.Run{}, err
	}
	run, err := i.begin(ctx, job, kind, print, consent{})
	if err != nil || run.Phase == ledger.Stopped {
		return run, err
	}
	return run, i.end(ctx, &run, ledger.Finished, "", "")
}

// recoverCutOff settles what runs of a scope left behind that died while pushing, so that a plan says what a run would
// send. If a run is under way, it does nothing: the ledger shows what that run has sent.
func (i *Importer) recoverCutOff(ctx context.Context, scope string) error {
	pushing := ledger.RunFilter{Scope: scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Pushing}}
	if runs, err := i.Ledger.Runs(ctx, pushing); err != nil || len(runs) == 0 {
		return err
	}
	release, err := i.Ledger.Lock(ctx, scope)
	if errors.Is(err, fault.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	runs, err := i.Ledger.Runs(ctx, pushing)
	for _, run := range runs {
		if _, _, again := i.Ledger.Recover(ctx, run.ID); again != nil {
			return again
		}
	}
	return err
}

// begin makes a run and its plan. If the plan cannot be made, or the guards do not let it through, it leaves a stopped
// run that says why.
func (i *Importer) begin(ctx context.Context, job Job, kind ledger.Kind, print fingerprint, c consent) (ledger.Run, error) {
	run, err := i.open(ctx, job, kind, print)
	if err != nil {
		return run, err
	}
	if err := i.firstPass(ctx, job, &run, print.files); err != nil {
		guard, looking := i.unusable(ctx, job, &run, err)
		if guard != nil {
			return run, i.stopUnusable(context.WithoutCancel(ctx), &run, *guard, err)
		}
		return run, i.abandon(ctx, &run, errors.Join(err, looking))
	}
	if kind == ledger.Push {
		if err := i.notListed(ctx, job, &run, c); err != nil {
			return run, i.abandon(ctx, &run, err)
		}
		passed, err := i.pass(ctx, &run, print, c)
		if err != nil {
			return run, i.abandon(ctx, &run, err)
		}
		if !passed {
			return run, i.stopByGuard(context.WithoutCancel(ctx), &run, print, c)
		}
	}
	run.Phase = ledger.Ready
	return run, i.Ledger.SaveRun(ctx, run)
}

func (i *Importer) began(run ledger.Run) {
	if i.Began != nil {
		i.Began(run)
	}
}

// abandon ends a run whose plan could not be made. It returns no error if the run was interrupted.
func (i *Importer) abandon(ctx context.Context, run *ledger.Run, cause error) error {
	code, why := stop.Input, cause.Error()
	if ctx.Err() != nil {
		code, why = stop.Interrupted, "the run was interrupted"
	}
	// The plan is not complete, so none of it may be resumed.
	run.Fingerprint = ""
	if err := i.stop(context.WithoutCancel(ctx), run, code, why); err != nil {
		return errors.Join(cause, err)
	}
	if code == stop.Interrupted {
		return nil
	}
	return cause
}

// push makes the second pass of a run and ends it. A resumed plan may come from an earlier release, which left it to
// the push to find payloads that cannot be spelled.
func (i *Importer) push(ctx context.Context, job Job, resumed bool, run ledger.Run) (ledger.Run, error) {
	looked := i.now()
	if _, err := i.holdChanged(ctx, job, &run); err != nil {
		return run, i.stopUnseen(ctx, &run, err)
	}
	if i.Confirm != nil {
		if err := i.Confirm(ctx, run); err != nil {
			return run, i.stop(context.WithoutCancel(ctx), &run, stop.Interrupted, err.Error())
		}
	}
	p := &push.Pusher{Service: i.Service, Ledger: i.Ledger, First: i.First, Tally: i.foresee(ctx, &run), Log: i.log(), Now: i.now, Tell: func(c push.Counts) {
		i.progress(Progress{Job: run.Job, Phase: ledger.Pushing, Rows: run.Counts.Read, Records: c.Records, To: c.To, Sent: c.Sent, Paused: c.Paused})
	}}
	if resumed {
		p.Respell = &job.Policy.Switches
	}
	if list, none := i.showing(job); none == nil && list != nil {
		i.watching(job, p, &run, looked)
	}
	end, err := p.Push(ctx, &run)
	if err == nil {
		// What is not learnt now is judged by its values the next time.
		if unseen := i.learnStamps(ctx, job, &run); unseen != nil {
			i.log().Warn("the times of docketsync's own updates could not be read", zap.String("run", run.ID), zap.Error(unseen))
		}
	}
	switch {
	case err != nil:
	case end.Code == "":
		err = i.end(context.WithoutCancel(ctx), &run, ledger.Finished, "", "")
	default:
		err = i.end(context.WithoutCancel(ctx), &run, ledger.Stopped, end.Code, end.Why)
	}
	return run, err
}

// stop ends a run early and holds for good what it planned: the next run plans again.
func (i *Importer) stop(ctx context.Context, run *ledger.Run, code, why string) error {
	if _, err := i.Ledger.Hold(ctx, run.ID); err != nil {
		return err
	}
	return i.end(ctx, run, ledger.Stopped, code, why)
}

// end sets the final state of the run itself.
func (i *Importer) end(ctx context.Context, run *ledger.Run, phase ledger.Phase, code, why string) error {
	run.Phase, run.StopCode, run.Stop, run.Ended = phase, code, why, i.now()
	i.log().Info("run ended", zap.String("run", run.ID), zap.String("job", run.Job), zap.String("phase", string(phase)), zap.String("stop", code))
	return i.Ledger.SaveRun(ctx, *run)
}

// resume settles what earlier runs of the job's scope left behind, whichever job began them, and returns the one that
// can be resumed. A plan is true only of what was known when it was made. So every other interrupted run of the scope
// is given up here, before the new one can change what is known: what it left unsent is held and planned again.
//
// If a run with the same input was let through its guards and cannot be resumed, resume stores it in c: it needs no
// second consent for the same.
func (i *Importer) resume(ctx context.Context, job Job, print fingerprint, c *consent) (run ledger.Run, resumed bool, err error) {
	cut, err := i.Ledger.Runs(ctx, ledger.RunFilter{
		Scope: job.Mapping.Scope(), Kinds: []ledger.Kind{ledger.Push},
		Phases: []ledger.Phase{ledger.Reading, ledger.Ready, ledger.Pushing, ledger.Stopped},
	})
	if err != nil {
		return run, false, err
	}
	for _, old := range cut {
		if old.Phase == ledger.Reading {
			if err := i.Ledger.RemoveRun(ctx, old.ID); err != nil {
				return run, false, err
			}
			continue
		}
		if old.Phase == ledger.Stopped && !resumable(old) {
			continue
		}
		again, doubt, err := i.Ledger.Recover(ctx, old.ID)
		if err != nil {
			return run, false, err
		}
		if again+doubt > 0 {
			i.log().Warn("an earlier run was interrupted", zap.String("run", old.ID), zap.Int("sent_again", again), zap.Int("in_doubt", doubt))
		}
		if old.Job == job.Name && print.is(old.Fingerprint) && print.ofDay(old.Fingerprint) && !job.AsksLedger() {
			if _, err := i.Ledger.Release(ctx, old.ID, ledger.Held, ledger.Failed); err != nil {
				return run, false, err
			}
			// What was learnt since the plan was made, by settling a doubt or adopting ids, would be created again.
			if overdue, err := i.Ledger.PlanOverdue(ctx, old.ID); err != nil {
				return run, false, err
			} else if !overdue {
				old.Stop, old.StopCode, old.Ended = "", "", time.Time{}
				return old, true, nil
			}
		}
		if old.Job == job.Name && print.is(old.Fingerprint) && old.Passed != nil {
			c.cut = &old
		}
		if err := i.stop(ctx, &old, stop.Superseded, "another job ran, or the input, the mapping or the day that it goes by changed, before this run was resumed; a newer run sends what was left"); err != nil {
			return run, false, err
		}
	}
	return run, false, nil
}

// resumable reports whether a stopped run has a complete plan that may be resumed.
func resumable(run ledger.Run) bool { return run.Fingerprint != "" && stop.Resumable(run.StopCode) }
