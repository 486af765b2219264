package backup

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeS3 speaks as much of the protocol as the target needs, from memory, and fails as it is told. It checks no signature.
type fakeS3 struct {
	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte // parts, by the upload's id
	keys    map[string]string         // of the objects that uploads make
	started int
	fault   func(r *http.Request) string // what goes wrong with a request: "500", "cut", "lost", "stall", or nothing
	stalled chan struct{}                // closed when the test is over
}

func newFakeS3(t *testing.T) (*fakeS3, *S3) {
	f := &fakeS3{objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}, keys: map[string]string{}, stalled: make(chan struct{})}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(f.stalled) })
	t.Setenv("AWS_ACCESS_KEY_ID", "access-of-a-test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-a-test")
	s, err := NewS3(S3Options{Bucket: "bucket", Prefix: "shop/one", Endpoint: server.URL, Region: "us-east-1"})
	require.NoError(t, err)
	return f, s
}

func (f *fakeS3) failing(fault func(r *http.Request) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := unchunked(r)
	f.mu.Lock()
	fault := ""
	if f.fault != nil {
		fault = f.fault(r)
	}
	f.mu.Unlock()
	switch fault {
	case "500":
		refuse(w, 500, "InternalError")
		return
	case "stall":
		select {
		case <-f.stalled:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	f.mu.Lock()
	f.answer(answer, r, body)
	f.mu.Unlock()
	switch fault {
	case "lost":
		panic(http.ErrAbortHandler)
	case "cut":
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
		w.Header().Set("Etag", answer.Header().Get("Etag"))
		w.Header().Set("Last-Modified", answer.Header().Get("Last-Modified"))
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

// unchunked is a body without the signatures that a client puts between its pieces.
func unchunked(r *http.Request) []byte {
	b, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return b
	}
	var out []byte
	for in := bufio.NewReader(bytes.NewReader(b)); ; {
		line, err := in.ReadString('\n')
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, bad := strconv.ParseInt(size, 16, 64)
		if err != nil || bad != nil || n == 0 {
			return out
		}
		at := len(out)
		out = append(out, make([]byte, n)...)
		io.ReadFull(in, out[at:])
		in.Discard(2)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

func tag(b []byte) string {
	sum := md5.Sum(b)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func (f *fakeS3) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	q := r.URL.Query()
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/")
	object, there := f.objects[key]
	id := q.Get("uploadId")
	_, begins := q["uploads"]
	conditional := r.Header.Get("If-None-Match") == "*"
	switch {
	case key == "" && begins:
		var out struct {
			XMLName xml.Name `xml:"ListMultipartUploadsResult"`
			Upload  []struct{ Key, UploadId string }
		}
		for id, key := range f.keys {
			if strings.HasPrefix(key, q.Get("prefix")) {
				out.Upload = append(out.Upload, struct{ Key, UploadId string }{key, id})
			}
		}
		xml.NewEncoder(w).Encode(out)
	case key == "":
		f.list(w, q.Get("prefix"), q.Get("continuation-token"))
	case r.Method == "POST" && begins:
		f.started++
		id := fmt.Sprint(f.started)
		f.uploads[id], f.keys[id] = map[int][]byte{}, key
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>", key, id)
	case id != "" && f.uploads[id] == nil:
		refuse(w, 404, "NoSuchUpload")
	case r.Method == "PUT" && id != "":
		n, _ := strconv.Atoi(q.Get("partNumber"))
		f.uploads[id][n] = body
		w.Header().Set("Etag", tag(body))
	case r.Method == "POST" && id != "":
		if there && conditional {
			refuse(w, 412, "PreconditionFailed")
			return
		}
		var whole []byte
		for n := 1; n <= len(f.uploads[id]); n++ {
			whole = append(whole, f.uploads[id][n]...)
		}
		f.objects[key] = whole
		delete(f.uploads, id)
		delete(f.keys, id)
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>%s</Key><ETag>%s</ETag></CompleteMultipartUploadResult>", key, "&quot;x-1&quot;")
	case r.Method == "DELETE" && id != "":
		delete(f.uploads, id)
		delete(f.keys, id)
		w.WriteHeader(204)
	case r.Method == "PUT" && there && conditional:
		refuse(w, 412, "PreconditionFailed")
	case r.Method == "PUT":
		f.objects[key] = body
		w.Header().Set("Etag", tag(body))
	case r.Method == "DELETE":
		delete(f.objects, key)
		w.WriteHeader(204)
	case !there:
		refuse(w, 404, "NoSuchKey")
	default:
		w.Header().Set("Etag", tag(object))
		w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
		w.Header().Set("Content-Length", strconv.Itoa(len(object)))
		if r.Method == "GET" {
			w.Write(object)
		}
	}
}

// list answers two objects at a time.
func (f *fakeS3) list(w http.ResponseWriter, prefix, after string) {
	var out struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []struct {
			Key  string
			Size int
		}
	}
	var names []string
	for name := range f.objects {
		if strings.HasPrefix(name, prefix) && name > after {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if i == 2 {
			out.IsTruncated, out.NextContinuationToken = true, names[1]
			break
		}
		out.Contents = append(out.Contents, struct {
			Key  string
			Size int
		}{name, len(f.objects[name])})
	}
	xml.NewEncoder(w).Encode(out)
}
