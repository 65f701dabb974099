package importer

// FormerFingerprint is the fingerprint of a job as the release before made it.
func FormerFingerprint(job Job) (string, error) {
	print, err := job.fingerprint()
	return print.former, err
}
