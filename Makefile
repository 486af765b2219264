# What there is to do here. Once `go mod download` has run, nothing needs the network but clients, console, schemas, test-clients, test-backup, lint, and bench-vs where it has to install PostgreSQL.
#   make run          serve the demo merchant
#   make test         vet, all tests, and the race detector where goroutines meet, if there is a C compiler for it
#   make lint         staticcheck, at the version that this file names, and whether schemas are as made; the first run needs the network
#   make bench        every figure at scale 1; BENCH_SCALE=10 for ten times that, BENCH_DATA=DIR keeps the data set
#   make bench-short  every figure on a hundredth of it
#   make bench-fair   what another account waits while one takes what it can get, beside what it waits on an idle server
#   make soak         the program under 70 % of what the machine carries for MINUTES: whether heap, goroutines, files, snapshots or disk grow
#   make bench-vs     the same work with Holdfast and with PostgreSQL, side by side; installs PostgreSQL where it is missing
#   make bench-growth the same work with 10,000, 100,000 and 1,000,000 articles of ten holds each; takes 16 GB of memory and 8 GB of disk
#   make fuzz         random input for FUZZTIME each, random commands for FUZZCHECKS runs from FUZZSEED on (0: other ones each time)
#   make worlds       play WORLDS short random worlds against the twin, from seed WORLDSFROM on, on all processors; once with the usual
#                     SIZES of the stock's parts, and once with so small ones that few units meet all of them
#   make mutants      plant one bug after the other, and see the tests fail; MUTANTS=K/N for every N-th of them, from the K-th on
#   make test-clients the clients against a live server, and the document under linters; takes node, npm and the network
#   make test-docs    what the pages show, in Node, Python and PHP, and the pages in chromium, where they are installed
#   make test-console the console in chromium, where it is installed; CONSOLE_SHOTS=DIR keeps a picture of each view
#   make bench-console how soon the console's screens are there, and how evenly they scroll, at scale 1
#   make test-backup  backups in the bucket of a real S3 server, which is built for it; takes the network
#   make test-barrage bad input for BARRAGE, and thousands of connections that drip, do not read, or idle: no panic, no growth, an untouched state
#   make torture      the program, killed again and again for MINUTES while clients book: nothing that was acknowledged may be lost
#   make flips        one bit of every byte of two small directories, one after the other: refused, or the same state; some 40 minutes on two cores
#   make simulate     CRASHES simulated crashes of small directories, from seed SEEDS on: power cuts, failing and full disks; SEED=N plays one seed again and tells all
#   make release      archives of static binaries for PLATFORMS as VERSION in dist, with licences, parts and checksums
#   make document     write api/openapi.json again, after a change of operations; make clients goes with it
#   make console     fetch the packages that the console is built on again, after another version in api/console/gen; takes the network
#   make clients      write what the clients have of api/openapi.json again; takes node, npm and the network
#   make shots       take the pictures that README shows again; takes chromium
#   make schemas      write what the manifests are checked against again, after another version in deploy/schemas/go.mod
#   make golden       the golden directory of the present format again, after a change of what is stored (fuzz/golden/doc.go)
#   make test-crash   power cuts, failing disks, flipped bits, killed processes

# What is tested and measured is what is shipped: without C. Only the race detector needs it.
export CGO_ENABLED := 0

# A compiler that collects its garbage less often takes some 30 % less processor time.
export GOFLAGS := $(GOFLAGS) -mod=readonly '-toolexec=env GOGC=400'

FUZZTIME    ?= 1m
FUZZCHECKS  ?= 2000
FUZZSEED    ?= 0
FUZZFLAGS   ?= -gcflags 'holdfast/...=-d=libfuzzer'
WORLDS      ?= 100000
WORLDSFROM  ?= 1
SIZES       ?= usual small
BENCHTIME   ?= 5s
TESTTIMEOUT ?= 10m
BARRAGE     ?= 1m
MUTANTS     ?= 0/1
MINUTES     ?= 10
CRASHES     ?= 100000
VERSITYGW   ?= github.com/versity/versitygw/cmd/versitygw@v1.8.0
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Where goroutines of the service share memory, the longest first. Of timeline, it is only what readers note of an index.
# The rest is single-threaded by design, or a client of a service.
RACE = ./engine ./persist ./api ./persist/... ./fuzz/history ./api/ratelimit ./api/webhook ./engine/table ./engine/pace

