package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file owns PostgreSQL's side: the schema, and the statements as a good engineer would write them. Each client has
// a connection of its own, which prepares each statement once.

// schema has what the questions ask by in the bookings themselves, so that no question needs a join. The exclusion
// constraint is what makes sure that no unit is booked twice.
const schema = `
CREATE EXTENSION btree_gist;
CREATE TABLE article (id int PRIMARY KEY, sku int, location int NOT NULL, units int NOT NULL, name text NOT NULL);
CREATE TABLE slot (id int PRIMARY KEY, article int NOT NULL, sku int, location int NOT NULL);
CREATE TABLE booking (
	id bigint GENERATED ALWAYS AS IDENTITY, slot int NOT NULL, article int NOT NULL, sku int, location int NOT NULL, during tstzrange NOT NULL);
`

// indexes are made after the rows: they are built at once.
const indexes = `
ALTER TABLE booking ADD PRIMARY KEY (id);
ALTER TABLE booking ADD EXCLUDE USING gist (slot WITH =, during WITH &&);
CREATE INDEX ON booking USING gist (article, during);
CREATE INDEX ON booking USING gist (sku, location, during);
CREATE INDEX ON booking USING gist (during);
CREATE INDEX ON slot (article);
CREATE INDEX ON slot (sku, location);
VACUUM ANALYZE;
`

// taken is the most bookings at one instant of the window from $1 to $2, of those that a condition names.
func taken(from, to, condition string) string {
	return fmt.Sprintf(`coalesce((
	WITH b AS (SELECT lower(during) AS s, upper(during) AS e FROM booking WHERE %[3]s AND during && tstzrange(%[1]s, %[2]s))
	SELECT max(n) FROM (
		SELECT sum(d) OVER (ORDER BY t, d) AS n FROM (
			SELECT greatest(s, %[1]s) AS t, 1 AS d FROM b UNION ALL SELECT e, -1 FROM b WHERE e < %[2]s) AS x) AS y), 0)`, from, to, condition)
}

var (
	pointSQL = `SELECT ((SELECT count(*) FROM slot WHERE article = $3) - ` + taken("$1", "$2", "article = $3") +
		`)::int`
	skuSQL = `SELECT ((SELECT count(*) FROM slot WHERE sku = $3 AND location = $4) - ` +
		taken("$1", "$2", "sku = $3 AND location = $4") + `)::int`

	pointsSQL = `SELECT ((SELECT count(*) FROM slot WHERE slot.article = q.article) - ` + taken("q.s", "q.e", "booking.article = q.article") + `)::int
	FROM unnest($1::timestamptz[], $2::timestamptz[], $3::int[]) AS q(s, e, article)`
	skusSQL = `SELECT ((SELECT count(*) FROM slot WHERE slot.sku = q.sku AND slot.location = q.location) - ` +
		taken("q.s", "q.e", "booking.sku = q.sku AND booking.location = q.location") + `)::int
	FROM unnest($1::timestamptz[], $2::timestamptz[], $3::int[], $4::int[]) AS q(s, e, sku, location)`
)

