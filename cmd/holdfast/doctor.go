package main

// This file owns `holdfast doctor`: whether the machine is fit to serve a data directory, said in plain words.

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pires/go-proxyproto"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	listener "holdfast/api/admin"
	"holdfast/engine/pace"
	"holdfast/persist"
	"holdfast/persist/backup"
)

type doctorConfig struct {
	data   string
	listen string
	cert   string
	ready  bool
	url    string
	to     string
	every  time.Duration
	bucket bucketConfig

	ops      string
	protocol bool
	proxies  []string
}

func (c *doctorConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.data, "data", defaultData, "data directory that is served, or is to be")
	f.StringVar(&c.listen, "listen", "127.0.0.1:8080", "address that is to be served")
	f.StringVar(&c.to, "backup-to", "", "directory or s3://bucket/prefix that backups are kept in, as serve has it")
	f.DurationVar(&c.every, "backup-every", backupEvery, "time between archives, as serve has it")
	c.bucket.flags(f)
	f.BoolVar(&c.ready, "ready", false,
		"ask the server whether it is ready, and nothing else: for health checks")
	f.StringVar(&c.cert, "tls-cert", "",
		"certificate of the server, as serve has it: where it is given, --ready asks by TLS")
	f.StringVar(&c.url, "url", "",
		"server that --ready asks, like https://rent.example.com; default: the one of --listen and --tls-cert")
	f.BoolVar(&c.protocol, "proxy-protocol", false, "the server has --proxy-protocol: --ready begins with it where "+
		"--trusted-proxy names this machine, unless --url says whom to ask")
	f.StringSliceVar(&c.proxies, "trusted-proxy", nil, "networks of proxies, as serve has them")
	f.StringVar(&c.ops, "ops-listen", "", "ops listener of the server, as serve has it: then there is no socket in "+
		"the data directory")
}

