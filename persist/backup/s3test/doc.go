// Package s3test has S3-compatible services for the tests of backups: a fake that fails when a test wants it, and a
// real one as a process of its own. Nothing but tests may import it.
package s3test