const (
	// listSQL is the first 50 of all articles by units free, with how many there are. It gives numbers and names, not
	// whole records.
	listSQL = `
WITH b AS (SELECT article, greatest(lower(during), $1) AS s, upper(during) AS e FROM booking WHERE during && tstzrange($1, $2)),
	c AS (SELECT article, sum(d) OVER (PARTITION BY article ORDER BY t, d) AS n
		FROM (SELECT article, s AS t, 1 AS d FROM b UNION ALL SELECT article, e, -1 FROM b WHERE e < $2) AS x),
	m AS (SELECT article, max(n) AS n FROM c GROUP BY article)
SELECT a.id, a.name, (a.units - coalesce(m.n, 0))::int AS free, count(*) OVER () FROM article AS a LEFT JOIN m ON m.article = a.id
ORDER BY free DESC, a.id LIMIT 50`

	// calendarSQL goes through the window once: each day begins with what is taken then.
	calendarSQL = `
WITH b AS (SELECT lower(during) AS s, upper(during) AS e FROM booking WHERE sku = $3 AND location = $4 AND during && tstzrange($1, $2)),
	x AS (SELECT t, sum(d) AS d FROM (
		SELECT greatest(s, $1) AS t, 1 AS d FROM b UNION ALL SELECT e, -1 FROM b WHERE e < $2
		UNION ALL SELECT generate_series($1::timestamptz, $2::timestamptz - interval '1 day', '1 day'), 0) AS y GROUP BY t),
	r AS (SELECT t, sum(d) OVER (ORDER BY t) AS n FROM x)
SELECT ((SELECT count(*) FROM slot WHERE sku = $3 AND location = $4) - max(n))::int FROM r GROUP BY date_bin('1 day', t, $1) ORDER BY date_bin('1 day', t, $1)`

	// bookSQL takes the first free unit that no other client is about to take.
	bookSQL = `
WITH free AS (SELECT s.id, s.article, s.sku, s.location FROM slot AS s
	WHERE s.sku = $3 AND s.location = $4 AND NOT EXISTS (SELECT FROM booking AS b WHERE b.slot = s.id AND b.during && tstzrange($1, $2))
	LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
INSERT INTO booking (slot, article, sku, location, during) SELECT id, article, sku, location, tstzrange($1, $2) FROM free RETURNING id, slot`
)

type postgres struct {
	url     string
	version string
}

// loadPostgres makes the tables and fills them with the stock.
func loadPostgres(ctx context.Context, c *cluster, s *sharedStock, progress func(string)) (*postgres, error) {
	p := &postgres{url: c.url()}
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&p.version); err != nil {
		return nil, err
	}
	if err := script(ctx, conn, schema); err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("copying %d articles, %d units and %d bookings", len(s.articles), s.slots, len(s.bookings)))
	copyIn := func(table string, n int, row func(i int) []any, columns ...string) error {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns,
			pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
		return err
	}
	units := make([]int, 0, s.slots) // slot: its article
	for i := range s.articles {
		for range s.articles[i].units {
			units = append(units, i)
		}
	}
	err = errors.Join(
		copyIn("article", len(s.articles), func(i int) []any {
			a := &s.articles[i]
			return []any{i, a.numberOrNull(), a.location, a.units, fmt.Sprint("Article ", i)}
		}, "id", "sku", "location", "units", "name"),
		copyIn("slot", s.slots, func(i int) []any {
			a := &s.articles[units[i]]
			return []any{i, units[i], a.numberOrNull(), a.location}
		}, "id", "article", "sku", "location"),
		copyIn("booking", len(s.bookings), func(i int) []any {
			b, a := &s.bookings[i], &s.articles[s.bookings[i].article]
			return []any{b.slot, b.article, a.numberOrNull(), a.location, b.span()}
		}, "slot", "article", "sku", "location", "during"),
	)
	if err != nil {
		return nil, err
	}
	progress("building its indexes")
	return p, script(ctx, conn, indexes)
}

func (a *article) numberOrNull() any {
	if a.number < 0 {
		return nil
	}
	return a.number
}

func (w window) from() time.Time { return time.UnixMilli(w.start).UTC() }
func (w window) to() time.Time   { return time.UnixMilli(w.end).UTC() }

func (w window) span() any {
	return pgtype.Range[time.Time]{Lower: w.from(), Upper: w.to(), LowerType: pgtype.Inclusive,
		UpperType: pgtype.Exclusive, Valid: true}
}

// script runs statements one after the other, each for itself: VACUUM does not run in a transaction.
func script(ctx context.Context, conn *pgx.Conn, text string) error {
	for statement := range strings.SplitSeq(text, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// book books one unit. Where another client has taken the unit first it tries again; taken says that no unit is free.
func book(ctx context.Context, conn *pgx.Conn, sku, location int, w window) (soldOut bool, err error) {
	for range 100 {
		var id int64
		var slot int
		err = conn.QueryRow(ctx, bookSQL, w.from(), w.to(), sku, location).Scan(&id, &slot)
		var refused *pgconn.PgError
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return true, nil
		case errors.As(err, &refused) && refused.Code == "23P01", errors.As(err, &refused) && refused.Code == "40P01":
			continue // the constraint found a booking that was not visible yet, or two that waited for each other
		}
		return false, err
	}
	return false, fmt.Errorf("a booking was tried 100 times: %w", err)
}
