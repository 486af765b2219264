package backup

// This file owns the names of objects, from which everything is planned without reading one.

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// The names below a target:
//
//	<begun>-<incarnation>/                       a line
//	    full-<seq>-<instant>-<made>.tar.zst      an archive: of the log up to seq, written at that instant
//	    full-<seq>-<instant>-<made>.verified     that archive was opened: what was found
//	    log-<first>-<last>-<instant>.zst         a segment: records first to last, that one of that instant
//
// Numbers have 20 digits, an incarnation 16 hexadecimal ones, instants are like 20260131T093012.345Z.
const (
	fullPrefix     = "full-"
	segmentPrefix  = "log-"
	archiveSuffix  = ".tar.zst"
	verifiedSuffix = ".verified"
	segmentSuffix  = ".zst"
	instantLayout  = "20060102T150405.000Z"
)

func instantName(ms int64) string { return time.UnixMilli(ms).UTC().Format(instantLayout) }

func parseInstant(s string) (ms int64, ok bool) {
	t, err := time.Parse(instantLayout, s)
	return t.UnixMilli(), err == nil && t.Format(instantLayout) == s
}

func parseSeq(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && len(s) == 20
}

// Line is a backup line: an archive first, from there on every record without a gap, and further archives.
type Line struct {
	Name        string // empty where the target is a line itself
	Begun       int64
	Incarnation uint64
	Fulls       []Full  // in order
	Pieces      []Piece // in order
}

func lineName(begun int64, incarnation uint64) string {
	return fmt.Sprintf("%s-%016x", instantName(begun), incarnation)
}

func parseLine(name string) (l Line, ok bool) {
	begun, incarnation, ok := strings.Cut(name, "-")
	if !ok || len(incarnation) != 16 {
		return l, false
	}
	l.Name = name
	if l.Begun, ok = parseInstant(begun); !ok {
		return l, false
	}
	n, err := strconv.ParseUint(incarnation, 16, 64)
	l.Incarnation = n
	return l, err == nil
}

// Full is an archive.
type Full struct {
	Seq      uint64
	At       int64 // of the last record
	Made     int64
	Name     string // with the line's
	Size     int64
	Verified bool // it was opened as a server would, and found good
	badMark  bool // see ReadMarks
}

func (f Full) base() string { return strings.TrimSuffix(f.Name, archiveSuffix) }

func fullName(line string, seq uint64, at, made int64) string {
	return path.Join(line,
		fmt.Sprintf("%s%020d-%s-%s%s", fullPrefix, seq, instantName(at), instantName(made), archiveSuffix))
}

// parseFull reads the name of an archive or of its mark.
func parseFull(name string) (f Full, ok bool) {
	base := path.Base(name)
	rest, isFull := strings.CutPrefix(base, fullPrefix)
	rest, archive := strings.CutSuffix(rest, archiveSuffix)
	rest, mark := strings.CutSuffix(rest, verifiedSuffix)
	parts := strings.Split(rest, "-")
	if !isFull || archive == mark || len(parts) != 3 {
		return f, false
	}
	var ok1, ok2, ok3 bool
	f.Seq, ok1 = parseSeq(parts[0])
	f.At, ok2 = parseInstant(parts[1])
	f.Made, ok3 = parseInstant(parts[2])
	f.Name = strings.TrimSuffix(name, verifiedSuffix)
	if mark {
		f.Name += archiveSuffix
	}
	f.Verified = mark
	return f, ok1 && ok2 && ok3
}

// Piece is a segment.
type Piece struct {
	First, Last uint64
	At          int64 // of the last record
	Name        string
	Size        int64
}

func pieceName(line string, first, last uint64, at int64) string {
	return path.Join(line,
		fmt.Sprintf("%s%020d-%020d-%s%s", segmentPrefix, first, last, instantName(at), segmentSuffix))
}

func parsePiece(name string) (p Piece, ok bool) {
	rest, ok := strings.CutPrefix(path.Base(name), segmentPrefix)
	if !ok {
		return p, false
	}
	if rest, ok = strings.CutSuffix(rest, segmentSuffix); !ok {
		return p, false
	}
	parts := strings.Split(rest, "-")
	if len(parts) != 3 {
		return p, false
	}
	var ok1, ok2, ok3 bool
	p.Name = name
	p.First, ok1 = parseSeq(parts[0])
	p.Last, ok2 = parseSeq(parts[1])
	p.At, ok3 = parseInstant(parts[2])
	return p, ok1 && ok2 && ok3 && p.First <= p.Last
}
