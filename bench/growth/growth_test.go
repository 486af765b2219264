package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the tests: that each figure can be had, and that the chart shows what was measured.

func TestEachFigureCanBeHad(t *testing.T) {
	s, err := measure(context.Background(), 100, 10*time.Millisecond, func(string) {})
	require.NoError(t, err)
	require.Equal(t, []int{100, 1_000}, []int{s.Articles, s.Holds})
	var names []string
	for _, w := range s.Works {
		names = append(names, w.Name)
		require.Positive(t, w.HTTPP50, w.Name)
		require.GreaterOrEqual(t, w.HTTPP99, w.HTTPP50, w.Name)
		require.Positive(t, w.Bytes, w.Name)
		require.Equal(t, w.Name != "list", w.P50us > 0, w.Name)
	}
	require.Equal(t, []string{"point", "SKU", "list", "calendar", "hold"}, names)
	require.Positive(t, s.StartUp)
	require.Positive(t, s.Heap)
	require.Positive(t, s.Collector.Cycles)
	require.Positive(t, s.Collector.Percent)
	require.Less(t, s.Collector.Percent, 100.0)
}

// A level line is level, one that grows with the stock is as steep as the dashed one, and no two labels cover each
// other.
func TestChart(t *testing.T) {
	r := newReport("a <busy> host")
	for i, n := range []int{10_000, 100_000, 1_000_000} {
		grown := []float64{1, 10, 100}[i]
		r.Sizes = append(r.Sizes, size{Articles: n, Holds: 10 * n, StartUp: grown / 10, Works: []work{
			{Name: "point", HTTPP50: 20}, {Name: "SKU", HTTPP50: 20}, {Name: "list", HTTPP50: 20 * grown},
			{Name: "calendar", HTTPP50: 21}, {Name: "hold", HTTPP50: 22},
		}})
	}
	name := filepath.Join(t.TempDir(), "growth.json")
	require.NoError(t, r.write(options{json: name}))
	again, err := readReport(name)
	require.NoError(t, err)
	require.Equal(t, r, again)
	chart := again.chart()
	for d := xml.NewDecoder(bytes.NewReader(chart)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	numbers := func(pattern string) (all [][]float64) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(chart), -1) {
			var row []float64
			for _, text := range m[1:] {
				n, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				row = append(row, n)
			}
			all = append(all, row)
		}
		return all
	}
	lines := numbers(`<path d="M\d+ ([\d.]+)L\d+ ([\d.]+)L\d+ ([\d.]+)" fill="none"`)
	require.Len(t, lines, 6)
	dashed := numbers(`<path d="M\d+ (\d+)L\d+ (\d+)" stroke="#bbb"`)[0]
	require.Equal(t, lines[0][0], lines[0][2])
	require.InDelta(t, dashed[0]-dashed[1], lines[2][0]-lines[2][2], 2)
	require.InDelta(t, dashed[0]-dashed[1], lines[5][0]-lines[5][2], 2)
	var labels []float64
	for _, y := range numbers(`y="(\d+)" fill="#\w+">[^<]+<tspan`) {
		labels = append(labels, y[0])
	}
	require.Len(t, labels, 6)
	slices.Sort(labels)
	for i := range labels[1:] {
		require.GreaterOrEqual(t, labels[i+1]-labels[i], 17.0)
	}
}
