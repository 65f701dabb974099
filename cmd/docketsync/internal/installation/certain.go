package installation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// RestoredError says that a ledger is older than what was sent.
type RestoredError struct{ said string }

func (e *RestoredError) Error() string {
	return e.said + "\nNothing is sent until this is resolved: see 'docketsync ledger accept-restore --help' for how to find out what is missing"
}

// Signs are what may show that a ledger is older than what was sent.
type Signs struct {
	BackupTaken time.Time             `json:"backup_taken,omitzero"` // it is a backup of that time that nobody has accepted
	Outrun      *ledger.HighWaterMark `json:"outrun_by,omitempty"`   // the run that it should know and does not
	Moved       bool                  `json:"moved,omitempty"`       // it is on another server, which may lack what was sent
	LeftBehind  string                `json:"left_behind,omitempty"` // the ledger file that it replaces without having its content
}

// Signs asks the ledger. If the error is ledger.ErrServerUnknown, the other signs are still known.
func (in *Installation) Signs(ctx context.Context) (s Signs, err error) {
	if s.BackupTaken, err = in.Book.BackupTaken(ctx); err == nil {
		s.Outrun, err = in.Book.Outrun(ctx)
	}
	if err == nil {
		s.Moved, err = in.Book.Moved(ctx)
	}
	if err == nil {
		s.LeftBehind, err = in.leftBehind(ctx)
	}
	return s, err
}

// leftBehind returns the path of the default ledger if another one is configured and has sent nothing, although jobs of
// the configuration sent to the same service with the default one. High-water marks do not show that if the folder of
// reports was changed as well. It returns "" once somebody has accepted the new ledger.
func (in *Installation) leftBehind(ctx context.Context) (string, error) {
	path := in.Config.DefaultLedger()
	if in.Config.Ledger.Reveal() == path || in.Config.Rehearses() || !isDatabase(path) {
		return "", nil
	}
	accepted, err := in.Book.AuditEntries(ctx, ledger.AuditFilter{Action: "accept_restore", Limit: 1})
	if sent, failed := in.Book.Sent(ctx); err != nil || failed != nil || sent || len(accepted) > 0 {
		return "", errors.Join(err, failed)
	}
	book, err := ledger.OpenCopy(ctx, path)
	if err != nil {
		return "", fmt.Errorf("%s is beside the configuration, and whether records were sent with it cannot be read from it: %w\nMove it away if it is not a ledger of this installation", path, err)
	}
	defer book.Close()
	sent, err := book.Sent(ctx)
	service, failed := book.Service(ctx)
	address, wrong := in.Config.Service.Address()
	if err := errors.Join(err, failed, wrong); err != nil || !sent || service != address && !in.Config.Service.WasCalled(service) {
		return "", err
	}
	for _, job := range in.NamesOf(nil) {
		if runs, err := book.Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Limit: 1}); err != nil || len(runs) > 0 {
			return path, err
		}
	}
	return "", nil
}

// isDatabase reports whether a file begins as SQLite's do.
func isDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len("SQLite format 3"))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == "SQLite format 3"
}

// NotRestored makes sure that the ledger knows everything that was sent, as far as that can be told.
func (in *Installation) NotRestored(ctx context.Context) error {
	signs, err := in.Signs(ctx)
	if err != nil {
		return err
	}
	return signs.Restored(in.Config.Ledger.String())
}

// WarnRestored warns that a plan is made from an older copy of the ledger, or from what may be one, so that a run would
// send nothing.
func (in *Installation) WarnRestored(ctx context.Context) error {
	err := in.NotRestored(ctx)
	if errors.As(err, new(*RestoredError)) || errors.Is(err, ledger.ErrServerUnknown) {
		fmt.Fprintf(in.Screen.Err, "Warning: %v\n", err)
		return nil
	}
	return err
}

// Restored returns a *RestoredError if a sign shows that a ledger is an older copy.
func (s Signs) Restored(name string) error {
	const again = "Anything sent since then is not in it and would be sent again"
	outrun := s.Outrun
	switch {
	case !s.BackupTaken.IsZero():
		return &RestoredError{fmt.Sprintf("the ledger %s is a backup that was taken on %s. %s", name, moment.Of(s.BackupTaken), again)}
	case outrun != nil && outrun.Has < outrun.Commits && outrun.Has > 0:
		return &RestoredError{fmt.Sprintf("the ledger %s is older than what run %s of job %s sent: it has %d of the %d intents and outcomes that were committed. %s",
			name, outrun.Run, outrun.Job, outrun.Has, outrun.Commits, again)}
	case outrun != nil:
		did := "started to send"
		if outrun.Ended {
			did = "ended"
		}
		return &RestoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which %s on %s, or it is a new ledger in place of another. %s",
			name, outrun.Run, outrun.Job, did, moment.Of(outrun.At), again)}
	case s.Moved:
		return &RestoredError{fmt.Sprintf("the ledger %s is on a different server or in a different database from the one it last sent from, and may lack what was sent there last: "+
			"a standby took over that commits did not wait for, this is a copy such as one that was loaded from a dump, or the server was upgraded with pg_upgrade. What is missing would be sent again", name)}
	case s.LeftBehind != "":
		return &RestoredError{fmt.Sprintf("the ledger %s has sent nothing yet, but jobs of this configuration have sent to this service with %s. Everything would be sent again, including creates. "+
			"To continue with that file, remove ledger: from the configuration. A used ledger cannot be moved between a file and PostgreSQL", name, s.LeftBehind)}
	}
	return nil
}