# The version of a release.
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null)
PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64

.PHONY: run build release test vet lint bench bench-short bench-fair bench-vs flips simulate bench-growth bench-console soak fuzz worlds mutants test-crash torture test-clients test-docs test-console shots test-backup test-barrage document clients console schemas golden clean

run: build
	./holdfast serve --demo

build:
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o holdfast ./cmd/holdfast

release:
	go run ./cmd/holdfast/deploy/release -version '$(VERSION)' -platforms '$(PLATFORMS)'

# vet has been over everything: the tests need not go over it again. As many packages run at a time as there are processors, so
# that which takes longest begins first.
test: vet
	go test -vet=off -timeout $(TESTTIMEOUT) ./fuzz/workload ./...
	cd api/client/go && go test -vet=off -timeout $(TESTTIMEOUT) ./...
	@if command -v "$$(go env CC)" >/dev/null; then \
		echo go test -vet=off -timeout $(TESTTIMEOUT) -race -short $(RACE); \
		CGO_ENABLED=1 go test -vet=off -timeout $(TESTTIMEOUT) -race -short $(RACE) && \
		CGO_ENABLED=1 go test -vet=off -timeout $(TESTTIMEOUT) -race -run Notes ./timeline; \
	else \
		echo "there is no C compiler ($$(go env CC)), which the race detector needs: its tests were run without it"; \
	fi
	@for tool in git ip promtool; do \
		command -v $$tool >/dev/null || echo "skipped: the tests that need $$tool, which is not installed"; \
	done
	@unshare --map-root-user --net true 2>/dev/null || echo "skipped: the tests with other machines, as no user namespace can be made here"
	@[ "$$(id -u)" != 0 ] || echo "skipped: the tests of files that may not be read, as root may read all"

vet:
	go vet ./...
	cd api/client/go && go vet -tags live ./...

# A tool of its own module: it is not among what the project builds with.
lint:
	GOFLAGS= go run $(STATICCHECK) ./...
	cd api/client/go && GOFLAGS= go run $(STATICCHECK) -tags live ./...
	cd cmd/holdfast/deploy/schemas && GOFLAGS= go run $(STATICCHECK) . && GOFLAGS= go run . -check

bench:
	go run ./bench/run -time $(BENCHTIME) $(BENCHFLAGS)

bench-short:
	BENCH_SCALE=0.01 go run ./bench/run -time 2s $(BENCHFLAGS)

bench-fair:
	go run ./bench/fair $(FAIRFLAGS)

# From 3.5 minutes on. The last line says whether anything grows.
soak:
	go run ./bench/soak -minutes $(MINUTES) $(SOAKFLAGS)

# The same work with Holdfast and with PostgreSQL: a cluster of its own, on a free port, that is removed behind it.
bench-vs:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { echo "installing PostgreSQL"; apt-get update -q && apt-get install -qy --no-install-recommends postgresql; }
	go run ./bench/vs $(VSFLAGS)

# What grows with the stock, and what does not; GROWTHFLAGS='-chart growth.svg' draws it.
bench-growth:
	go run ./bench/growth $(GROWTHFLAGS)

