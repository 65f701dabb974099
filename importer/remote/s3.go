package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3 is a bucket of an S3-compatible service.
type S3 struct {
	// Endpoint is https://host, or http://host for a loopback address.
	Endpoint  string
	Region    string
	Bucket    string
	AccessKey string
	SecretKey string
	// Proxy returns the proxy for a request, nil for none.
	Proxy func(*http.Request) (*url.URL, error)
	// Stall is how long a connection may be silent before it counts as broken; default 2 minutes.
	Stall time.Duration
}

func (s S3) connect(context.Context) (store, error) {
	u, err := url.Parse(s.Endpoint)
	if err != nil || u.Host == "" {
		return nil, &Error{What: "the endpoint is not a valid address", Hint: "Write it as https://s3.example"}
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lively{raw, cmp.Or(s.Stall, stall)}, nil
	}
	transport := &http.Transport{
		Proxy: s.Proxy, DialContext: dial, TLSHandshakeTimeout: 30 * time.Second, DisableCompression: true, ForceAttemptHTTP2: true,
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(s.AccessKey, s.SecretKey, ""), Secure: u.Scheme != "http", Region: s.Region,
		Transport: listings{transport}, MaxRetries: 1, // the courier tries again
	})
	if err != nil {
		return nil, &Error{What: "the bucket cannot be used as configured", Err: err}
	}
	return &s3Store{client: client, bucket: s.Bucket, transport: transport}, nil
}

// listings refuses what is no listing, or a part of one. The library would read any other XML, such as an <Error> or a
// web page, as a listing that ends there.
type listings struct{ http.RoundTripper }

func (l listings) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err != nil || !r.URL.Query().Has("list-type") {
		return answer, err
	}
	if strings.Contains(answer.Header.Get("Content-Type"), "html") {
		_ = answer.Body.Close()
		return nil, &Error{passes: answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests,
			What: "the service answered with a web page instead of a listing (" + answer.Status + ")",
			Hint: "Check endpoint: of the remote in the configuration, and whether a proxy is between this machine and the service."}
	}
	if answer.StatusCode != http.StatusOK {
		return answer, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, listingLimit))
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	var listing struct {
		XMLName     xml.Name
		IsTruncated *bool
		Code        string
	}
	if err := xml.Unmarshal(text, &listing); err != nil || listing.XMLName.Local != "ListBucketResult" || listing.IsTruncated == nil {
		what := fmt.Sprintf("the service did not answer with a complete listing (%s, %s)", answer.Status, shown(answer.Header.Get("Content-Type")))
		if listing.Code != "" {
			what += ", but with the error " + shown(listing.Code)
		}
		return nil, &Error{What: what, Hint: askOperator, passes: true}
	}
	return answer, nil
}

// listingLimit is more than the largest page of a listing: 1000 files, whose names have 1024 bytes, which are escaped.
const listingLimit = 16 << 20

// s3Store is a bucket. Its keys are paths without the leading slash.
type s3Store struct {
	client    *minio.Client
	bucket    string
	transport *http.Transport
}

func key(path string) string { return strings.TrimPrefix(path, "/") }

func (s *s3Store) list(ctx context.Context, dir, prefix string) ([]entry, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var files []entry
	for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: key(dir) + prefix}) {
		if object.Err != nil {
			return nil, s3Refusal(object.Err)
		}
		if !strings.HasSuffix(object.Key, "/") {
			files = append(files, entry{path: "/" + object.Key, size: object.Size, modified: object.LastModified})
		}
	}
	return files, nil
}

func (s *s3Store) stat(ctx context.Context, name string) (entry, error) {
	info, err := s.client.StatObject(ctx, s.bucket, key(name), minio.StatObjectOptions{Checksum: true})
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		// An answer without a body does not say what is missing: the file, the bucket, or the permission.
		_, unlisted := s.list(ctx, "", key(name))
		return entry{}, cmp.Or(unlisted, s3Refusal(err))
	}
	if err != nil {
		return entry{}, s3Refusal(err)
	}
	return entry{path: name, size: info.Size, modified: info.LastModified, version: info.ETag, sums: checksums(info), whole: true}, nil
}

// checksums returns those that the service keeps of the whole content. A checksum of checksums, which an upload in
// parts leaves, has a dash and a number after it. An ETag is an MD5 unless the service encrypts with a key that it
// manages itself.
func checksums(info minio.ObjectInfo) []checksum {
	var sums []checksum
	for kind, want := range map[minio.ChecksumType]string{
		minio.ChecksumSHA256: info.ChecksumSHA256, minio.ChecksumSHA1: info.ChecksumSHA1,
		minio.ChecksumCRC32C: info.ChecksumCRC32C, minio.ChecksumCRC32: info.ChecksumCRC32, minio.ChecksumCRC64NVME: info.ChecksumCRC64NVME,
	} {
		if want != "" && !strings.Contains(want, "-") && info.ChecksumMode != "COMPOSITE" {
			sums = append(sums, checksum{name: kind.String(), hash: kind.Hasher(), want: want, text: base64.StdEncoding.EncodeToString})
		}
	}
	encrypted := info.Metadata.Get("X-Amz-Server-Side-Encryption")
	customer := info.Metadata.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm")
	if _, err := hex.DecodeString(info.ETag); err == nil && len(info.ETag) == 32 && customer == "" && (encrypted == "" || encrypted == "AES256") {
		sums = append(sums, checksum{name: "MD5", hash: md5.New(), want: strings.ToLower(info.ETag), text: hex.EncodeToString})
	}
	return sums
}

func (s *s3Store) fetch(ctx context.Context, e entry, to io.Writer) error {
	var options minio.GetObjectOptions
	if e.version != "" {
		if err := options.SetMatchETag(e.version); err != nil {
			return err
		}
	}
	object, err := s.client.GetObject(ctx, s.bucket, key(e.path), options)
	if err != nil {
		return s3Refusal(err)
	}
	defer object.Close()
	_, err = io.Copy(to, object)
	if minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed {
		return written("the file was replaced while it was fetched")
	}
	return s3Refusal(err)
}

func (s *s3Store) put(ctx context.Context, name string, from *os.File, size int64) error {
	_, err := s.client.PutObject(ctx, s.bucket, key(name), from, size, minio.PutObjectOptions{ContentType: contentType(name)})
	return s3Refusal(err)
}

func (s *s3Store) close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// contentType is the type with which the bucket serves a report to browsers.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case ".csv":
		return "text/csv; charset=utf-8"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// s3Refusal turns an error of the service into one that says why trying again cannot help, if that is so.
func s3Refusal(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); {
	case answer.Code == "NoSuchBucket":
		return &Error{What: "there is no such bucket", Err: err, Hint: "Check bucket: and endpoint: of the remote in the configuration."}
	case answer.Code == "NoSuchKey" || answer.Code == "NotFound":
		return noFile(err)
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return &Error{What: "the service denied permission", Err: err, Hint: "Check the access key and the secret key, and what they permit."}
	case answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusRequestTimeout &&
		answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusPreconditionFailed:
		return &Error{What: "the service rejected the request", Err: err, Hint: "Check the access key, the bucket, the region and the path in the configuration."}
	case answer.StatusCode >= 400:
		return &Error{What: "the service answered with an error", Err: err, Hint: askOperator, passes: true}
	case untrusted:
		return &Error{What: "the service's certificate is not trusted", Err: err, Hint: "Its certificate must be signed by an authority that this machine trusts, for this name."}
	}
	return err
}
