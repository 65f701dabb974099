package sandbox

import (
	"cmp"
	"time"

	"go.uber.org/zap"
)

// Options say where a sandbox keeps its data, what it knows, whom it lets in and how it behaves. The zero value is a
// sandbox in memory that knows no record, accepts any key and cookie, and never misbehaves.
type Options struct {
	// Data is the path of the SQLite file, which is created if missing; empty means memory.
	Data string

	// Directory holds the records that the firm has before the first request.
	Directory Directory
	// AnyReference accepts every GUID as a reference to a record of the directory, and every trademark id. Case ids
	// must still be known: create case returns them.
	AnyReference bool

	// AnyRecord implies AnyReference; in addition, an update of an unknown case creates it. It is for payloads of a
	// firm whose records the sandbox never saw.
	AnyRecord bool

	// SubscriptionKey is the only key accepted; empty accepts any key, but not a missing one.
	SubscriptionKey string
	// AuthCookie is a cookie value accepted besides those that the login issues, for the first user of the directory;
	// empty accepts any cookie, but not a missing one.
	AuthCookie string
	// CookieHeader is the name of the cookie and of the header that carries it; the default is ".Service.AuthCookie".
	CookieHeader string
	// UserMember and PasswordMember are the members that the login reads; the defaults are user_name and password.
	UserMember, PasswordMember string

	// Paths are the paths of operations that differ from the default. "{id}" in the path of an update stands for the id
	// of the record.
	Paths    map[Operation]string
	Switches Switches
	Answers  Answers

	// Faults says how the sandbox misbehaves at first; see SetFaults.
	Faults Faults
	// Now is the clock of the records and the rate limit; the default is time.Now.
	Now func() time.Time
	// Log gets a line per start and per fault; the default is none.
	Log *zap.Logger
}

// Variant is one of the two field lists of create case (interface.md part 4.1).
type Variant string

// The variants. The zero value accepts a body that satisfies either.
const (
	VariantA Variant = "A"
	VariantB Variant = "B"
)

// Switches decide the contradictions of interface.md. The zero value follows the field lists.
type Switches struct {
	Variant                     Variant // field list of create case
	ActiveAsText                bool    // update case: "true" or "false" as in the schema, instead of a boolean
	RegistrationNumberAsInteger bool    // update trademark: an integer as in the schema, instead of a string
	ComponentID                 bool    // update case: a component has the member id, a GUID or null, as in the schema
	FolderFileNumberAsText      bool    // create folder: text, for which no schema is shown, instead of a number
}

// Body says what an answer contains if interface.md does not show its body.
type Body string

const (
	BodyRecord Body = "record" // the whole record
	BodyID     Body = "id"     // {"id": …}, for update case with updated_at and updated_by
	BodyEmpty  Body = "empty"  // nothing
	BodyText   Body = "text"   // "OK", for update case
)

// Answers decide what interface.md does not show about answers.
type Answers struct {
	Folder     Body // for create folder's 201; default BodyRecord
	UpdateCase Body // for update case's 200; default BodyID
}

func (o Options) withDefaults() Options {
	o.CookieHeader = cmp.Or(o.CookieHeader, ".Service.AuthCookie")
	o.UserMember = cmp.Or(o.UserMember, "user_name")
	o.PasswordMember = cmp.Or(o.PasswordMember, "password")
	o.AnyReference = o.AnyReference || o.AnyRecord
	o.Answers.Folder = cmp.Or(o.Answers.Folder, BodyRecord)
	o.Answers.UpdateCase = cmp.Or(o.Answers.UpdateCase, BodyID)
	o.Log = cmp.Or(o.Log, zap.NewNop())
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
