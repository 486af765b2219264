package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file plays the story of the documentation against the program, and holds what it prints against the page.

var anyInstant = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

func TestShopIsPlayed(t *testing.T) {
	dir := t.TempDir()
	shop, authority := filepath.Join(dir, "shop"), filepath.Join(dir, "receiver.pem")
	play := func(name string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		c := exec.Command(name, args...)
		c.Stdout, c.Stderr = &out, &errs
		require.NoError(t, c.Run(), "%s%s", &out, &errs)
		return out.String()
	}
	play("go", "build", "-o", shop, "holdfast/api/docs/examples/shop")
	require.Empty(t, play(shop, "-authority", authority))

	key := "hf_shoptestkey_" + strings.Repeat("0123456789", 4)
	t.Setenv(bootstrapVariable, key)
	address := freeAddress(t)
	var out, errs bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run([]string{
			"serve", "--listen", address, "--data", filepath.Join(dir, "data"), "--webhook-allow", "127.0.0.0/8",
			"--webhook-ca", authority,
		}, nil, &out, &errs)
	}()
	require.NoError(t, awaitReady(address))
	printed := play(shop, "-url", "http://"+address, "-key", key)
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
	require.Zero(t, <-code, errs.String())

	page, err := os.ReadFile("../../api/docs/shop.md")
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(page), "It prints:\n\n```\n")
	shown, _, _ = strings.Cut(shown, "```")
	same := func(text string) string { return anyInstant.ReplaceAllString(text, "INSTANT") }
	require.Equal(t, same(shown), same(printed))
}
