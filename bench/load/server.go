package load

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/api"
	"holdfast/bench"
	"holdfast/engine"
)

// This file owns the two servers: the service on the world's engine, and one that does nothing, as the measure of
// transport.

const (
	keyID     = "bench0000001"
	keySecret = "0123456789abcdefghijABCDEFGHIJ0123456789"
)

// Server is the two servers on one world.
type Server struct {
	Address      string // of the service
	EmptyAddress string // of the handler that does nothing
	Key          string // that the service takes
	stop         func() error
}

// Close ends both.
func (s *Server) Close() error { return s.stop() }

// Serve starts both on loopback ports.
func Serve(w *bench.World) (*Server, error) {
	_, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: engine.CreateKey{
		PublicID: keyID, Hash: sha256.Sum256([]byte(keySecret)), Label: "bench",
	}})
	if err != nil {
		return nil, err
	}
	public, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, public.Close())
	}
	ours := api.NewServer(api.Options{Now: w.Now, Logger: slog.New(slog.DiscardHandler)})
	ours.Attach(w.Engine)
	answer := []byte("{}")
	empty := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.SetContentType("application/json")
		ctx.Response.SetBodyRaw(answer)
	}}
	ended := make(chan error, 2)
	go func() { ended <- ours.Serve(public) }()
	go func() { ended <- empty.Serve(bare) }()
	return &Server{
		Address: public.Addr().String(), EmptyAddress: bare.Addr().String(), Key: "hf_" + keyID + "_" + keySecret,
		stop: func() error {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			public.Close() // a server that has not begun to listen does not know that it should not
			bare.Close()
			ours.Shutdown(ctx) // complains of the closed listener
			empty.ShutdownWithContext(ctx)
			<-ended
			<-ended
			return ctx.Err()
		},
	}, nil
}
