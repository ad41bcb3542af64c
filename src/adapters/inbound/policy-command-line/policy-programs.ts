import { Argument, type Command } from 'commander';
import { sketchedMethods } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import { newProgram, type Program, valueFlag, withAgentBlock } from '../../command-line/program.js';

export const policyGroup = 'gateway-auth policy';

const overviewHelp = `
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

const checkHelp = `
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

const testHelp = `
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

const explainHelp = `
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

const corpusHelp = `
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

export const policyCommandNames = ['check', 'test', 'explain', 'corpus'] as const;
export type PolicyCommandName = (typeof policyCommandNames)[number];

export const policyProgram: Program = (print) =>
  newProgram(policyGroup, '<command> [options]', print)
    .description('Checks, tests and explains policies. Nothing is served, and no request is made.')
    .addHelpText('after', overviewHelp);

const withPolicyBlock = (command: Command): Command =>
  withAgentBlock(command, "the gateway's configuration: the policies that an authz block names");

const checkProgram: Program = (print) =>
  withPolicyBlock(newProgram(`${policyGroup} check`, '[options] [paths...]', print))
    .description('Reads policies as the agent would, and reports everything that is wrong with them.')
    .addArgument(new Argument('[paths...]', 'policy files, or folders of *.cedar files').default([], 'none'))
    .option('--strict', 'what a policy can never do is an error')
    .addHelpText('after', checkHelp);

const testProgram: Program = (print) =>
  newProgram(`${policyGroup} test`, '[options] <files...>', print)
    .description('Runs the cases of policy test files: requests, with the decisions that are expected of them.')
    .addArgument(new Argument('<files...>', 'policy test files, in KDL'))
    .option('--quiet', 'tell only of cases that fail')
    .addHelpText('after', testHelp);

const explainProgram: Program = (print) =>
  withPolicyBlock(
    newProgram(`${policyGroup} explain`, '[options]', print)
      .description('Decides about one request, and says what each policy has to do with it and why.')
      .addOption(valueFlag('--policies <path>', 'a policy file, or a folder of *.cedar files; may be repeated')),
  )
    .addOption(valueFlag('--principal <id>', 'who makes the request'))
    .option('--anonymous', 'nobody: a request that fail-open lets pass')
    .addOption(valueFlag('--role <role>', 'a role of the principal; may be repeated'))
    .addOption(valueFlag('--claim <name=value>', 'a claim, its value in JSON or as it is; may be repeated'))
    .addOption(valueFlag('--auth-method <method>', `${sketchedMethods.join(', ')} (default: jwt)`))
    .addOption(valueFlag('--action <method>', 'the method of the request, as GET'))
    .addOption(valueFlag('--resource <path>', 'the path of the request'))
    .addOption(valueFlag('--query <text>', 'its query, without the question mark'))
    .addOption(valueFlag('--host <name>', 'its Host header'))
    .addOption(valueFlag('--client-ip <address>', "the client's address; without it context has no client_ip"))
    .addOption(valueFlag('--correlation-id <text>', 'the id of the request'))
    .addOption(valueFlag('--default-decision <decision>', 'allow or deny (default: deny)'))
    .addOption(valueFlag('--on-error <rule>', 'deny or skip (default: deny)'))
    .addOption(valueFlag('--principal-claim <name>', 'the claim that names the principal (default: sub)'))
    .addOption(
      valueFlag(
        '--roles-claim <name>',
        'the claim with the roles (default: that of the authz block; without --config roles)',
      ),
    )
    .addOption(valueFlag('--test-file <file>', 'take a request, and the policies, from a policy test file'))
    .addOption(valueFlag('--case <name>', 'the case of the test file, where it has several'))
    .option('--json', 'write JSON')
    .addHelpText('after', explainHelp);

const corpusProgram: Program = (print) =>
  newProgram(`${policyGroup} corpus`, '[options] <folder>', print)
    .description("Decides about every request of a corpus in the format of Cedar's integration tests.")
    .addArgument(new Argument('<folder>', 'folder of the corpus'))
    .addHelpText('after', corpusHelp);

export const policyPrograms: Readonly<Record<PolicyCommandName, Program>> = {
  check: checkProgram,
  test: testProgram,
  explain: explainProgram,
  corpus: corpusProgram,
};
