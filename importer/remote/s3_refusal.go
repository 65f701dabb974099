package remote

import (
	"crypto/tls"
	"errors"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// s3Refusal makes of an error of the service the one that says why trying again cannot help.
func s3Refusal(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch {
	case answer.Code == "NoSuchBucket":
		return &Error{What: "there is no such bucket", Err: err, Hint: "Check bucket: and endpoint: of the remote in the configuration."}
	case answer.Code == "NoSuchKey" || answer.Code == "NotFound":
		return &Error{What: "there is no such file", Err: err, Hint: "Check the path, and that whoever writes the file has done so."}
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return &Error{What: "the service denied permission", Err: err, Hint: "Check the access key and the secret key, and what they permit."}
	case answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusRequestTimeout &&
		answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusPreconditionFailed:
		return &Error{What: "the service rejected the request", Err: err, Hint: "Check the access key, the bucket, the region and the path in the configuration."}
	case certificate(err):
		return &Error{What: "the service's certificate is not trusted", Err: err, Hint: "Its certificate must be signed by an authority that this machine trusts, for this name."}
	}
	return err
}

// certificate tells whether an error is about the certificate of the other side.
func certificate(err error) bool {
	var verification *tls.CertificateVerificationError
	return errors.As(err, &verification)
}
