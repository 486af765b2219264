package main

// This file owns where backups lie, as every command takes it: a directory or a bucket that serve keeps them in, or one
// backup.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"holdfast/persist"
	"holdfast/persist/backup"
)

// bucketConfig is how the service of a bucket is reached.
type bucketConfig struct {
	endpoint    string
	region      string
	credentials string
}

func (c *bucketConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.endpoint, "backup-s3-endpoint", "",
		"service of an s3:// bucket, like https://s3.example.com, or http:// without encryption; default: Amazon's")
	f.StringVar(&c.region, "backup-s3-region", "",
		"region of the bucket, like eu-central-1; default: AWS_REGION, else the service is asked")
	f.StringVar(&c.credentials, "backup-s3-credentials", "",
		"file with keys for the bucket, as AWS keeps them; default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "+
			"else AWS's own file, else the machine's role")
}

// set says whether anything was said about a bucket's service.
func (c *bucketConfig) set() bool { return *c != bucketConfig{} }

// target is the place that the value of a flag stands for. Nothing is asked of it yet.
func (c *bucketConfig) target(flag, name string) (backup.Target, error) {
	bucket, prefix, ok := backup.ParseBucket(name)
	if !ok && (backup.IsBucket(name) || strings.Contains(name, "://")) {
		return nil, usagef("--%s %q must be a directory, or a bucket like s3://bucket/prefix", flag,
			withoutSecret(name))
	}
	if !ok {
		return backup.NewDir(name), nil
	}
	s3, err := backup.NewS3(backup.S3Options{
		Bucket: bucket, Prefix: prefix, Endpoint: c.endpoint, Region: c.region, Credentials: c.credentials,
	})
	switch {
	case errors.Is(err, backup.ErrEndpoint):
		return nil, usagef("--backup-s3-endpoint %q %w", withoutSecret(c.endpoint), err)
	case errors.Is(err, backup.ErrRegion) && c.region == "":
		return nil, usagef("AWS_REGION %q %w", cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")), err)
	case errors.Is(err, backup.ErrRegion):
		return nil, usagef("--backup-s3-region %q %w", c.region, err)
	case err != nil:
		return nil, usagef("--backup-s3-credentials %q %w", c.credentials, err)
	}
	return s3, nil
}

// withoutSecret leaves out of an address what stands before the host: it may be a key.
func withoutSecret(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if at := strings.LastIndexByte(rest, '@'); ok && at >= 0 {
		return scheme + "://..." + rest[at:]
	}
	return address
}

// source is what the name of a backup stands for: a stream, or the backup lines at a target, or a directory that is one
// backup.
type source struct {
	name   string // as it was given
	stream io.ReadCloser
	target backup.Target
	lines  []backup.Line // an archive is verified where its mark says so
	faults []error       // of marks
	dir    string
}

// open finds out what the value of a flag stands for.
func (c *bucketConfig) open(ctx context.Context, flag, name string, stdin io.Reader) (s source, err error) {
	if name == "-" {
		return source{name: "standard input", stream: io.NopCloser(stdin)}, nil
	}
	s.name = name
	file := ""
	if backup.IsBucket(name) && isArchive(name) {
		name, file = path.Split(name)
	}
	if s.target, err = c.target(flag, name); err != nil {
		return s, err
	}
	if file != "" {
		s.stream, err = s.target.Get(ctx, file)
		return s, err
	}
	if !backup.IsBucket(name) {
		f, err := openArchive(name)
		if err != nil {
			return s, err
		}
		if f != nil {
			return source{name: name, stream: f}, nil
		}
	}
	s.lines, err = backup.Lines(ctx, s.target)
	switch {
	case len(s.lines) > 0:
		s.lines, s.faults, err = backup.ReadMarks(ctx, s.target, s.lines)
		return s, err
	case !backup.IsBucket(name):
		return source{name: name, dir: name}, nil // the command that opens it says what is wrong with it
	case err != nil:
		return s, err
	}
	return s, fmt.Errorf("there are no backups at %s", s.target)
}

// Close ends the stream, if there is one.
func (s source) Close() error {
	if s.stream == nil {
		return nil
	}
	return s.stream.Close()
}

// plan is what a restore to a point reads of the backup lines at a target.
func (s source) plan(at persist.Point) (backup.Plan, error) {
	return backup.PlanFor(s.target, s.lines, at)
}

// restore makes a directory of what is there.
func (s source) restore(ctx context.Context, o persist.RestoreOptions) (backup.Restored, error) {
	switch {
	case s.stream != nil:
		o.Archive = s.stream
	case s.dir != "":
		o.From = s.dir
	default:
		plan, err := s.plan(o.At)
		if err != nil {
			return backup.Restored{}, err
		}
		return backup.Restore(ctx, s.target, plan, o)
	}
	b, err := persist.Restore(ctx, o)
	return backup.Restored{Backup: b}, err
}
