package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"go.uber.org/zap"
	"golang.org/x/oauth2"
)

// Provider is an OpenID Connect provider that people sign in with, by the code flow with PKCE (RFC 7636).
type Provider struct {
	Issuer, ClientID, ClientSecret string
	// Claim is the claim that decides the role; an email counts only if the provider has verified it.
	Claim              string
	Operators, Viewers []string
	// Firms says that several firms decide what people may do: whoever has any value of the claim is let in.
	Firms bool
	// Jobs are the jobs that people with a value of the claim see, AllJobs for every job; if it is empty, all see all.
	// If it is not, a value that is not among them lets nobody in: whoever adds a team and forgets its jobs has shown
	// it nothing.
	Jobs map[string][]string
	// HTTP is the client for the provider; nil for one with a time limit.
	HTTP *http.Client

	mu    sync.Mutex
	found *oidc.Provider // once the provider has answered
}

const (
	// CallbackPath is where the provider sends people back to.
	CallbackPath = "/sign-in/callback"
	// providerPatience is how long the provider may take to answer, flowPatience how long people may take to sign in
	// there.
	providerPatience = 15 * time.Second
	flowPatience     = 10 * time.Minute
)

// host is the name of the provider on pages.
func (p *Provider) host() string {
	u, err := url.Parse(p.Issuer)
	if err != nil {
		return p.Issuer
	}
	return u.Host
}

func (p *Provider) client(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, cmp.Or(p.HTTP, &http.Client{Timeout: providerPatience}))
}

// discover asks the provider for its endpoints. If it does not answer, the next person who wants to sign in asks again.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched later with this context too, long after the first request has ended.
	found, err := oidc.NewProvider(p.client(context.WithoutCancel(ctx)), p.Issuer)
	p.found = found
	return found, err
}

func (a *Authenticator) exchange(o *Provider, found *oidc.Provider) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	var offered struct {
		Scopes []string `json:"scopes_supported"`
	}
	// Some providers give a claim such as groups only to clients that ask for it; others refuse what they do not know.
	if found.Claims(&offered) == nil && slices.Contains(offered.Scopes, o.Claim) && !slices.Contains(scopes, o.Claim) {
		scopes = append(scopes, o.Claim)
	}
	return &oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: strings.TrimRight(a.URL, "/") + CallbackPath, Scopes: scopes}
}

// The reasons why nobody can be sent to a provider, or come back from one.
var (
	ErrNoProvider = errors.New("no provider of sign-ins is configured")
	ErrTooMany    = errors.New("too many tries")
)

// DeniedError says why somebody who comes back from the provider is not signed in.
type DeniedError struct {
	Who  string // "" if unknown
	Why  string // in the second person
	Hint string
}

func (e *DeniedError) Error() string { return e.Why }

// ToProvider returns the address of the provider to send a browser to. What must come back with it is derived from a
// cookie of this one flow. The error is ErrNoProvider if there is none; any other error means that the provider does
// not answer.
func (a *Authenticator) ToProvider(w http.ResponseWriter, r *http.Request, to string) (address string, err error) {
	o := a.roster.current().provider
	if o == nil {
		return "", ErrNoProvider
	}
	found, err := o.discover(r.Context())
	if err != nil {
		a.Log.Error("the identity provider does not answer", zap.String("issuer", o.Issuer), zap.Error(err))
		return "", err
	}
	flow := rand.Text()
	http.SetCookie(w, a.flowCookie(flow, int(flowPatience.Seconds())))
	return a.exchange(o, found).AuthCodeURL(a.state(flow, to), oidc.Nonce(a.derive(flow, "nonce")), oauth2.S256ChallengeOption(a.derive(flow, "verifier"))), nil
}

func (a *Authenticator) flowCookie(value string, seconds int) *http.Cookie {
	return &http.Cookie{Name: a.cookie("flow"), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: a.Encrypted, SameSite: http.SameSiteLaxMode}
}

// state is what the provider gives back unchanged: where to go afterwards, and the proof that this browser began the
// flow.
func (a *Authenticator) state(flow, to string) string {
	return a.derive(flow, "state "+to) + "." + base64.RawURLEncoding.EncodeToString([]byte(to))
}

