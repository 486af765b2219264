package base

// This file owns how much the writer does at once.

// Bounds are how much is done at once. A member that is 0 has its usual value; tests set them low, so that what lies
// beyond them is met in small worlds.
type Bounds struct {
	Rows     int // that a command changes at most
	DueItems int // that one command does of what is due, at most
	DueRows  int // that such a command changes before it leaves the rest to the next
	// commands that try conflicts in the group of the command that left them; the rest is done later as work that is
	// due
	FollowUps int
	Group     int // rows at which a group is closed
	Heavy     int // rows from which commands before it need not wait for a command
	Offload   int // units of a command from which its plan is made outside the writer
	Bytes     int // that a command writes at most, by weight
	RowBytes  int // that a row may come to by a command, by weight
	Swept     int // records that a command changes in addition to the one that it names, at most
	Named     int // holds that a refusal names of a line, at most
	NamedAll  int // holds that a refusal names in all, at most
	Queued    int // deliveries of a webhook that wait, at most
}

// WithDefaults puts the usual bound where none is given.
func (b Bounds) WithDefaults() Bounds {
	for _, x := range []struct {
		at    *int
		usual int
	}{
		{&b.Rows, maxRows}, {&b.DueItems, DueAtOnce}, {&b.DueRows, 2_000}, {&b.FollowUps, 16}, {&b.Group, maxGroupRows},
		{&b.Heavy, heavyRows}, {&b.Offload, offloadUnits}, {&b.Bytes, maxBytes}, {&b.RowBytes, maxRowBytes},
		{&b.Swept, 1_000}, {&b.Named, MaxBlockers}, {&b.NamedAll, MaxBlockersInAll}, {&b.Queued, MaxQueued},
	} {
		if *x.at == 0 {
			*x.at = x.usual
		}
	}
	return b
}

const (
	MaxBlockers      = 20      // holds that a refusal has named of a line
	MaxBlockersInAll = 1000    // holds that a refusal has named in an answer
	MaxQueued        = 100_000 // deliveries of a webhook that wait
)

const (
	DueAtOnce = 1000    // due items done by one command
	MaxTries  = 1000    // conflicts that one command tries to seat; a follow-up command tries the rest
	TrimBytes = 4 << 20 // bytes of kept rows that one command drops
)

const maxGroupRows = 10_000

// A command of so many rows takes longer to be written down and synced than a sync of its own takes for those before
// it.
const heavyRows = 2_000

// A plan for so many units takes the writer a millisecond, or a few if each of them is in another place after it. To
// make it outside the writer costs some microseconds.
const offloadUnits = 256
