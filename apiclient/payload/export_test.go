package payload

// Register adds an operation to those of the interface document, from an init function of a test.
func Register(about About) {
	abouts, Operations = append(abouts, about), append(Operations, about.Operation)
}