// FromProvider finds out who comes back from the provider, how they signed in, and where they wanted to go. The error
// is ErrNoProvider, ErrTooMany, ErrAway, or a *DeniedError.
func (a *Authenticator) FromProvider(w http.ResponseWriter, r *http.Request, from string) (_ Person, how, to string, err error) {
	o := a.roster.current().provider
	if o == nil {
		return Person{}, "", "", ErrNoProvider
	}
	c, missing := r.Cookie(a.cookie("flow"))
	http.SetCookie(w, a.flowCookie("", -1))
	if may, err := a.MayTry(from); err != nil || !may {
		return Person{}, "", "", cmp.Or(err, ErrTooMany)
	}
	query := r.URL.Query()
	_, place, _ := strings.Cut(query.Get("state"), ".")
	given, _ := base64.RawURLEncoding.DecodeString(place)
	if missing != nil || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.state(c.Value, string(given)))) != 1 {
		return Person{}, "", "", &DeniedError{Why: "the sign-in was not started in this browser, or has expired", Hint: "Sign in again."}
	}
	if said := query.Get("error"); said != "" {
		return Person{}, "", "", &DeniedError{Why: "the identity provider reported " + said, Hint: "Sign in again, or ask whoever manages the accounts."}
	}
	person, err := a.identify(r.Context(), o, query.Get("code"), c.Value)
	if err != nil {
		a.Log.Warn("a sign-in with the identity provider failed", zap.String("issuer", o.Issuer), zap.Error(err))
		return Person{}, "", "", &DeniedError{Why: "the answer of the identity provider could not be verified", Hint: "Sign in again. If this happens again, tell whoever runs docketsync."}
	}
	if person.Role == Anybody {
		return Person{}, "", "", &DeniedError{Who: person.Name, Why: "no value of your " + o.Claim + " claim may sign in",
			Hint: "Ask whoever manages the accounts: operators and viewers under console.oidc in the configuration decide who can sign in."}
	}
	if !person.SeesAll() && len(person.Jobs) == 0 {
		return Person{}, "", "", &DeniedError{Who: person.Name, Why: "no value of your " + o.Claim + " claim is given a job",
			Hint: "Ask whoever manages the accounts: console.oidc.jobs in the configuration names the jobs of each value that may sign in, ['" + AllJobs + "'] for all of them."}
	}
	return person, "with " + o.host(), Inside(string(given)), nil
}

// identify finds out who somebody is, from the code that the provider gave. The role is Anybody for people who may not
// sign in.
func (a *Authenticator) identify(ctx context.Context, o *Provider, code, flow string) (Person, error) {
	found, err := o.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx, cancel := context.WithTimeout(o.client(ctx), providerPatience)
	defer cancel()
	token, err := a.exchange(o, found).Exchange(ctx, code, oauth2.VerifierOption(a.derive(flow, "verifier")))
	if err != nil {
		return Person{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return Person{}, fmt.Errorf("the provider gave no id token")
	}
	proof, err := found.VerifierContext(o.client(context.WithoutCancel(ctx)), &oidc.Config{ClientID: o.ClientID, Now: a.Now}).Verify(ctx, raw)
	if err != nil {
		return Person{}, err
	}
	if subtle.ConstantTimeCompare([]byte(proof.Nonce), []byte(a.derive(flow, "nonce"))) != 1 {
		return Person{}, fmt.Errorf("the id token is of another sign-in")
	}
	claims := map[string]any{}
	if err := proof.Claims(&claims); err != nil {
		return Person{}, err
	}
	return a.personOf(o, claims), nil
}

// personOf makes a person from what the provider says.
func (a *Authenticator) personOf(o *Provider, claims map[string]any) Person {
	p := Person{Name: nameOf(claims), mark: o.mark()}
	if _, taken := a.roster.current().users[strings.ToLower(p.Name)]; taken {
		p.Name += " (" + o.host() + ")"
	}
	values := claimValues(claims, o.Claim)
	if o.Firms && len(values) > 0 {
		p.Role, p.Values = SignedIn, values
	} else {
		p.Role, p.Jobs = o.roleOf(values)
	}
	return p
}

// roleOf returns the role that values of the claim give, and the jobs that come with it.
func (p *Provider) roleOf(values []string) (Role, []string) {
	switch {
	case p.names(p.Operators, values):
		return Operator, p.jobsOf(p.Operators, values)
	case p.names(p.Viewers, values):
		return Viewer, p.jobsOf(p.Viewers, values)
	}
	return Anybody, nil
}

// AllJobs in a list of jobs stands for every job, as in the configuration. No job can have this name.
const AllJobs = "*"

// jobsOf returns the jobs that somebody sees by the values that give a role: those of each value, nil for all, empty
// for people who may not sign in.
func (p *Provider) jobsOf(list, values []string) []string {
	if len(p.Jobs) == 0 {
		return nil
	}
	jobs := []string{}
	for value, of := range p.Jobs {
		if !p.names([]string{value}, values) || !p.names([]string{value}, list) {
			continue
		}
		if slices.Contains(of, AllJobs) {
			return nil
		}
		jobs = append(jobs, of...)
	}
	return jobs
}

// nameOf returns the name of somebody in the audit. An address counts only if the provider has verified it.
func nameOf(claims map[string]any) string {
	for _, claim := range []string{"preferred_username", "email", "name", "sub"} {
		name, _ := claims[claim].(string)
		if strings.TrimSpace(name) != "" && (claim != "email" || verified(claims)) {
			return strings.TrimSpace(name)
		}
	}
	return "somebody without a name"
}

// claimValues returns the texts of a claim, which may be one or a list.
func claimValues(claims map[string]any, claim string) (values []string) {
	if claim == "email" && !verified(claims) {
		return nil
	}
	switch value := claims[claim].(type) {
	case string:
		values = []string{value}
	case []any:
		for _, one := range value {
			if text, ok := one.(string); ok {
				values = append(values, text)
			}
		}
	}
	return values
}

// verified reports whether the provider has verified that the address is the person's; some providers write the word
// "true".
func verified(claims map[string]any) bool {
	return claims["email_verified"] == true || claims["email_verified"] == "true"
}

// names reports whether one of the values is in a list. Addresses are compared without regard to case, other values
// exactly.
func (p *Provider) names(list, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return v != "" && slices.ContainsFunc(list, func(one string) bool { return v == one || p.Claim == "email" && strings.EqualFold(v, one) })
	})
}
