package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/samples"
)

// connect makes ready to send. Jobs whose operation cannot be sent with this configuration are refused here, before
// anything is read.
func (in *installation) connect(ctx context.Context, jobs []importer.Job) error {
	if err := in.allowed(jobs); err != nil {
		return err
	}
	if err := errors.Join(in.sameService(ctx), in.notRestored(ctx), in.noLaggingStandby(ctx)); err != nil {
		return err
	}
	return in.dial(ctx)
}

// allowed tells why jobs cannot be sent with this configuration, whatever the service and the ledger say.
func (in *installation) allowed(jobs []importer.Job) error {
	if err := in.config.Credentials(); err != nil {
		return exitStatus{exitUsage, err}
	}
	if in.watch != nil {
		if err := in.config.NotifyCredentials(); err != nil {
			return exitStatus{exitUsage, err}
		}
	}
	service := in.config.Service
	for _, job := range jobs {
		operation := string(job.Mapping.Operation())
		_, path := service.Path(operation)
		if err := errors.Join(path, service.Identity(operation)); err != nil {
			return exitStatus{exitUsage, fmt.Errorf("job %s: %w", job.Name, err)}
		}
	}
	return nil
}

// dial makes the client, and starts the sandbox in this process where the configuration asks for it. It sends nothing. A
// second call does nothing.
func (in *installation) dial(ctx context.Context) error {
	if in.client != nil {
		return nil
	}
	service, options := in.config.Service, clientOptions(in.config, in.log)
	if service.UsesSandbox() {
		base, err := in.startSandbox(ctx)
		if err != nil {
			return err
		}
		options.BaseURL = base
		options.SubscriptionKey = orElse(options.SubscriptionKey, "sandbox")
		if service.SignIn == nil {
			options.AuthCookie = orElse(options.AuthCookie, "sandbox")
		}
	}
	client, err := apiclient.New(options)
	if err != nil {
		return exitStatus{exitUsage, err}
	}
	in.client = client
	if in.watch != nil {
		in.watch.metrics.Client(client.Stats)
	}
	in.closers = append(in.closers, func() error { client.Close(); return nil })
	return nil
}

// sameService keeps a ledger to one service: what it knows of one would be wrong of another, and nothing would be sent
// there. A ledger that a release before this one called by the host alone is called by the whole address from now on.
func (in *installation) sameService(ctx context.Context) error {
	name, known, err := in.services(ctx)
	switch {
	case err != nil:
		return err
	case known == "", known != name && in.config.Service.WasCalled(known):
		return in.book.SetService(ctx, name)
	case known != name:
		return exitStatus{exitUsage, fmt.Errorf("the ledger %s remembers what was sent to %s, and the configuration sends to %s\n"+
			"Give each service a ledger of its own (ledger: in the configuration); nothing was sent.\n"+
			"If it is the same service at a new address, say so with: docketsync ledger accept-service", in.config.Ledger, known, name)}
	}
	return nil
}

// aboutService refuses a ledger that remembers another service than the configuration's, and changes nothing. One that knows of
// none yet may be about any.
func (in *installation) aboutService(ctx context.Context) error {
	name, known, err := in.services(ctx)
	if err != nil || known == "" || known == name || in.config.Service.WasCalled(known) {
		return err
	}
	return exitStatus{exitUsage, fmt.Errorf("the ledger %s remembers what was sent to %s, and the configuration is about %s\n"+
		"Name the configuration of that service with --config", in.config.Ledger, known, name)}
}

