package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"docketsync/importer/ledger"
)

// Provider is a provider of OpenID Connect that people sign in with: by the code flow, with PKCE (RFC 7636).
type Provider struct {
	Issuer, ClientID, ClientSecret string
	// Claim is what of a person decides about the role; of email only what the provider has verified counts.
	Claim              string
	Operators, Viewers []string
	// HTTP asks the provider; nil for a client that gives up after a while.
	HTTP *http.Client

	mu    sync.Mutex
	found *oidc.Provider // once the provider has answered
}

const (
	callbackPath = "/sign-in/callback"
	// providerPatience is how long the provider may take for an answer, flowPatience people to sign in there.
	providerPatience = 15 * time.Second
	flowPatience     = 10 * time.Minute
)

// Host is what pages call the provider.
func (p *Provider) Host() string {
	u, err := url.Parse(p.Issuer)
	if err != nil {
		return p.Issuer
	}
	return u.Host
}

func (p *Provider) client(ctx context.Context) context.Context {
	c := p.HTTP
	if c == nil {
		c = &http.Client{Timeout: providerPatience}
	}
	return oidc.ClientContext(ctx, c)
}

// discover asks the provider where its parts are. One that does not answer is asked again by the next who wants to sign in.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched later by this context too, when the request that came first has long ended.
	found, err := oidc.NewProvider(p.client(context.WithoutCancel(ctx)), p.Issuer)
	p.found = found
	return found, err
}

func (s *Server) exchange(o *Provider, found *oidc.Provider) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	var offered struct {
		Scopes []string `json:"scopes_supported"`
	}
	// Some providers give a claim such as groups to those alone who ask for it, others refuse what they do not know.
	if found.Claims(&offered) == nil && slices.Contains(offered.Scopes, o.Claim) && !slices.Contains(scopes, o.Claim) {
		scopes = append(scopes, o.Claim)
	}
	return &oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: strings.TrimRight(s.URL, "/") + callbackPath, Scopes: scopes}
}

// toProvider sends a browser to the provider. What has to come back with it is derived from a cookie of this one flow.
func (s *Server) toProvider(v *visit) error {
	o := s.roster.current().provider
	if o == nil {
		return s.nowhere(v)
	}
	found, err := o.discover(v.ctx())
	if err != nil {
		v.s.Log.Sugar().Errorw("the provider of sign-ins does not answer", "issuer", o.Issuer, "error", err)
		return refuse(http.StatusBadGateway, "The provider of sign-ins does not answer.", "Try again in a minute. If it stays so, tell whoever keeps docketsync running.")
	}
	flow := rand.Text()
	http.SetCookie(v.w, s.flowCookie(flow, int(flowPatience.Seconds())))
	to := inside(v.r.URL.Query().Get("to"))
	address := s.exchange(o, found).AuthCodeURL(s.state(flow, to), oidc.Nonce(s.derive(flow, "nonce")), oauth2.S256ChallengeOption(s.derive(flow, "verifier")))
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
	return nil
}

func (s *Server) flowCookie(value string, seconds int) *http.Cookie {
	return &http.Cookie{Name: s.cookie("flow"), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: s.Encrypted, SameSite: http.SameSiteLaxMode}
}

// state is what the provider gives back as it got it: where to go then, and the proof that this browser began.
func (s *Server) state(flow, to string) string {
	return s.derive(flow, "state "+to) + "." + base64.RawURLEncoding.EncodeToString([]byte(to))
}

