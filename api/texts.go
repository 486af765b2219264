package api

import "holdfast/api/wire"

// This file owns the long texts that records of many kinds have.

// maxText is the most characters of a long text.
const maxText = 10_000

var longText = wire.Text(0, maxText)
