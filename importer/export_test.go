package importer

// FormerFingerprints returns the fingerprints that earlier releases made of a job, newest first.
func FormerFingerprints(job Job) ([]string, error) {
	print, err := job.fingerprint()
	return print.former, err
}