// fromProvider takes a browser that comes back.
func (s *Server) fromProvider(v *visit) error {
	o := s.roster.current().provider
	if o == nil {
		return s.nowhere(v)
	}
	query := v.r.URL.Query()
	c, err := v.r.Cookie(s.cookie("flow"))
	http.SetCookie(v.w, s.flowCookie("", -1))
	if !s.gate.knock(s.origin(v.r)) {
		v.w.Header().Set("Retry-After", "60")
		return refuse(http.StatusTooManyRequests, "There were too many tries.", "Wait a minute, then sign in again.")
	}
	_, place, _ := strings.Cut(query.Get("state"), ".")
	to, _ := base64.RawURLEncoding.DecodeString(place)
	if err != nil || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(s.state(c.Value, string(to)))) != 1 {
		return s.turnAway(v, "", "the sign-in did not begin in this browser, or too long ago", "Sign in again.")
	}
	if said := query.Get("error"); said != "" {
		return s.turnAway(v, "", "the provider said "+said, "Sign in again, or ask whoever keeps the accounts.")
	}
	person, err := s.identify(v.ctx(), o, query.Get("code"), c.Value)
	if err != nil {
		v.s.Log.Sugar().Warnw("a sign-in by the provider failed", "issuer", o.Issuer, "error", err)
		return s.turnAway(v, "", "what the provider said about you could not be relied on", "Sign in again. If it stays so, tell whoever keeps docketsync running.")
	}
	if person.Role == Anybody {
		return s.turnAway(v, person.Name, "none of your "+o.Claim+" lets you in", "Ask whoever keeps the accounts: operators and viewers under console.oidc in the configuration say who comes in.")
	}
	return s.admit(v, person, "with "+o.Host(), inside(string(to)))
}

func (s *Server) turnAway(v *visit, who, why, hint string) error {
	s.record(v.ctx(), ledger.Deed{Who: who, Origin: s.origin(v.r), Action: "sign_in", Result: refused, Note: why})
	return refuse(http.StatusForbidden, "You could not be signed in: "+why+".", hint)
}

// identify finds out who somebody is, from the code that the provider gave. The role is Anybody for who may not come in.
func (s *Server) identify(ctx context.Context, o *Provider, code, flow string) (Person, error) {
	found, err := o.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx, cancel := context.WithTimeout(o.client(ctx), providerPatience)
	defer cancel()
	token, err := s.exchange(o, found).Exchange(ctx, code, oauth2.VerifierOption(s.derive(flow, "verifier")))
	if err != nil {
		return Person{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return Person{}, fmt.Errorf("the provider gave no id token")
	}
	proof, err := found.VerifierContext(o.client(context.WithoutCancel(ctx)), &oidc.Config{ClientID: o.ClientID, Now: s.now}).Verify(ctx, raw)
	if err != nil {
		return Person{}, err
	}
	if subtle.ConstantTimeCompare([]byte(proof.Nonce), []byte(s.derive(flow, "nonce"))) != 1 {
		return Person{}, fmt.Errorf("the id token is of another sign-in")
	}
	claims := map[string]any{}
	if err := proof.Claims(&claims); err != nil {
		return Person{}, err
	}
	return s.personOf(o, claims), nil
}

// personOf makes a person of what the provider says.
func (s *Server) personOf(o *Provider, claims map[string]any) Person {
	p := Person{Name: nameOf(claims), mark: o.mark()}
	if _, taken := s.roster.current().users[strings.ToLower(p.Name)]; taken {
		p.Name += " (" + o.Host() + ")"
	}
	switch values := claimValues(claims, o.Claim); {
	case o.names(o.Operators, values):
		p.Role = Operator
	case o.names(o.Viewers, values):
		p.Role = Viewer
	}
	return p
}

// nameOf is what somebody is called in the audit. An address counts when the provider has verified it.
func nameOf(claims map[string]any) string {
	for _, claim := range []string{"preferred_username", "email", "name", "sub"} {
		name, _ := claims[claim].(string)
		if strings.TrimSpace(name) != "" && (claim != "email" || verified(claims)) {
			return strings.TrimSpace(name)
		}
	}
	return "somebody without a name"
}

// claimValues are the texts of a claim, which may be one or a list.
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

// verified tells whether the provider has made sure that the address is the person's; some write the word for the truth.
func verified(claims map[string]any) bool {
	return claims["email_verified"] == true || claims["email_verified"] == "true"
}

// names tells whether one of the values is in a list. Addresses are the same in any case, other values are not.
func (p *Provider) names(list, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return v != "" && slices.ContainsFunc(list, func(one string) bool { return v == one || p.Claim == "email" && strings.EqualFold(v, one) })
	})
}
