package main

// This file owns `holdfast keys`.

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/api/auth"
)

// keyRecord is a key as the ops listener answers it.
type keyRecord struct {
	ID, Prefix, Label, Account, CreatedAt string
	Scopes                                []string
	ExpiresAt, RevokedAt, LastUsedAt      *string
	Key                                   string                     // when it is made
	Webhooks                              []struct{ ID, URL string } // when it is revoked: those that it made
}

func newKeys() *cobra.Command {
	return group("keys", "Make, list and revoke API keys", newKeysCreate(), newKeysList(), newKeysRevoke())
}

func newKeysCreate() *cobra.Command {
	var c keyConfig
	cmd := &cobra.Command{
		Use:   "create --label LABEL",
		Short: "Make an API key and print it once",
		Long: `Makes an API key and prints it once. The key itself is not stored. Without --scope it has full access. Scopes are an area and read or write, like
inventory.read; an area covers what is below it, and write includes read:

  ` + strings.Join(auth.Scopes, "\n  "),
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.label == "" {
				return usagef("--label says what the key is for")
			}
			in := map[string]any{"label": c.label}
			for name, value := range map[string]string{"account": c.account, "expiresAt": c.expires} {
				if value != "" {
					in[name] = value
				}
			}
			if given(cmd, "scope") {
				in["scopes"] = c.scopes
			}
			return withAdmin(cmd, c.adminConfig, func(a *admin) error {
				var made keyRecord
				if err := a.call("POST", "/keys", in, &made); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "key %s of account %s, shown only once:\n", made.ID, made.Account)
				_, err := fmt.Fprintln(cmd.OutOrStdout(), made.Key)
				return err
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func newKeysList() *cobra.Command {
	var c adminConfig
	var account string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List API keys, of one account or of all",
		Long:  "Lists API keys, of one account or of all. " + readsCopy,
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withReader(cmd, c, func(a *admin) error {
				var list struct{ Keys []keyRecord }
				if err := a.call("GET", "/keys?account="+url.QueryEscape(account), nil, &list); err != nil {
					return err
				}
				var rows [][]string
				for _, k := range list.Keys {
					scopes := "full access"
					if len(k.Scopes) > 0 {
						scopes = strings.Join(k.Scopes, ",")
					}
					rows = append(rows, []string{k.ID, k.Prefix, k.Account, k.CreatedAt, orDash(k.ExpiresAt),
						orDash(k.RevokedAt), orDash(k.LastUsedAt), scopes, k.Label})
				}
				return table(cmd.OutOrStdout(), "ID PREFIX ACCOUNT CREATED EXPIRES REVOKED USED SCOPES LABEL", rows)
			})
		},
	}
	c.flags(cmd.Flags())
	cmd.Flags().StringVar(&account, "account", "", "id of the account; default: all")
	return cmd
}

func newKeysRevoke() *cobra.Command {
	var c adminConfig
	cmd := &cobra.Command{
		Use:   "revoke ID|PREFIX",
		Short: "Revoke an API key: the next request with it is refused; its webhooks go on and are named",
		Args:  exactly(1, "the id of a key, or its beginning like hf_abcdefgh1234"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if id, _, ok := auth.Parse([]byte(name)); ok {
				name = auth.Prefix(string(id)) // a whole key: its secret goes no further
			}
			return withAdmin(cmd, c, func(a *admin) error {
				var gone keyRecord
				if err := a.call("DELETE", "/keys/"+url.PathEscape(name), nil, &gone); err != nil {
					return err
				}
				for _, w := range gone.Webhooks {
					fmt.Fprintf(cmd.ErrOrStderr(), "webhook %s, which this key made, still sends to %s\n", w.ID, w.URL)
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "revoked %s %s\n", gone.ID, printable(gone.Label))
				return err
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}
