package installation

import (
	"cmp"
	"net/http"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/config"
)

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

// Spelling is how the service wants payloads spelled.
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
