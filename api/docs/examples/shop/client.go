package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// This file owns requests to the server and what comes back.

type client struct {
	url, key string
	run      string // makes the idempotency keys of this run its own
	writes   int
}

// problem is a refusal.
type problem struct {
	Type, Code, Detail string
	Status             int
	Details            struct {
		Lines []struct {
			Requested, Available int
			Next                 *struct{ From, To string }
		}
	}
	text []byte
}

func (p *problem) Error() string { return string(p.text) }

// ask sends a request, and reads the answer into a value. A refusal is an error of type *problem.
func (c *client) ask(method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, c.url+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("X-API-KEY", c.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet {
		c.writes++
		r.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", c.run, c.writes))
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return err
	}
	if a.StatusCode != http.StatusOK {
		p := &problem{text: text}
		if err := json.Unmarshal(text, p); err != nil {
			return fmt.Errorf("%s %s: %s: %s", method, path, a.Status, text)
		}
		return p
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// made is what most answers are read for.
type made struct{ ID string }