# The Go fuzz targets one after the other, each package built once, then the tests that draw random commands. Coverage guides them in
# the code of the project: with -fuzz the compiler would build the libraries and the standard library for it, too. With FUZZFLAGS= nothing
# does, and nothing is built anew: so CI has it, whose few seconds give coverage nothing to guide. Up to Go 1.26, a target
# that reaches the end of its time can fail with "context deadline exceeded" though it found nothing (go.dev/issue/75804): a failure
# without a failing input counts as passed, if that is all that it says.
fuzz:
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		go test -vet=off -c $(FUZZFLAGS) -o $$dir/test $$package; \
		for target in $$(cat $$package/*_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do \
			echo "$$package $$target"; rm -f $$dir/failed; \
			{ (cd $$package && $$dir/test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 1s \
				-test.fuzzcachedir "$$(go env GOCACHE)/fuzz/holdfast/$$package") 2>&1 || touch $$dir/failed; } | tee $$dir/log; \
			if test -e $$dir/failed; then \
				sed -n '/^--- FAIL/{n;p;}' $$dir/log | grep -qx ' *context deadline exceeded' || exit 1; \
				if grep -qi 'failing input\|panic' $$dir/log; then exit 1; fi; \
			fi; \
		done; \
	done
	@set -e; for package in $$(grep -rl --include='*_test.go' 'rapid\.Check(' . | xargs -n1 dirname | sort -u); do \
		tests=$$(awk -F'[ (]' '/^func Test/ { name = $$2 } /rapid\.Check\(/ { print name }' $$package/*_test.go | sort -u | paste -sd'|'); \
		go test -vet=off -count=1 -timeout 30m $$package -run "^($$tests)\$$" -rapid.checks=$(FUZZCHECKS) -rapid.seed=$(FUZZSEED); \
	done

worlds:
	@set -e; for size in $(SIZES); do \
		echo "$$size sizes"; \
		go test -tags $$size -vet=off -count=1 -timeout 0 -v -run 'TestWorlds$$' ./fuzz/workload -worlds $(WORLDS) -worlds.from $(WORLDSFROM); \
	done

mutants:
	go run ./fuzz/mutants -part $(MUTANTS)

test-crash:
	go test -count=1 -timeout $(TESTTIMEOUT) ./persist ./fuzz/crash ./fuzz/sim

# The program itself, killed for so long while clients book, also while it starts, is backed up and restored. The last line says whether anything was lost.
torture:
	TORTURE=$(MINUTES)m go test -count=1 -timeout 0 -v -run TestTorture ./fuzz/crash

flips:
	HOLDFAST_LONG=1 go test -count=1 -timeout 0 -v -run 'TestFlippedBit$$' ./persist

# On two cores a million crashes take an hour. The last line says whether anything was lost, and the seed that lost it.
simulate:
	go run ./fuzz/sim -crashes $(CRASHES) $(if $(SEEDS),-from $(SEEDS)) $(if $(SEED),-seed $(SEED))

test-clients:
	go test -count=1 -timeout $(TESTTIMEOUT) -tags clients -v ./fuzz/clients

# In CI a language that is missing is a failure.
test-docs:
	go test -count=1 -timeout $(TESTTIMEOUT) -tags docs -v ./api/docs/...
	go test -count=1 -timeout $(TESTTIMEOUT) -tags docs -v -run TestPagesInABrowser ./cmd/holdfast

test-console:
	CONSOLE_SHOTS='$(abspath $(CONSOLE_SHOTS))' go test -count=1 -timeout $(TESTTIMEOUT) -tags console -v -run TestConsole ./cmd/holdfast
	BENCH_SCALE=0.01 go test -count=1 -timeout $(TESTTIMEOUT) -tags console -v ./bench/console

# The figures of the console on the whole data set: 100,000 articles, 1,000,000 bookings.
bench-console:
	go test -count=1 -timeout 60m -tags console -v ./bench/console

# The pictures that README shows.
shots:
	SHOTS=1 go test -count=1 -timeout $(TESTTIMEOUT) -tags console -run TestShots ./cmd/holdfast

# A server of its own module, like the tool of lint.
test-backup:
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && GOFLAGS= GOBIN=$$dir go install $(VERSITYGW) && \
	VERSITYGW_PROGRAM=$$dir/versitygw go test -vet=off -count=1 -timeout $(TESTTIMEOUT) -tags s3 -run TestRealS3 -v ./persist/backup ./cmd/holdfast

test-barrage:
	BARRAGE=$(BARRAGE) go test -count=1 -timeout $(TESTTIMEOUT) -run TestBarrage -v ./api

document:
	go test -count=1 -run TestDocumentIsCommitted ./api -update

console:
	go run ./api/console/gen

clients:
	go run ./api/client/gen
	go test -count=1 -tags clients -run TestTypeScriptClient/is_what_the_document_gives ./fuzz/clients -update

# Of a module of its own, too.
schemas:
	cd cmd/holdfast/deploy/schemas && GOFLAGS= go run .

golden:
	go test -count=1 -run TestGoldenIsMade ./fuzz/golden -update
	go test -count=1 -run TestEncodingsAreOfTheFormat ./engine -update

clean:
	rm -f holdfast
