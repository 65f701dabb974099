package installation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/config"
	"docketsync/importer"
)

// connect prepares sending. It refuses jobs whose operation cannot be sent with this configuration, before anything is
// read.
func (in *Installation) connect(ctx context.Context, jobs []importer.Job) error {
	if err := in.Allowed(jobs); err != nil {
		return err
	}
	if err := errors.Join(in.SameService(ctx), in.NotRestored(ctx), in.NoLaggingStandby(ctx)); err != nil {
		return err
	}
	if err := in.Book.SendHere(ctx); err != nil {
		return err
	}
	_, err := in.Client(ctx)
	return err
}

// Allowed says why jobs cannot be sent with this configuration, whatever the service and the ledger say.
func (in *Installation) Allowed(jobs []importer.Job) error {
	if err := in.Config.Missing(config.OfService); err != nil {
		return exit.As(exit.Usage, err)
	}
	if in.Observers != nil {
		if err := in.Config.Missing(config.OfChannels); err != nil {
			return exit.As(exit.Usage, &observers.ChannelsError{Faults: err})
		}
	}
	service := in.Config.Service
	for _, job := range jobs {
		operation := string(job.Mapping.Operation())
		_, path := service.Path(operation)
		if err := errors.Join(path, service.Identity(operation)); err != nil {
			return exit.As(exit.Usage, fmt.Errorf("job %s: %w", job.Name, err))
		}
	}
	return nil
}

// Client returns the client of the service. The first call makes it, and starts the sandbox in this process if so
// configured. It sends nothing.
func (in *Installation) Client(ctx context.Context) (*apiclient.Client, error) {
	if in.client != nil {
		return in.client, nil
	}
	service, options := in.Config.Service, clientOptions(in.Config, in.Version, in.Log)
	if err := in.Config.Missing(config.OfService); err != nil && !service.UsesSandbox() {
		return nil, exit.As(exit.Usage, err) // it names the setting and its line, unlike the client
	}
	if service.UsesSandbox() {
		base, err := in.startSandbox(ctx)
		if err != nil {
			return nil, err
		}
		options.BaseURL = base
		options.SubscriptionKey = cmp.Or(options.SubscriptionKey, "sandbox")
		if service.SignIn == nil {
			options.AuthCookie = cmp.Or(options.AuthCookie, "sandbox")
		}
	} else if in.Book != nil && in.Book.Server() != nil {
		kept := in.Book.Server().Kept()
		in.closers = append(in.closers, kept.Close)
		options.Shared, options.Pace.Apart = kept.Change, in.Config.LedgerServer.Outage
	}
	client, err := apiclient.New(options)
	if err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	in.client = client
	in.Screen.Sends(func() (int, time.Duration) { return client.Stats().Pace.Busy, service.Timeout })
	told := func() {}
	if in.Observers != nil {
		told = in.Observers.Metrics.Client(client.Stats)
	}
	in.closers = append(in.closers, func() error { client.Close(); told(); return nil })
	return client, nil
}

// Reach tries the way to the service with a client that has no secret, so that this works before there are any; see
// apiclient.Client.Reach. err is a mistake in the configuration.
func (in *Installation) Reach(ctx context.Context) (r apiclient.Reach, failed apiclient.Step, trouble *apiclient.Error, err error) {
	options := clientOptions(in.Config, in.Version, in.Log)
	options.SubscriptionKey, options.AuthCookie, options.SignIn = strings.Repeat("none", 8), "", apiclient.SignIn{}
	client, err := apiclient.New(options)
	if err != nil {
		return r, "", nil, exit.As(exit.Usage, err)
	}
	defer client.Close()
	r, failed, trouble = client.Reach(ctx)
	return r, failed, trouble, nil
}

// SameService binds a ledger to one service: what it knows of one would be wrong for another, and nothing would be sent
// there. It refuses what AboutService refuses.
func (in *Installation) SameService(ctx context.Context) error {
	name, known, err := in.sameService(ctx)
	if err == nil && known != name {
		err = in.Book.SetService(ctx, name)
	}
	if err != nil {
		return err
	}
	if err := in.SameAccount(ctx); err != nil {
		return err
	}
	return in.SetAccount(ctx)
}

// NoFirm is the owner of a ledger in which processes meet that serve several firms. No firm can have this name.
const NoFirm = "(none)"

// OfFirm binds a ledger to one of the firms that a process serves. A ledger that was used for a firm alone is bound at
// its first use.
func (in *Installation) OfFirm(ctx context.Context, name string) error {
	owner, err := in.Book.BelongTo(ctx, name)
	return in.ownedBy(owner, name, err)
}

// sameFirm refuses a ledger that belongs to another firm than that of the folder, by whose name the commands for one
// firm know it. A ledger that belongs to no firm may be anybody's.
func (in *Installation) sameFirm(ctx context.Context) error {
	owner, err := in.Book.Firm(ctx)
	if owner == "" {
		return err
	}
	if in.Config.Firms != "" {
		return in.ownedBy(owner, NoFirm, err)
	}
	dir, err := filepath.Abs(in.Config.Dir())
	return in.ownedBy(owner, filepath.Base(dir), err)
}

