package sandbox

import (
	"cmp"
	"time"

	"go.uber.org/zap"
)

// Options say where a sandbox keeps its data, what it knows, whom it lets in and how it behaves. The zero value is a
// sandbox in memory that knows no record, lets in any key and cookie, and never misbehaves.
type Options struct {
	// Data is the path of the SQLite file, which is made when missing; empty means memory.
	Data string

	// Directory holds the records that the firm has before the first request.
	Directory Directory
	// AnyReference accepts every GUID where a reference to a record of the directory stands, and every trademark id.
	// Case ids must still be known: create case gives them.
	AnyReference bool

	// AnyRecord is AnyReference, and an update of a case that is not known makes it: for payloads of a firm whose records the sandbox
	// never saw.
	AnyRecord bool

	// SubscriptionKey is the only key let in; empty lets any key in, but not a missing one.
	SubscriptionKey string
	// AuthCookie is a cookie value let in besides those the login hands out, as the first user of the directory; empty lets any in,
	// but not a missing one.
	AuthCookie string
	// CookieHeader is the name of the cookie and of the header that carries it, by default ".Service.AuthCookie".
	CookieHeader string
	// UserMember and PasswordMember are what the login reads, by default user_name and password.
	UserMember, PasswordMember string

	// Paths are where the operations listen, where that is not at their default. "{id}" may stand in the path of an update for the id
	// of the record.
	Paths    map[Operation]string
	Switches Switches
	Answers  Answers

	// Faults is how the sandbox misbehaves at first; see SetFaults.
	Faults Faults
	// Now is the clock of the records and the rate limit, by default time.Now.
	Now func() time.Time
	// Log gets a line per start and per fault, by default none.
	Log *zap.Logger
}

// Variant is one of the two field lists of create case (interface.md part 4.1).
type Variant string

// The variants. The zero value takes a body that satisfies either.
const (
	VariantA Variant = "A"
	VariantB Variant = "B"
)

// Switches settle the contradictions of interface.md. The zero value follows the field lists.
type Switches struct {
	Variant                     Variant // field list of create case
	ActiveAsText                bool    // update case: "true" or "false" as the schema has it, not a boolean
	RegistrationNumberAsInteger bool    // update trademark: an integer as the schema has it, not a string
	ComponentID                 bool    // update case: a component has the member id, a GUID or null, as the schema has it
	FolderFileNumberAsText      bool    // create folder: text, for which no schema is shown, not a number
}

// Body says what an answer carries whose body interface.md does not show.
type Body string

// The bodies.
const (
	BodyRecord Body = "record" // the whole record
	BodyID     Body = "id"     // {"id": …}, for update case with updated_at and updated_by
	BodyEmpty  Body = "empty"  // nothing
	BodyText   Body = "text"   // "OK", for update case
)

// Answers settle what interface.md does not show about answers.
type Answers struct {
	Folder     Body // of create folder's 201, by default BodyRecord
	UpdateCase Body // of update case's 200, by default BodyID
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