// NoLaggingStandby refuses a ledger whose server has standbys that not every commit waits for, unless the configuration
// accepts that.
func (in *Installation) NoLaggingStandby(ctx context.Context) error {
	if in.Config.LedgerServer.LaggingStandby == "accept" {
		return nil
	}
	names, err := in.Book.LaggingStandbys(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return exit.As(exit.Usage, fmt.Errorf("the server of the ledger %s has standbys that not every commit waits for: %s\n"+
		"One that takes over may lack what was sent last, and it would be sent a second time; nothing was sent\n"+
		"Have commits wait for all of them (synchronous_standby_names on the server), or write ledger_server: {lagging_standby: accept} if none of them ever takes over",
		in.Config.Ledger, strings.Join(names, ", ")))
}

// account identifies the account of the service: by the configuration's name for it, and by names derived from the key
// and the user.
type account struct {
	Name string `json:"name,omitempty"`
	Key  string `json:"key,omitempty"`
	User string `json:"user,omitempty"`
}

// differs says in what an account differs from the one with which something was done, "" if in nothing. What is not
// configured shows nothing.
func (a account) differs(kept account, done string) string {
	other := func(now, before string) bool { return now != "" && before != "" && now != before }
	switch {
	case a.Name != "" && kept.Name != "":
		if a.Name != kept.Name {
			return fmt.Sprintf("service.account is %q, and %s with %q", a.Name, done, kept.Name)
		}
		return ""
	case other(a.Key, kept.Key):
		return "the subscription key is not the one with which " + done
	case other(a.User, kept.User):
		return "the user of service.sign_in is not the one as whom " + done
	}
	return ""
}

func (in *Installation) account() account {
	if in.Config.Service.UsesSandbox() {
		return account{}
	}
	a := account{Name: in.Config.Service.Account}
	a.Key, a.User = clientOptions(in.Config, in.Version, in.Log).SentBy()
	return a
}

// SetAccount binds the ledger to the configured account.
func (in *Installation) SetAccount(ctx context.Context) error {
	kept, err := in.keptAccount(ctx)
	now := in.account()
	// What is not configured is taken to be unchanged.
	now = account{cmp.Or(now.Name, kept.Name), cmp.Or(now.Key, kept.Key), cmp.Or(now.User, kept.User)}
	if err != nil || now == kept {
		return err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return in.Book.SetAccount(ctx, text)
}

func (in *Installation) keptAccount(ctx context.Context) (kept account, err error) {
	text, err := in.Book.Account(ctx)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &kept)
	}
	return kept, err
}

// OtherAccount says in what the configured account differs from the ledger's, "" if in nothing.
func (in *Installation) OtherAccount(ctx context.Context) (string, error) {
	kept, err := in.keptAccount(ctx)
	return in.account().differs(kept, "the records in the ledger were sent"), err
}

// SameAccount refuses a ledger whose records are in another account at the same address: they would count as sent, and
// nothing would be sent. As long as nothing was sent, the earlier key may simply have been wrong.
func (in *Installation) SameAccount(ctx context.Context) error {
	differs, err := in.OtherAccount(ctx)
	if err != nil || differs == "" {
		return err
	}
	if sent, err := in.Book.Sent(ctx); err != nil || !sent {
		return err
	}
	return exit.As(exit.Usage, fmt.Errorf("%s (%s)\n"+
		"Nothing was sent: docketsync would take records for up to date that another account does not have. Give each account its own ledger (ledger: in the configuration).\n"+
		"If it is the same account, confirm it with: docketsync ledger accept-service", differs, in.Config.Ledger))
}

// Account is what identifies the configured account in a plan, nil for the sandbox.
func (in *Installation) Account() ([]byte, error) {
	a := in.account()
	if a == (account{}) {
		return nil, nil
	}
	return json.Marshal(a)
}

// OtherThanPlanned says in what the configured account differs from a plan's, "" if in nothing. A plan of an earlier
// release has none.
func (in *Installation) OtherThanPlanned(text []byte) (differs string, err error) {
	var of account
	if len(text) > 0 {
		err = json.Unmarshal(text, &of)
	}
	return in.account().differs(of, "the plan was made"), err
}
