package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns the long texts that records of many kinds have.

var longText = wire.Text(0, base.MaxNote)
