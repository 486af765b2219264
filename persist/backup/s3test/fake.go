package s3test

// This file owns the fake.

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Bucket is the name of the one bucket that a service has.
const Bucket = "bucket"

// Fake speaks as much of the protocol as backups need, from memory, and fails when a test wants it. It checks no
// signature.
type Fake struct {
	URL    string
	server *httptest.Server

	mu      sync.Mutex // guards what follows
	objects map[string][]byte
	uploads map[string]map[int][]byte // parts, by the upload's id
	keys    map[string]string         // of the objects that uploads make
	started int
	fault   func(r *http.Request) Fault
}

// Fault is what goes wrong with a request.
type Fault string

const (
	None   Fault = ""
	Fails  Fault = "fails"  // it is answered with 500 and does nothing
	Forbid Fault = "forbid" // it is answered with 403 and does nothing
	Stall  Fault = "stall"  // it is not answered, and does nothing
	Lose   Fault = "lose"   // it is done, and not answered
	Cut    Fault = "cut"    // it is done, and the answer ends in the middle
	Hang   Fault = "hang"   // it is done, and the answer stands still in the middle
)

// NewFake listens on a loopback port until it is closed.
func NewFake() *Fake {
	f := &Fake{objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}, keys: map[string]string{}}
	f.server = httptest.NewServer(f)
	f.URL = f.server.URL
	return f
}

// Close ends the fake, and every request that stands still.
func (f *Fake) Close() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// Failing says from now on of each request what goes wrong; nil: nothing does. It is called from many goroutines.
func (f *Fake) Failing(fault func(r *http.Request) Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Add puts an object as another program would.
func (f *Fake) Add(key, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[key] = []byte(text)
}

// Remove takes an object away as another program would.
func (f *Fake) Remove(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.objects, key)
}

// Objects are all objects.
func (f *Fake) Objects() map[string][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.objects)
}

// Uploads is how many uploads in parts were begun and not ended.
func (f *Fake) Uploads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.uploads)
}

func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := unchunked(r)
	if err != nil { // the sender is gone
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	fails := f.fault
	f.mu.Unlock()
	fault := None
	if fails != nil {
		fault = fails(r)
	}
	switch fault {
	case Fails:
		refuse(w, http.StatusInternalServerError, "InternalError")
		return
	case Forbid:
		refuse(w, http.StatusForbidden, "AccessDenied")
		return
	case Stall:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	f.mu.Lock()
	f.answer(answer, r, body)
	f.mu.Unlock()
	if fault == Lose {
		panic(http.ErrAbortHandler)
	}
	for k, v := range answer.Header() {
		w.Header()[k] = v
	}
	text := answer.Body.Bytes()
	if fault == Cut || fault == Hang {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		text = text[:len(text)/2]
	}
	w.WriteHeader(answer.Code)
	w.Write(text)
	if fault == Hang {
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	if fault == Cut || fault == Hang {
		panic(http.ErrAbortHandler)
	}
}

// unchunked is a body without the signatures that a client puts between its pieces.
func unchunked(r *http.Request) (out []byte, err error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	for in := bufio.NewReader(r.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			_, err := io.Copy(io.Discard, in)
			return out, err
		}
		at := len(out)
		out = append(out, make([]byte, n)...)
		if _, err := io.ReadFull(in, out[at:]); err != nil {
			return nil, err
		}
		if _, err := in.Discard(2); err != nil {
			return nil, err
		}
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

func (f *Fake) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	q := r.URL.Query()
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/"+Bucket), "/")
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
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId>"+
			"</InitiateMultipartUploadResult>", Bucket, key, id)
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
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><ETag>&quot;x-1&quot;</ETag>"+
			"</CompleteMultipartUploadResult>", Bucket, key)
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
func (f *Fake) list(w http.ResponseWriter, prefix, after string) {
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