func newDoctor() *cobra.Command {
	var c doctorConfig
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether this machine is fit to serve a data directory",
		Long: `Looks at the disk, the room on it, the clock, the limits of the process, the memory, the port and the backups, and says of each whether it is good enough, and what to change.
It writes a small file into the data directory, or beside it, and one to --backup-to, and removes them again. Exits with 1 if something is not good enough.

With --ready it asks a running server whether it is ready, and exits with 0 if it is. In the environment of serve it needs no other option: it asks at HOLDFAST_LISTEN, and by
TLS where HOLDFAST_TLS_CERT is set, with the PROXY protocol where the server expects it of this machine. On its own machine it takes any certificate.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.ready {
				return c.askReady(cmd.Context())
			}
			return c.examine(cmd.Context(), cmd.OutOrStdout())
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

// askReady fails unless a server is ready.
func (c *doctorConfig) askReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url, dial := c.url, new(net.Dialer).DialContext
	if url == "" {
		if err := checkAddress("--listen", c.listen); err != nil {
			return err
		}
		scheme := "http"
		if c.cert != "" {
			scheme = "https"
		}
		url = localURL(scheme, c.listen)
		if c.protocol {
			proxies, err := (&networkConfig{proxies: c.proxies}).trusted()
			if err != nil {
				return err
			}
			dial = dialAsProxy(proxies)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
	if err != nil || r.URL.Host == "" {
		return usagef("--url %q must be like http://127.0.0.1:8080", url)
	}
	client := &http.Client{}
	if c.url == "" || listener.CheckLoopback(net.JoinHostPort(r.URL.Hostname(), "0")) {
		// The certificate names what others call this machine, and nothing secret is sent.
		client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DialContext: dial}
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s answers %s", url, answer.Status)
	}
	return nil
}

// dialAsProxy connects to a server that has the PROXY protocol. Where this machine's address is that of a trusted
// proxy, the server expects a header of the protocol: the one that is sent says that the connection is this machine's
// own.
func dialAsProxy(proxies []netip.Prefix) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		from := conn.LocalAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if slices.ContainsFunc(proxies, func(n netip.Prefix) bool { return n.Contains(from) }) {
			_, err = proxyproto.HeaderProxyFromAddrs(2, nil, nil).WriteTo(conn)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
}

// finding is what was found of one thing.
type finding struct {
	what string
	how  grade
	says string
}

type grade string

const (
	fine  grade = "ok"
	minor grade = "note"
	bad   grade = "bad"
)

// errUnfit ends a doctor's visit that found something bad.
var errUnfit = errors.New("this machine is not ready; see the lines marked bad")

// examine looks at everything and prints what it finds.
func (c *doctorConfig) examine(ctx context.Context, out io.Writer) error {
	list := []finding{c.directory(), c.disk(), c.room(), c.clock(time.Now()), openFiles(), memory(), c.port(),
		c.backups(ctx, time.Now())}
	for _, f := range list {
		if _, err := fmt.Fprintf(out, "%-10s %-5s %s\n", f.what, f.how, f.says); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(list, func(f finding) bool { return f.how == bad }) {
		return errUnfit
	}
	return nil
}

// directory is whether the data directory can be opened by this program and this user.
func (c *doctorConfig) directory() finding {
	f := finding{what: "directory", how: fine}
	if err := fitData(c.data); err != nil {
		return finding{f.what, bad, err.Error()}
	}
	if c.ops == "" {
		if err := fitSocket(c.data); err != nil {
			return finding{f.what, bad, err.Error()}
		}
	}
	info, err := os.Stat(c.data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.says = c.data + " is not there yet; the first start makes it"
		return f
	case err != nil:
		return finding{f.what, bad, err.Error()}
	case !info.IsDir():
		return finding{f.what, bad, c.data + " is no directory"}
	}
	if err := notForeign(c.data); err != nil {
		return finding{f.what, bad, err.Error()}
	}
	if info.Mode().Perm()&0o077 != 0 {
		f.how = minor
		f.says = fmt.Sprintf("%s can be read by others (mode %o): chmod 700 it; ", c.data, info.Mode().Perm())
	}
	form, err := persist.FormOf(c.data)
	switch {
	case errors.Is(err, persist.ErrNoStore):
		f.says += c.data + " is empty"
	case err != nil:
		return finding{f.what, bad, err.Error()}
	case form.Format < persist.Format:
		f.says += fmt.Sprintf("%s is of format %d; the next start brings it to format %d, which older programs "+
			"refuse: make a backup first", c.data, form.Format, persist.Format)
		f.how = minor
	default:
		f.says += fmt.Sprintf("%s is of format %d, as this program writes", c.data, form.Format)
		store, err := persist.Open(persist.Options{Dir: c.data, ReadOnly: true})
		if err == nil {
			err = store.Close()
		}
		if err != nil && !errors.Is(err, persist.ErrLocked) { // a server that has it has opened it
			return finding{f.what, bad, err.Error()}
		}
	}
	return f
}

// standing is the nearest directory above one that is there, or that one itself.
func standing(name string) string {
	dir, err := filepath.Abs(name)
	if err != nil {
		dir = name
	}
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// syncs is how often the disk is tried.
const syncs = 40

// disk is how long it takes until a small write is durable, which each group of writes waits for.
func (c *doctorConfig) disk() finding {
	f := finding{what: "disk", how: fine}
	file, err := os.CreateTemp(standing(c.data), ".holdfast-doctor-*")
	if err != nil {
		return finding{f.what, bad, "nothing can be written: " + err.Error()}
	}
	defer os.Remove(file.Name())
	defer file.Close()
	block, times := make([]byte, 4096), make([]time.Duration, syncs)
	for i := range times {
		begin := time.Now()
		if _, err = file.Write(block); err == nil {
			err = file.Sync()
		}
		if err != nil {
			return finding{f.what, bad, "a write is not made durable: " + err.Error()}
		}
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	half, most := times[syncs/2], times[syncs-1]
	f.says = fmt.Sprintf("a write is durable after %s, at most %s", short(half), short(most))
	if half > 10*time.Millisecond {
		f.how = minor
		f.says += "; each write waits so long: a disk with a write cache that keeps its power answers faster"
	}
	return f
}

// short is a time with as many digits as one reads.
func short(d time.Duration) string { return d.Round(max(d/100, time.Microsecond)).String() }

// Room that is left on the disk, in bytes.
const (
	tooLittleRoom = 256 << 20
	littleRoom    = 2 << 30
)

// room says how much is left on the disk, compared with what the data take.
func (c *doctorConfig) room() finding {
	f := finding{what: "room", how: fine}
	var s syscall.Statfs_t
	if err := syscall.Statfs(standing(c.data), &s); err != nil {
		return finding{f.what, minor, "it is not known how much is left: " + err.Error()}
	}
	left := int64(s.Bavail) * int64(s.Bsize)
	used := diskUsage(c.data)
	f.says = fmt.Sprintf("%s left, the data take %s", size(left), size(used))
	switch {
	case left < tooLittleRoom:
		f.how = bad
		f.says += "; writes are refused when the disk is full"
	case left < littleRoom || left < 2*used:
		f.how = minor
		f.says += "; a start on an older format and a backup beside the data need as much again"
	}
	return f
}

// backups is whether backups can be kept at the target, and whether a good one of this directory is there that is young
// enough.
func (c *doctorConfig) backups(ctx context.Context, now time.Time) finding {
	f := finding{what: "backups", how: minor}
	if c.to == "" {
		f.says = "none are looked at: --backup-to says where they are kept, and has serve keep them"
		return f
	}
	target, err := (&habitConfig{to: c.to, bucket: c.bucket}).place(c.data)
	if err != nil {
		return finding{f.what, bad, err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	lines, err := backup.Lines(ctx, target)
	if err == nil {
		err = tryPut(ctx, target)
	}
	if err != nil {
		return finding{f.what, bad, err.Error()}
	}
	others := len(lines)
	if form, err := persist.FormOf(c.data); err == nil {
		lines = slices.DeleteFunc(lines, func(l backup.Line) bool { return l.Incarnation != form.Incarnation })
	}
	lines, faults, err := backup.ReadMarks(ctx, target, lines)
	if err = errors.Join(append(faults, err)...); err != nil {
		return finding{f.what, bad, err.Error()}
	}
	last, ok := backup.Newest(lines)
	if !ok {
		f.says = c.to + " has no archive of " + c.data + " that was opened and found good; a server makes one soon " +
			"after its start"
		if others > len(lines) {
			f.says += "; there are backups of another server, or of the directory that this one was restored from"
		}
		return f
	}
	f.how = fine
	f.says = fmt.Sprintf("the last good archive in %s is %s old and ends at record %d", c.to,
		now.Sub(time.UnixMilli(last.Made)).Round(time.Second), last.Seq)
	if err := backup.Aged(time.UnixMilli(last.Made), now, c.every); err != nil {
		f.how = bad
		f.says += ": " + err.Error()
	}
	return f
}

// tryPut puts a small object at a target, and takes it away again. Of a directory that the first archive makes, it
// tries the one in which it will be made.
func tryPut(ctx context.Context, target backup.Target) error {
	if dir, ok := target.(*backup.Dir); ok {
		target = backup.NewDir(standing(dir.Root))
	}
	name := ".holdfast-doctor-" + rand.Text()
	if err := target.Put(ctx, name, strings.NewReader("x"), 1); err != nil {
		return fmt.Errorf("nothing can be put at %s: %w", target, err)
	}
	if err := target.Delete(ctx, name); err != nil {
		return fmt.Errorf("nothing can be taken away from %s, as old backups must be: %w", target, err)
	}
	return nil
}

// size is a number of bytes as one reads it.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// clock is whether the machine's clock can be right, and is not behind the directory.
func (c *doctorConfig) clock(now time.Time) finding {
	f := finding{"clock", fine, now.UTC().Format(time.RFC3339) + " by this machine's clock"}
	if now.Year() < 2025 || now.Year() > 2100 {
		f.how = bad
		f.says += "; that cannot be: carts would lapse at the wrong time, and time never goes back in a data directory"
		return f
	}
	// One that is not read is said to be so of the directory, or a server has it, which measures that itself.
	store, err := persist.Open(persist.Options{Dir: c.data, ReadOnly: true})
	if err != nil {
		return f
	}
	defer store.Close()
	last := time.UnixMilli(store.End().At)
	if ahead := last.Sub(now); ahead > clockMayDiffer {
		f.how = minor
		f.says += fmt.Sprintf("; the last change in %s is of %s, %s ahead of it: a server goes on from there, and "+
			"stays so far ahead; where this clock is right, restore --at an instant before it was wrong", c.data,
			instantText(last.UnixMilli()), ahead.Round(time.Second))
	}
	return f
}

// fewFiles is how many open files are too few: connections and tables take one each.
const fewFiles = 4096

// openFiles is how many files and connections the process may have.
func openFiles() finding {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return finding{"limits", minor, "it is not known how many files may be open: " + err.Error()}
	}
	if l.Cur < fewFiles {
		return finding{"limits", minor, fmt.Sprintf("%d open files and connections at most; give it %d or more "+
			"(ulimit -n, LimitNOFILE=)", l.Cur, fewFiles)}
	}
	return finding{"limits", fine, fmt.Sprintf("%d open files and connections at most", l.Cur)}
}

// littleMemory is how much serves a small shop, in bytes.
const littleMemory = 256 << 20

// memory is what the process takes at most before it collects harder.
func memory() finding {
	limit, of := pace.MemoryLimit(systemFile)
	if limit <= 0 {
		return finding{"memory", minor, "it is not known how much there is: set --memory"}
	}
	f := finding{"memory", fine, fmt.Sprintf("%s of the %s are used before more is collected; a booking takes about "+
		"180 bytes, an order of one unit 900", size(limit), of)}
	if limit < littleMemory {
		f.how = minor
		f.says += "; this is little"
	}
	return f
}

// port is whether the address is free, or already served.
func (c *doctorConfig) port() finding {
	l, err := net.Listen("tcp", c.listen)
	if err == nil {
		l.Close()
		return finding{"port", fine, c.listen + " is free"}
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return finding{"port", minor, c.listen + " is in use: by a server that runs already, or by another program"}
	}
	return finding{"port", bad, "nothing can listen there: " + err.Error()}
}