// services are the service of the configuration and the one that the ledger is about, "" for none yet.
func (in *installation) services(ctx context.Context) (name, known string, err error) {
	if name, err = in.config.Service.Address(); err != nil {
		return "", "", exitStatus{exitUsage, err}
	}
	known, err = in.book.Service(ctx)
	return name, known, err
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func clientOptions(c *config.Config, log *zap.Logger) apiclient.Options {
	s := c.Service
	options := apiclient.Options{
		BaseURL: s.BaseURL, SubscriptionKey: s.SubscriptionKey.Reveal(), AuthCookie: s.AuthCookie.Reveal(),
		CookieHeader: s.CookieHeader, FolderCookie: s.FolderCookie, Timeout: s.Timeout, AnswerLimit: int64(s.AnswerLimit),
		Paths: map[payload.Operation]string{
			payload.CreateCase: s.Paths.CreateCase, payload.CreateFolder: s.Paths.CreateFolder,
			payload.UpdateCase: s.Paths.UpdateCase, payload.UpdateTrademark: s.Paths.UpdateTrademark,
		},
		AnyUpdateAnswer: s.Switches.UpdateAnswer == "any", NotReadBack: s.NotReadBack,
		Retry: apiclient.RetryOptions{
			CreatesAlways: c.Retry.Creates == "always", FirstDelay: c.Retry.FirstDelay, MaxDelay: c.Retry.MaxDelay,
			Total: c.Retry.Total, RetryAfterCap: c.Retry.RetryAfterCap,
		},
		Pace:      apiclient.PaceOptions{Concurrency: c.Pace.Concurrency, Rate: c.Pace.Rate, GiveUp: c.Retry.Total},
		CAFile:    s.CAFile,
		UserAgent: orElse(s.UserAgent, userAgent(readVersion().Version)), Log: log,
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

// userAgent is the product and its version, of which nothing stays that a product's name may not have (RFC 9110, part 5.6.2):
// a build without a version is "(devel)".
func userAgent(version string) string {
	version = strings.Map(func(r rune) rune {
		if httpguts.IsTokenRune(r) {
			return r
		}
		return -1
	}, version)
	return strings.TrimSuffix("docketsync/"+version, "/")
}

// spelling is how the service wants payloads spelled.
func spelling(s config.Service) payload.Switches {
	return payload.Switches{
		Variant:                     payload.Variant(s.CreateCaseVariant),
		ActiveAsText:                s.Switches.Active == "text",
		RegistrationNumberAsInteger: s.Switches.RegistrationNumber == "integer",
		FolderFileNumberAsText:      s.Switches.FolderFileNumber == "text",
		OmitDoNotCreateFile:         s.Switches.DoNotCreateFile == "omit",
		ComponentID:                 payload.ComponentID(s.Switches.ComponentID),
	}
}

// startSandbox serves the sandbox on a loopback port and returns its base URL. The payloads go over HTTP like any
// others.
func (in *installation) startSandbox(ctx context.Context) (string, error) {
	options, err := sandboxOptions(in.config)
	if err != nil {
		return "", err
	}
	options.Log = in.log
	box, err := sandbox.Open(options)
	if err != nil {
		return "", fmt.Errorf("start the sandbox: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Join(fmt.Errorf("start the sandbox: %w", err), box.Close())
	}
	// It outlives the interrupt, so that requests in flight are answered; close ends it.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- box.Serve(serving, listener) }()
	in.closers = append(in.closers, func() error {
		stop()
		return errors.Join(<-ended, box.Close())
	})
	return "http://" + listener.Addr().String(), nil
}

func sandboxOptions(c *config.Config) (sandbox.Options, error) {
	directory, err := readDirectory(c.Sandbox.Directory)
	if err != nil {
		return sandbox.Options{}, err
	}
	s := c.Service
	signIn := config.SignIn{}
	if s.SignIn != nil {
		signIn = *s.SignIn
	}
	return sandbox.Options{
		UserMember: signIn.UserMember, PasswordMember: signIn.PasswordMember,
		Data: c.Sandbox.Data, Directory: directory, AnyRecord: c.Rehearses() && c.Sandbox.Directory == "", CookieHeader: s.CookieHeader,
		SubscriptionKey: s.SubscriptionKey.Reveal(), AuthCookie: s.AuthCookie.Reveal(),
		Paths: sandbox.Paths{
			CreateCase: s.Paths.CreateCase, CreateFolder: s.Paths.CreateFolder,
			UpdateCase: s.Paths.UpdateCase, UpdateTrademark: s.Paths.UpdateTrademark,
		},
		Switches: sandbox.Switches{
			Variant:            sandbox.Variant(s.CreateCaseVariant),
			Active:             form(s.Switches.Active == "text"),
			RegistrationNumber: form(s.Switches.RegistrationNumber == "integer"),
			FolderFileNumber:   form(s.Switches.FolderFileNumber == "text"),
			ComponentID:        form(s.Switches.ComponentID != "omit"),
		},
	}, nil
}

func form(schema bool) sandbox.Form {
	if schema {
		return sandbox.BySchema
	}
	return sandbox.ByFieldList
}

// readDirectory reads what the sandbox knows before the first request; without a file, it is the sample firm.
func readDirectory(path string) (sandbox.Directory, error) {
	text, err := fs.ReadFile(samples.Files, "sandbox.json")
	if path != "" {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return sandbox.Directory{}, fmt.Errorf("read the sandbox's directory: %w", err)
	}
	directory, err := sandbox.ReadDirectory(bytes.NewReader(text))
	if err != nil {
		return directory, fmt.Errorf("read the sandbox's directory %s: %w", path, err)
	}
	return directory, nil
}
