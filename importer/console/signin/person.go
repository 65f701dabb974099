package signin

// Role is what somebody may do.
type Role string

// The roles. Anybody is the role of what needs no sign-in.
const (
	Anybody  Role = ""
	Viewer   Role = "viewer"   // sees everything, changes nothing
	Operator Role = "operator" // runs jobs, lifts guards, settles doubts, writes mappings
)

// May tells whether somebody of this role may do what needs the other.
func (r Role) May(needed Role) bool {
	rank := map[Role]int{Viewer: 1, Operator: 2}
	return rank[r] >= rank[needed]
}

// Person is who is signed in.
type Person struct {
	Name string
	Role Role
	// Local says that nobody had to sign in: the console answers this machine alone.
	Local bool
	mark  string // of the account, see roster
}

// User is somebody who signs in with a password.
type User struct {
	Name string
	Role Role
	Hash string // argon2id in PHC form
}

// Operates tells whether somebody may do what the role operator is needed for.
func (p Person) Operates() bool { return p.Role.May(Operator) }
