package main

// This file owns `holdfast accounts`.

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"holdfast/engine/base"
)

// accountRecord is an account as the ops listener answers it.
type accountRecord struct{ ID, Name, Plan, Currency, Timezone, CreatedAt string }

func newAccounts() *cobra.Command {
	return group("accounts", "Make and list accounts, and set their plans", newAccountsCreate(), newAccountsList(),
		newAccountsSetPlan())
}

func newAccountsCreate() *cobra.Command {
	var c accountConfig
	cmd := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Make an account and print its id",
		Long:  `Makes an account and prints its id. It has no key yet: holdfast keys create --account ID makes one.`,
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.name == "" {
				return usagef("--name says what the account is called")
			}
			return withAdmin(cmd, c.adminConfig, func(a *admin) error {
				in := map[string]string{"name": c.name, "currency": c.currency, "timezone": c.timezone, "plan": c.plan}
				var made accountRecord
				if err := a.call("POST", "/accounts", in, &made); err != nil {
					return err
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), made.ID)
				return err
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func newAccountsList() *cobra.Command {
	var c adminConfig
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all accounts",
		Long:  "Lists all accounts. " + readsCopy,
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withReader(cmd, c, func(a *admin) error {
				var list struct{ Accounts []accountRecord }
				if err := a.call("GET", "/accounts", nil, &list); err != nil {
					return err
				}
				var rows [][]string
				for _, x := range list.Accounts {
					rows = append(rows, []string{x.ID, x.Plan, x.Currency, x.Timezone, x.CreatedAt, x.Name})
				}
				return table(cmd.OutOrStdout(), "ID PLAN CURRENCY TIMEZONE CREATED NAME", rows)
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func newAccountsSetPlan() *cobra.Command {
	var c adminConfig
	cmd := &cobra.Command{
		Use:   "set-plan ACCOUNT PLAN",
		Short: "Put an account under another plan, from its next request on",
		Long:  "Puts an account under another plan, from its next request on: " + strings.Join(base.Plans, ", ") + ".",
		Args:  exactly(2, "ACCOUNT and PLAN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(base.Plans, args[1]) {
				return usagef("PLAN %q must be one of %s", args[1], strings.Join(base.Plans, ", "))
			}
			return withAdmin(cmd, c, func(a *admin) error {
				var now accountRecord
				if err := a.call("PUT", "/accounts/"+url.PathEscape(args[0])+"/plan",
					map[string]string{"plan": args[1]}, &now); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", now.ID, now.Plan)
				return err
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}