func (in *Installation) ownedBy(owner, name string, err error) error {
	if err != nil || owner == name {
		return err
	}
	if owner == NoFirm {
		return exit.Mistakef("the ledger %s is that of the nodes themselves\nGive the firm its own (ledger: in its configuration)", in.Config.Ledger)
	}
	return exit.As(exit.Usage, fmt.Errorf("the ledger %s belongs to the firm %s\nNothing was done. Give each firm its own ledger (ledger: in its configuration), and no copy of another one's.\n"+
		"If it is the same firm under another name, confirm it with: docketsync --config FILE ledger accept-service", in.Config.Ledger, owner))
}

// AboutService refuses a ledger that belongs, or may belong, to another service than the configured one. It changes
// nothing. A ledger that does not belong to a service yet may be used for any.
func (in *Installation) AboutService(ctx context.Context) error {
	_, _, err := in.sameService(ctx)
	return err
}

// sameService returns the names of Services if the ledger may be bound to the configured service. Earlier releases
// noted only the host of a service, which other ports and base paths share. If such a ledger has sent anything,
// somebody has to say which service it belongs to.
func (in *Installation) sameService(ctx context.Context) (name, known string, err error) {
	name, known, err = in.Services(ctx)
	if err != nil || known == "" || known == name {
		return name, known, err
	}
	if !in.Config.Service.WasCalled(known) {
		return "", "", exit.As(exit.Usage, fmt.Errorf("the ledger %s belongs to the service %s, but the configuration sends to %s\n"+
			"Nothing was sent. Give each service its own ledger (ledger: in the configuration), or name the configuration of that service with --config.\n"+
			"If the same service has a new address, confirm it with: docketsync ledger accept-service", in.Config.Ledger, known, name))
	}
	if sent, err := in.Book.Sent(ctx); err != nil || !sent {
		return name, known, err
	}
	return "", "", exit.As(exit.Usage, fmt.Errorf("the ledger %s was written by an earlier release, which noted only %q of the address of its service\n"+
		"Nothing was sent. If its records were sent to %s, confirm that once with: docketsync ledger accept-service\n"+
		"Otherwise give this service its own ledger (ledger: in the configuration)", in.Config.Ledger, known, name))
}

// Services returns the configured service and the one that the ledger belongs to, "" for none yet.
func (in *Installation) Services(ctx context.Context) (name, known string, err error) {
	if name, err = in.Config.Service.Address(); err != nil {
		return "", "", exit.As(exit.Usage, err)
	}
	known, err = in.Book.Service(ctx)
	return name, known, err
}

func clientOptions(c *config.Config, version string, log *zap.Logger) apiclient.Options {
	s := c.Service
	options := apiclient.Options{
		BaseURL: s.BaseURL, SubscriptionKey: s.SubscriptionKey.Reveal(), AuthCookie: s.AuthCookie.Reveal(),
		CookieHeader: s.CookieHeader, FolderCookie: s.FolderCookie, Timeout: s.Timeout, AnswerLimit: int64(s.AnswerLimit),
		Paths:           s.Paths,
		AnyUpdateAnswer: s.Switches.UpdateAnswer == "any", NotReadBack: s.NotReadBack,
		Retry: apiclient.RetryOptions{
			CreatesAlways: c.Retry.Creates == "always", FirstDelay: c.Retry.FirstDelay, MaxDelay: c.Retry.MaxDelay,
			Total: c.Retry.Total, RetryAfterCap: c.Retry.RetryAfterCap,
		},
		Pace:      pace.Options{Concurrency: c.Pace.Concurrency, Rate: c.Pace.Rate, GiveUp: c.Retry.Total},
		CAFile:    s.CAFile,
		UserAgent: cmp.Or(s.UserAgent, userAgent(version)), Log: log,
	}
	if s.Proxy == "environment" {
		options.Proxy = http.ProxyFromEnvironment
	}
	if s.SignIn != nil {
		options.SignIn = apiclient.SignIn{Command: s.SignIn.Command, Dir: c.Dir(), Path: s.SignIn.Path, User: s.SignIn.User, Password: s.SignIn.Password.Reveal(),
			UserMember: s.SignIn.UserMember, PasswordMember: s.SignIn.PasswordMember}
	}
	return options
}

// userAgent is the product and its version, without what a product's version may not contain (RFC 9110, part 5.6.2): a
// build without a version is "(devel)".
func userAgent(version string) string {
	version = strings.Map(func(r rune) rune {
		if httpguts.IsTokenRune(r) {
			return r
		}
		return -1
	}, version)
	return strings.TrimSuffix("docketsync/"+version, "/")
}

// Spelling says how the service wants payloads spelled.
func Spelling(s config.Service) payload.Switches {
	return payload.Switches{
		Variant:                     payload.Variant(s.CreateCaseVariant),
		ActiveAsText:                s.Switches.Active == "text",
		RegistrationNumberAsInteger: s.Switches.RegistrationNumber == "integer",
		FolderFileNumberAsText:      s.Switches.FolderFileNumber == "text",
		OmitDoNotCreateFile:         s.Switches.DoNotCreateFile == "omit",
		ComponentID:                 payload.ComponentID(s.Switches.ComponentID),
	}
}
