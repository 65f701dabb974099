package signin

// Role is what somebody may do.
type Role string

// The roles. Anybody is the role for what needs no sign-in.
const (
	Anybody  Role = ""
	Viewer   Role = "viewer"   // sees everything, changes nothing
	Operator Role = "operator" // runs jobs, lifts guards, settles doubts, writes mappings
)

// SignedIn is the role of whoever is signed in at the door of several firms; each firm says what that person may do in
// it.
const SignedIn Role = "signed in"

// The roles needed for what concerns the whole installation. Nobody has them who sees only some of its jobs.
const (
	ViewerOfAll   Role = "viewer of all jobs"
	OperatorOfAll Role = "operator of all jobs"
)

// Acts reports whether the role is that of an operator.
func (r Role) Acts() bool { return r == Operator || r == OperatorOfAll }

// May reports whether somebody of this role may do what needs the other.
func (r Role) May(needed Role) bool {
	rank := map[Role]int{Viewer: 1, ViewerOfAll: 1, Operator: 2, OperatorOfAll: 2}
	return rank[r] >= rank[needed]
}

// Person is who is signed in.
type Person struct {
	Name string
	Role Role
	// Jobs are those that the person sees, nil for all.
	Jobs []string
	// Values are what the provider said of the person; each of several firms decides by them. nil for people who signed
	// in with a password.
	Values []string
	// Local says that nobody had to sign in: only this machine can reach the console.
	Local bool
	mark  string // of the account, see roster
}

// User is somebody who signs in with a password.
type User struct {
	Name string
	Role Role
	Jobs []string // that the user sees, none for all
	Hash string   // argon2id in PHC form
}

// May reports whether somebody may do what needs a role.
func (p Person) May(needed Role) bool {
	return p.Role.May(needed) && (p.SeesAll() || needed != ViewerOfAll && needed != OperatorOfAll)
}

// SeesAll reports whether somebody sees all jobs.
func (p Person) SeesAll() bool { return p.Jobs == nil }

// Operates reports whether somebody may do what needs the role operator.
func (p Person) Operates() bool { return p.Role.May(Operator) }
