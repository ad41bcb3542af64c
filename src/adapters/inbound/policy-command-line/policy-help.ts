/** What the helps of `gateway-auth policy` say after the options. */
export const overviewHelp = `
Commands, each with a --help of its own:
  gateway-auth policy check    report what is wrong with policies
  gateway-auth policy test     run cases: requests, with the decisions that are expected of them
  gateway-auth policy explain  say of one request what each policy has to do with it, and why
  gateway-auth policy corpus   decide about the requests of a corpus of Cedar's

Examples:
  gateway-auth policy check policies/
  gateway-auth policy test policies/tests.kdl
  gateway-auth policy explain --policies policies/ --principal alice --role reader --action GET --resource /reports
`;

export const checkHelp = `
Errors are mistakes of the language, and ids that are there twice. Warnings are policies that can never do what they seem to: they
name an action, an entity type or an attribute that no request through the gateway has, or, with --config, roles that nobody can
have. So is a file without any policy. Each is told with file, line and column. These are errors with --strict, and where the
authz block says strict-policies. A template that nothing links is a warning in every case: links are in a configuration.

With --config the policies are those that the authz block of an agent names, in files and in place, with its template links.

Examples:
  gateway-auth policy check policies/                              every *.cedar file of a folder
  gateway-auth policy check --strict readers.cedar writers.cedar   two files, as one set
  gateway-auth policy check --config gateway.kdl --agent auth      what an agent would load

Exit codes:
  0  no errors
  1  errors, with --strict policies that can never do what they seem to
  2  wrong usage
`;

export const testHelp = `
A test file is in KDL:

  policies "readers.cedar"       // files and folders, from the folder of the test file on

  case "a reader reads" {
      principal "alice" {
          roles "reader"
          claims { department "finance" }
      }
      action "GET"
      resource "/reports" { host "reports.example"; query "year=2026" }
      context { client-ip "192.0.2.1" }
      expect "allow" { policies "readers-read" }
  }

  case "nobody else does" {
      anonymous
      action "GET"
      resource "/reports"
      expect "deny"
  }

A principal can have roles, claims and an auth-method (jwt unless given). Where expect names policies, exactly these have to
decide; policies #null says that none is to. Beside policies, the keys default-decision, on-error, principal-claim, roles-claim
(here "roles" unless given, in an agent none) and template-link are those of the authz block. The requests are judged as the agent judges them.

Examples:
  gateway-auth policy test policies/tests.kdl            a line for each case
  gateway-auth policy test --quiet tests/*.kdl           only what fails, and the totals

Exit codes:
  0  every case is as expected
  1  a case is not, or a file has errors
  2  wrong usage
`;

export const explainHelp = `
Every policy is told with what it says to the request: that it is satisfied, that its scope is not about the request, that a
condition is not fulfilled, or that it fails with an error; and which part of it decided, with its place, its text, and the values
that were compared. The values of the request are shown: mind where the output goes.

Examples:
  gateway-auth policy explain --policies policies/ --principal alice --role reader \\
      --claim department=finance --action GET --resource /reports
  gateway-auth policy explain --policies readers.cedar --anonymous --action POST --resource /reports --json
  gateway-auth policy explain --config gateway.kdl --agent auth --principal alice --claim 'groups=["staff"]' \\
      --action GET --resource /reports
  gateway-auth policy explain --test-file policies/tests.kdl --case "a reader reads"

Exit codes:
  0  the request is decided, whichever way
  1  the policies, the configuration or the test file have errors
  2  wrong usage
`;

export const corpusHelp = `
The folder is in the format of the integration tests of Cedar: JSON files that name policies, entities and requests. One line of
JSON is written for each request: the case, the number of the request, decision, reason and errors as they were evaluated. What
the files expect is not looked at. The language is Cedar's alone here, without the additions of this program.

Examples:
  gateway-auth policy corpus cedar-integration-tests > decisions.jsonl

Exit codes:
  0  every request was decided
  1  the folder cannot be read, or some of its cases cannot
  2  wrong usage
`;
