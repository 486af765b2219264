// Runs verify.js on cases.json.
const { readFileSync } = require("node:fs");
const { verify } = require("./verify.js");
let wrong = 0;
for (const c of JSON.parse(readFileSync("cases.json", "utf8"))) {
  if (verify(c.secret, c.headers, Buffer.from(c.body), c.now) !== c.good) {
    console.error(c.name);
    wrong++;
  }
}
process.exit(wrong ? 1 : 0);
