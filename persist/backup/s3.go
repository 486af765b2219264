package backup

// This file owns the target that is a bucket of an S3-compatible service.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3Options say which bucket, and how it is reached.
type S3Options struct {
	Bucket   string
	Prefix   string // of all names, without slashes at its ends; may be empty
	Endpoint string // like https://s3.example.com; empty: Amazon's
	Region   string // empty: AWS_REGION, else AWS_DEFAULT_REGION, else the service is asked
	// Credentials is a file with keys as AWS keeps them, under [default], and is read again where the service refuses
	// them. Empty: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else AWS's own file, else the machine's role.
	Credentials string
	Transport   http.RoundTripper // nil: the client's own
}

// What is wrong with an option.
var (
	ErrEndpoint    = errors.New("must be like https://s3.example.com, without a path")
	ErrRegion      = errors.New("must be like eu-central-1")
	ErrCredentials = errors.New("must be a file that has aws_access_key_id and aws_secret_access_key under " +
		"[default], " +
		"as AWS keeps them")
)

// S3 is a bucket, and a prefix in it, as a target.
type S3 struct {
	o      S3Options
	client *minio.Client
	creds  *credentials.Credentials
}

// partSize is how many bytes of an archive are put at once: they are kept in memory until they have arrived. A service
// takes 10,000 of them for one object.
const partSize = 16 << 20

// tries is how often the client asks before a call has failed: the habit tries again besides, with longer pauses.
const tries = 3

const scheme = "s3://"

var (
	bucketNames = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixes    = regexp.MustCompile(`^[A-Za-z0-9!_.*'()-]+(/[A-Za-z0-9!_.*'()-]+)*$`)
	regions     = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// mostPrefix leaves a key room for the names in a line, of the 1,024 bytes that it may have.
const mostPrefix = 512

// IsBucket says whether a name is meant for a bucket, and not for a directory.
func IsBucket(name string) bool { return strings.HasPrefix(strings.ToLower(name), "s3:") }

// ParseBucket reads s3://bucket/prefix, of which the prefix may be missing.
func ParseBucket(name string) (bucket, prefix string, ok bool) {
	rest, ok := strings.CutPrefix(name, scheme)
	bucket, prefix, _ = strings.Cut(rest, "/")
	prefix = strings.TrimSuffix(prefix, "/")
	if !ok || !bucketNames.MatchString(bucket) || strings.Contains(bucket, "..") || len(prefix) > mostPrefix {
		return "", "", false
	}
	if prefix != "" && !prefixes.MatchString(prefix) {
		return "", "", false
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "." || part == ".." {
			return "", "", false
		}
	}
	return bucket, prefix, true
}

// NewS3 asks nothing of the service yet.
func NewS3(o S3Options) (*S3, error) {
	if o.Endpoint == "" {
		o.Endpoint = "https://s3.amazonaws.com"
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrEndpoint
	}
	o.Region = cmp.Or(o.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if o.Region != "" && !regions.MatchString(o.Region) {
		return nil, ErrRegion
	}
	creds := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: 5 * time.Second}},
	})
	if o.Credentials != "" {
		creds = credentials.NewFileAWSCredentials(o.Credentials, "default")
		// The cause may quote the file.
		if v, err := creds.GetWithContext(nil); err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
			return nil, ErrCredentials
		}
	}
	c, err := minio.New(u.Host, &minio.Options{
		Creds: creds, Secure: u.Scheme == "https", Region: o.Region, Transport: o.Transport, MaxRetries: tries,
	})
	if err != nil {
		return nil, ErrEndpoint
	}
	c.SetAppInfo("holdfast", "1")
	return &S3{o: o, client: c, creds: creds}, nil
}

func (s *S3) String() string { return strings.TrimSuffix(scheme+s.o.Bucket+"/"+s.o.Prefix, "/") }

func (s *S3) key(name string) string {
	if s.o.Prefix == "" {
		return name
	}
	return s.o.Prefix + "/" + name
}

// fault makes of an answer one of our errors, where it is one.
func (s *S3) fault(name string, err error) error {
	if err == nil {
		return nil
	}
	switch r := minio.ToErrorResponse(err); {
	case r.StatusCode == http.StatusPreconditionFailed, r.Code == "PreconditionFailed",
		r.Code == "ConditionalRequestConflict":
		return fmt.Errorf("%s/%s %w", s, name, ErrExists)
	case r.Code == "NoSuchKey", r.Code == "NotFound":
		return fmt.Errorf("%s/%s %w", s, name, ErrMissing)
	}
	return fmt.Errorf("%s/%s: %w", s, name, s.explained(err))
}

