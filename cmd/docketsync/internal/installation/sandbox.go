package installation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"docketsync/apiclient/sandbox"
	"docketsync/config"
	"docketsync/samples"
)

// startSandbox serves the sandbox on a loopback port and returns its base URL. The payloads go over HTTP like any
// others.
func (in *Installation) startSandbox(ctx context.Context) (string, error) {
	options, err := SandboxOptions(in.Config)
	if err != nil {
		return "", err
	}
	options.Log = in.Log
	options.AnyRecord = in.Config.Sandbox.Directory == "" // what a firm has cannot be known here
	box, err := sandbox.Open(options)
	if err != nil {
		return "", fmt.Errorf("start the sandbox: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Join(fmt.Errorf("start the sandbox: %w", err), box.Close())
	}
	// The sandbox outlives the interrupt, so that requests in flight are answered; close ends it.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- box.Serve(serving, listener) }()
	in.closers = append(in.closers, func() error {
		stop()
		return errors.Join(<-ended, box.Close())
	})
	return "http://" + listener.Addr().String(), nil
}

// SandboxOptions returns the configured options of a sandbox.
func SandboxOptions(c *config.Config) (sandbox.Options, error) {
	directory, err := readDirectory(c.Sandbox.Directory)
	if err != nil {
		return sandbox.Options{}, err
	}
	s := c.Service
	signIn := config.SignIn{}
	if s.SignIn != nil {
		signIn = *s.SignIn
	}
	paths := map[sandbox.Operation]string{}
	for op, path := range s.Paths {
		paths[sandbox.Operation(op)] = path
	}
	return sandbox.Options{
		UserMember: signIn.UserMember, PasswordMember: signIn.PasswordMember,
		Data: c.Sandbox.Data, Directory: directory, CookieHeader: s.CookieHeader,
		SubscriptionKey: s.SubscriptionKey.Reveal(), AuthCookie: s.AuthCookie.Reveal(),
		Paths: paths,
		Switches: sandbox.Switches{
			Variant:                     sandbox.Variant(s.CreateCaseVariant),
			ActiveAsText:                s.Switches.Active == "text",
			RegistrationNumberAsInteger: s.Switches.RegistrationNumber == "integer",
			FolderFileNumberAsText:      s.Switches.FolderFileNumber == "text",
			ComponentID:                 s.Switches.ComponentID != "omit",
		},
	}, nil
}

// readDirectory reads what the sandbox knows before the first request. Without a file, it knows the sample firm's
// records and accepts any other id.
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
