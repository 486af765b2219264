package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the tests of the first run on a directory in which there are accounts that it did not make.

// quietCore opens a directory and says nothing.
func quietCore(t *testing.T, dir string, o engine.Options) *core {
	t.Helper()
	o.Now = clock
	c, err := openCore(t.Context(), dir, o, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return c
}

// started does what a start does of the first run, and tells the key that it makes.
func started(t *testing.T, c *core, dir, bootstrap string) (f firstRun) {
	t.Helper()
	f, err := c.firstRun(dir, "Holdfast", bootstrap)
	require.NoError(t, err)
	require.NoError(t, f.confirm())
	require.NoFileExists(t, filepath.Join(dir, firstRunMark))
	return f
}

// keysOf counts the keys of each account, in the order of their ids.
func keysOf(c *core) (n []int) {
	for _, id := range c.engine.Accounts() {
		v, _ := c.engine.View(id)
		n = append(n, engine.Keys(v).Len())
	}
	return n
}

// shopArchive exports a merchant of ten rows, whose account sorts before all others.
func shopArchive(t *testing.T) (dir string) {
	home := t.TempDir()
	c, account := quietCore(t, home, engine.Options{}), base.ID{6: 0x70, 8: 0x80, 15: 1}
	require.NoError(t, c.do(account, base.CreateAccount{AccountFields: base.AccountFields{Name: "Shop"}}))
	for range 10 {
		require.NoError(t, c.do(account,
			stock.CreateLocation{LocationFields: stock.LocationFields{Name: "Harbour", Timezone: "UTC"}}))
	}
	require.NoError(t, c.Close())
	dir = filepath.Join(t.TempDir(), "shop")
	code, _, errs := holdfast("export", "--all", dir, "--data", home)
	require.Zero(t, code, errs)
	return dir
}

// importPart does the first command of an import, and no more.
func importPart(t *testing.T, c *core, dir string) (account base.ID) {
	t.Helper()
	d, err := openArchiveDir(dir)
	require.NoError(t, err)
	lines := d.lines()
	defer lines.Close()
	archive, err := engine.ReadArchive(lines)
	require.NoError(t, err)
	cut, stop := context.WithCancel(t.Context())
	stop()
	account = base.ID(uuid.MustParse(archive.Head.Account))
	_, err = c.engine.Import(cut, archive, engine.ImportArchive{Account: account,
		Secret: func() (s [outbox.SecretBytes]byte) { return s }})
	require.ErrorIs(t, err, context.Canceled)
	v, _ := c.engine.View(account)
	require.NotNil(t, v.Ready(), "the import is under way")
	return account
}

// The account of an import has no key, whether the import is done or was cut short, and wherever its id stands.
func TestAnImportedAccountGetsNoFirstKey(t *testing.T) {
	shop, dir := shopArchive(t), t.TempDir()
	few := engine.Options{Bounds: base.Bounds{Group: 3}}
	c := quietCore(t, dir, few)
	first := started(t, c, dir, "")
	require.NotEmpty(t, first.key)
	imported := importPart(t, c, shop)
	require.Equal(t, []base.ID{imported, first.account}, c.engine.Accounts())
	require.NoError(t, c.Close())

	bootstrap := "hf_bootstrapkey_" + strings.Repeat("0123456789", 4)
	for range 2 {
		c = quietCore(t, dir, few)
		f := started(t, c, dir, bootstrap)
		require.Empty(t, f.key)
		require.False(t, f.given)
		require.NoError(t, c.loadDemo(f, slog.New(slog.DiscardHandler)))
		require.Equal(t, []int{0, 1}, keysOf(c))
		require.NoError(t, c.Close())
		code, out, errs := holdfast("import", "--all", shop, "--data", dir)
		require.Zero(t, code, errs)
		require.Contains(t, out, "of them before now")
	}
}

// A first run that died between its account and the key is gone on with by the next start, whatever was imported
// meanwhile; but not where somebody has made a key since.
func TestAFirstRunGoesOnBesideAnImport(t *testing.T) {
	shop := shopArchive(t)
	begun := func(imported bool) (dir string, account base.ID) {
		dir = t.TempDir()
		c := quietCore(t, dir, engine.Options{Bounds: base.Bounds{Group: 3}})
		account = base.NewID(clock(), base.BaseOf([10]byte{1}))
		require.NoError(t, writeMark(filepath.Join(dir, firstRunMark), "neverseen"))
		err := c.do(account, base.CreateAccount{AccountFields: base.AccountFields{Name: "Holdfast"}})
		require.NoError(t, err)
		if imported {
			importPart(t, c, shop)
		}
		require.NoError(t, c.Close())
		return dir, account
	}
	for _, imported := range []bool{false, true} {
		dir, account := begun(imported)
		c := quietCore(t, dir, engine.Options{})
		f := started(t, c, dir, "")
		require.NotEmpty(t, f.key)
		require.Equal(t, account, f.account)
		require.Equal(t, 1, slices.Max(keysOf(c)))
		require.NoError(t, c.Close())
	}
	dir, account := begun(true)
	code, _, errs := holdfast("keys", "create", "--label", "mine", "--data", dir, "--account", account.String())
	require.Zero(t, code, errs)
	c := quietCore(t, dir, engine.Options{})
	require.Empty(t, started(t, c, dir, "").key)
	require.Equal(t, []int{0, 1}, keysOf(c))
	require.NoError(t, c.Close())
}

// A directory that has only an account which was imported has its accounts from elsewhere: nothing is made.
func TestAnImportAloneIsNoFirstRun(t *testing.T) {
	shop, dir := shopArchive(t), t.TempDir()
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	code, _, errs := holdfast("import", "--all", shop, "--data", dir)
	require.Zero(t, code, errs)
	c := quietCore(t, dir, engine.Options{})
	require.Empty(t, started(t, c, dir, "").key)
	require.Equal(t, []int{0}, keysOf(c))
	require.NoError(t, c.Close())
	_, err := os.Stat(filepath.Join(dir, firstRunMark))
	require.ErrorIs(t, err, os.ErrNotExist)
}
