package signin

// Role is what somebody may do.
type Role string

// The roles. Anybody is the role of what needs no sign-in.
const (
	Anybody  Role = ""
	Viewer   Role = "viewer"   // sees everything, changes nothing
	Operator Role = "operator" // runs jobs, lifts guards, settles doubts, writes mappings
)

// SignedIn is the role of whoever is signed in at a door of several firms, each of which says what that person may do in it.
const SignedIn Role = "signed in"

// The roles that are needed for what concerns the installation as a whole. Nobody has them who sees only some of its jobs.
const (
	ViewerOfAll   Role = "viewer of all jobs"
	OperatorOfAll Role = "operator of all jobs"
)

// Acts tells whether something is for operators.
func (r Role) Acts() bool { return r == Operator || r == OperatorOfAll }

// May tells whether somebody of this role may do what needs the other.
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
	// Values are what the provider said of the person, by which each of several firms decides; nil for who signed in with a password.
	Values []string
	// Local says that nobody had to sign in: the console answers this machine alone.
	Local bool
	mark  string // of the account, see roster
}

// User is somebody who signs in with a password.
type User struct {
	Name string
	Role Role
	Jobs []string // that the person sees, none for all
	Hash string   // argon2id in PHC form
}

// May tells whether somebody may do what needs a role.
func (p Person) May(needed Role) bool {
	return p.Role.May(needed) && (p.SeesAll() || needed != ViewerOfAll && needed != OperatorOfAll)
}

// SeesAll tells whether somebody sees all jobs.
func (p Person) SeesAll() bool { return p.Jobs == nil }

// Operates tells whether somebody may do what the role operator is needed for.
func (p Person) Operates() bool { return p.Role.May(Operator) }