// explained says of a refusal that there are no credentials, or has others read: the file may have some by now.
func (s *S3) explained(err error) error {
	if minio.ToErrorResponse(err).StatusCode != http.StatusForbidden {
		return err
	}
	if v, e := s.creds.GetWithContext(nil); e == nil && v.SignerType == credentials.SignatureAnonymous {
		return fmt.Errorf("%w: there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, "+
			"and no file or role has any", err)
	}
	s.creds.Expire()
	return err
}

// Put puts what is larger than a part in parts.
func (s *S3) Put(ctx context.Context, name string, r io.Reader, _ int64) error {
	// A service that does not know the condition would write over what is there.
	if _, err := s.client.StatObject(ctx, s.o.Bucket, s.key(name), minio.StatObjectOptions{}); err == nil {
		return fmt.Errorf("%s/%s %w", s, name, ErrExists)
	} else if err := s.fault(name, err); !errors.Is(err, ErrMissing) {
		return err
	}
	part := new(bytes.Buffer)
	more, err := fill(part, r)
	if err == nil && more {
		return s.fault(name, s.putParts(ctx, name, part, r))
	}
	if err == nil {
		_, err = s.client.PutObject(ctx, s.o.Bucket, s.key(name), bytes.NewReader(part.Bytes()), int64(part.Len()),
			onlyNew())
	}
	return s.fault(name, err)
}

// onlyNew has the service refuse what is there already.
func onlyNew() (o minio.PutObjectOptions) {
	o.ContentType = "application/octet-stream"
	o.SetMatchETagExcept("*")
	return o
}

// fill reads one part; more says that it is full.
func fill(part *bytes.Buffer, r io.Reader) (more bool, err error) {
	part.Reset()
	n, err := io.CopyN(part, r, partSize)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return n == partSize, err
}

// putParts puts an object in parts, the first of which was read. It is not the client's own way to do so, which leaves
// the condition out of the last call, the one that makes the object.
func (s *S3) putParts(ctx context.Context, name string, part *bytes.Buffer, r io.Reader) (err error) {
	core, key := minio.Core{Client: s.client}, s.key(name)
	o := minio.PutObjectOptions{ContentType: "application/octet-stream"}
	id, err := core.NewMultipartUpload(ctx, s.o.Bucket, key, o)
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		// Parts that are left are paid for; what called the Put off is no reason to leave them.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if e := core.AbortMultipartUpload(ctx, s.o.Bucket, key, id); e != nil {
			err = fmt.Errorf("%w (and its parts are left: %w)", err, e)
		}
	}()
	var parts []minio.CompletePart
	for more := true; part.Len() > 0; {
		sum := md5.Sum(part.Bytes())
		p, err := core.PutObjectPart(ctx, s.o.Bucket, key, id, len(parts)+1, bytes.NewReader(part.Bytes()),
			int64(part.Len()),
			minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:])})
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: p.PartNumber, ETag: p.ETag})
		if !more {
			break
		}
		if more, err = fill(part, r); err != nil {
			return err
		}
	}
	_, err = core.CompleteMultipartUpload(ctx, s.o.Bucket, key, id, parts, onlyNew())
	return err
}

func (s *S3) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := s.client.GetObject(ctx, s.o.Bucket, s.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, s.fault(name, err)
	}
	if _, err := r.Stat(); err != nil { // before that nothing was asked
		return nil, errors.Join(s.fault(name, err), r.Close())
	}
	return r, nil
}

func (s *S3) List(ctx context.Context, prefix string) (list []Object, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	below := minio.ListObjectsOptions{Prefix: s.key(prefix), Recursive: true}
	for o := range s.client.ListObjects(ctx, s.o.Bucket, below) {
		if o.Err != nil {
			return nil, s.explained(o.Err) // Lines names the target
		}
		list = append(list, Object{Name: strings.TrimPrefix(o.Key, s.key("")), Size: o.Size})
	}
	slices.SortFunc(list, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return list, ctx.Err()
}

func (s *S3) Delete(ctx context.Context, name string) error {
	err := s.fault(name, s.client.RemoveObject(ctx, s.o.Bucket, s.key(name), minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Clean ends uploads in parts that a process has left, whose parts are paid for and are nothing.
func (s *S3) Clean(ctx context.Context, of func(line string) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for u := range s.client.ListIncompleteUploads(ctx, s.o.Bucket, s.key(""), true) {
		if u.Err != nil {
			return s.fault("", u.Err)
		}
		if !of(path.Dir(strings.TrimPrefix(u.Key, s.key("")))) {
			continue
		}
		if err := s.client.RemoveIncompleteUpload(ctx, s.o.Bucket, u.Key); err != nil {
			return s.fault(u.Key, err)
		}
	}
	return nil
}
