package installation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"docketsync/cmd/docketsync/internal/exit"
)

// account is what the account of the service is known by: what the configuration calls it, and names derived from the key and the user.
type account struct {
	Name string `json:"name,omitempty"`
	Key  string `json:"key,omitempty"`
	User string `json:"user,omitempty"`
}

// differs says in what an account is another one than that with which something was done, "" for the same. What is not configured tells nothing.
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

// SetAccount has the ledger be about the account of the configuration.
func (in *Installation) SetAccount(ctx context.Context) error {
	kept, err := in.keptAccount(ctx)
	now := in.account()
	// What is not configured is not known to have changed.
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

// OtherAccount says in what the account of the configuration is another one than that of the ledger, "" for the same.
func (in *Installation) OtherAccount(ctx context.Context) (string, error) {
	kept, err := in.keptAccount(ctx)
	return in.account().differs(kept, "the records in the ledger were sent"), err
}

// SameAccount refuses a ledger whose records are in another account at the same address: they would count as sent, and nothing would be. While
// nothing was sent, the key before may have been a wrong one.
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

// Account is what the account of the configuration is known by in a plan, nil for the sandbox.
func (in *Installation) Account() ([]byte, error) {
	a := in.account()
	if a == (account{}) {
		return nil, nil
	}
	return json.Marshal(a)
}

// OtherThanPlanned says in what the account of the configuration is another one than that of a plan, "" for the same. A plan of an earlier
// release has none.
func (in *Installation) OtherThanPlanned(text []byte) (differs string, err error) {
	var of account
	if len(text) > 0 {
		err = json.Unmarshal(text, &of)
	}
	return in.account().differs(of, "the plan was made"), err
}
