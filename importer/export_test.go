package importer

// FormerFingerprints are the fingerprints of a job as the releases before made them, newest first.
func FormerFingerprints(job Job) ([]string, error) {
	print, err := job.fingerprint()
	return print.former, err
}
