// Package golden keeps a small data directory of every format there was, each made by a program of its time, and opens
// them all with the program of today.
//
// testdata has of each format N the directory of a killed server (format-N.tar.zst) and a backup of the same moment
// (format-N-backup.tar.zst). They are made by
//
//	make golden
//
// which plays the world of world_test.go against the program as it is and writes the two of the present format number.
// A directory of a released format is never made again: a change of what is stored raises persist.Format first, and
// makes the directories of the next format.
package golden
