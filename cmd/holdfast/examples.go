package main

// This file owns the examples in the help of every command.

import "github.com/spf13/cobra"

// examples are by the path of the command, without the program's name.
var examples = map[string]string{
	"serve": `  holdfast serve --demo
  holdfast serve --data /var/lib/holdfast --access-log
  holdfast serve --data /var/lib/holdfast --backup-to s3://bucket/prefix --backup-s3-endpoint https://s3.example.com`,
	"replay": `  holdfast replay bench/testdata/resort-hotel-bookings.csv.gz --capacity 80
  holdfast replay bookings.csv --stock lot --json`,
	"backup": `  holdfast backup --to /backups/monday.tar.zst
  holdfast backup --to /backups/monday --data /var/lib/holdfast`,
	"restore": `  holdfast restore --from /backups/monday.tar.zst --data /var/lib/holdfast
  holdfast restore --from /backups/monday --data ./then --at 2026-06-01T10:00:00Z
  holdfast restore --from s3://bucket/prefix --backup-s3-endpoint https://s3.example.com --data ./then`,
	"verify": `  holdfast verify --data /var/lib/holdfast
  holdfast verify --data /backups/monday.tar.zst
  holdfast verify --data s3://bucket/prefix --backup-s3-endpoint https://s3.example.com`,
	"doctor": `  holdfast doctor --data /var/lib/holdfast --backup-to s3://bucket/prefix
  holdfast doctor --ready --url http://127.0.0.1:8080`,
	"bench": `  holdfast bench --list
  holdfast bench --url http://127.0.0.1:8080 --key-file key --save monday.json
  holdfast bench point book --data /var/lib/holdfast --clients 8 --compare monday.json`,
	"accounts create": `  holdfast accounts create --name "Harbour Bikes" --timezone Europe/Helsinki`,
	"accounts list":   `  holdfast accounts list`,
	"accounts set-plan": `  holdfast accounts set-plan 0198a3c0-0000-7000-8000-000000000001 growth
  holdfast accounts set-plan 0198a3c0-0000-7000-8000-000000000001 unlimited --data /var/lib/holdfast`,
	"keys create": `  holdfast keys create --label "till 2"
  holdfast keys create --label reports --scope inventory.read --scope orders.read --expires 2026-12-31T00:00:00Z`,
	"keys list":   `  holdfast keys list`,
	"keys revoke": `  holdfast keys revoke hf_Yd8kQm2xT4vB`,
	"import": `  holdfast import articles articles.csv --check
  holdfast import customers customers.ndjson --batch 1000
  holdfast import --all shop --name "Harbour bikes"`,
	"export": `  holdfast export articles articles.csv
  holdfast export holds - --format ndjson
  holdfast export --all shop`,
	"version": `  holdfast version`,
}

// giveExamples gives every command below one its examples.
func giveExamples(cmd *cobra.Command, path string) {
	for _, sub := range cmd.Commands() {
		at := sub.Name()
		if path != "" {
			at = path + " " + at
		}
		sub.Example = examples[at]
		giveExamples(sub, at)
	}
}
