import { Argument, type Command } from 'commander';
import { sketchedMethods } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import { newProgram, type Program, valueFlag, withAgentBlock } from '../../command-line/program.js';

export const policyGroup = 'gateway-auth policy';

const overviewHelp = `
Commands; each has its own --help:
  gateway-auth policy check    report errors and warnings in policies
  gateway-auth policy test     run test cases: requests with expected decisions
  gateway-auth policy explain  explain the result of each policy for one request
  gateway-auth policy corpus   evaluate the requests of a Cedar test corpus

Examples:
  gateway-auth policy check policies/
  gateway-auth policy test policies/tests.kdl
  gateway-auth policy explain --policies policies/ --principal alice --role reader --action GET --resource /reports
`;

const checkHelp = `
Errors are language errors and duplicate ids. Warnings are policies that can never apply as written: they name an
action, entity type or attribute that no request has, or, with --config, a role that no caller can have. A file without
policies is a warning too. Each message has file, line and column. With --strict, or strict-policies in the authz block,
these warnings are errors. A template without a link stays a warning, because links are in the configuration.

With --config the command checks the policies of the agent's authz block, in files and inline, with template links.

Examples:
  gateway-auth policy check policies/                              all *.cedar files of a folder
  gateway-auth policy check --strict readers.cedar writers.cedar   two files as one set
  gateway-auth policy check --config gateway.kdl --agent auth      the policies of an agent

Exit codes:
  0  no errors
  1  errors; with --strict also policies that can never apply
  2  wrong usage
`;

const testHelp = `
A test file is in KDL:

  policies "readers.cedar"       // files and folders, relative to the test file

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

  case "others do not" {
      anonymous
      action "GET"
      resource "/reports"
      expect "deny"
  }

A principal can have roles, claims and an auth-method (default: jwt). If expect names policies, exactly these must decide;
policies #null means that none may. The keys default-decision, on-error, principal-claim, roles-claim and template-link have
the meaning of the authz block; roles-claim defaults to "roles" here and to none in an agent. The command evaluates requests
as the agent does.

Examples:
  gateway-auth policy test policies/tests.kdl            one line for each case
  gateway-auth policy test --quiet tests/*.kdl           only failures and totals

Exit codes:
  0  all cases pass
  1  a case fails, or a file has errors
  2  wrong usage
`;

const explainHelp = `
Shows the result of every policy: satisfied, outside its scope, condition not fulfilled, or error. For each it shows the part
that decided, with position, text and compared values. The output contains values of the request: treat it as confidential.

Examples:
  gateway-auth policy explain --policies policies/ --principal alice --role reader \\
      --claim department=finance --action GET --resource /reports
  gateway-auth policy explain --policies readers.cedar --anonymous --action POST --resource /reports --json
  gateway-auth policy explain --config gateway.kdl --agent auth --principal alice --claim 'groups=["staff"]' \\
      --action GET --resource /reports
  gateway-auth policy explain --test-file policies/tests.kdl --case "a reader reads"

Exit codes:
  0  there is a decision, allow or deny
  1  the policies, the configuration or the test file have errors
  2  wrong usage
`;

const corpusHelp = `
The folder has the format of Cedar's integration tests: JSON files that name policies, entities and requests. The command
writes one line of JSON for each request: case, number, decision, reason and errors. It ignores the expected results. It
uses plain Cedar, without the additions of this program.

Examples:
  gateway-auth policy corpus cedar-integration-tests > decisions.jsonl

Exit codes:
  0  all requests have a decision
  1  the folder or some of its cases are unreadable
  2  wrong usage
`;

export const policyCommandNames = ['check', 'test', 'explain', 'corpus'] as const;
export type PolicyCommandName = (typeof policyCommandNames)[number];

export const policyProgram: Program = (print) =>
  newProgram(policyGroup, '<command> [options]', print)
    .description('Checks, tests and explains policies. Sends no requests.')
    .addHelpText('after', overviewHelp);

const withPolicyBlock = (command: Command): Command =>
  withAgentBlock(command, 'configuration of the gateway, whose authz block names the policies');

const checkProgram: Program = (print) =>
  withPolicyBlock(newProgram(`${policyGroup} check`, '[options] [paths...]', print))
    .description('Reads policies as the agent does, and reports all problems.')
    .addArgument(new Argument('[paths...]', 'policy files, or folders of *.cedar files').default([], 'none'))
    .option('--strict', 'treat policies that can never apply as errors')
    .addHelpText('after', checkHelp);

const testProgram: Program = (print) =>
  newProgram(`${policyGroup} test`, '[options] <files...>', print)
    .description('Runs the cases of policy test files: requests with expected decisions.')
    .addArgument(new Argument('<files...>', 'policy test files, in KDL'))
    .option('--quiet', 'report only failing cases')
    .addHelpText('after', testHelp);

const explainProgram: Program = (print) =>
  withPolicyBlock(
    newProgram(`${policyGroup} explain`, '[options]', print)
      .description('Decides about one request, and explains the result of each policy.')
      .addOption(valueFlag('--policies <path>', 'policy file, or folder of *.cedar files; repeatable')),
  )
    .addOption(valueFlag('--principal <id>', 'id of the caller'))
    .option('--anonymous', 'no caller: a request that fail-open accepts')
    .addOption(valueFlag('--role <role>', 'role of the principal; repeatable'))
    .addOption(valueFlag('--claim <name=value>', 'claim, with a value in JSON or as plain text; repeatable'))
    .addOption(valueFlag('--auth-method <method>', `${sketchedMethods.join(', ')} (default: jwt)`))
    .addOption(valueFlag('--action <method>', 'method of the request, such as GET'))
    .addOption(valueFlag('--resource <path>', 'path of the request'))
    .addOption(valueFlag('--query <text>', 'query of the request, without the question mark'))
    .addOption(valueFlag('--host <name>', 'Host header of the request'))
    .addOption(valueFlag('--client-ip <address>', 'address of the client; without it context has no client_ip'))
    .addOption(valueFlag('--correlation-id <text>', 'id of the request'))
    .addOption(valueFlag('--default-decision <decision>', 'allow or deny (default: deny)'))
    .addOption(valueFlag('--on-error <rule>', 'deny or skip (default: deny)'))
    .addOption(valueFlag('--principal-claim <name>', 'claim that names the principal (default: sub)'))
    .addOption(
      valueFlag(
        '--roles-claim <name>',
        'claim with the roles (default: that of the authz block; without --config: roles)',
      ),
    )
    .addOption(valueFlag('--test-file <file>', 'use the request and the policies of a policy test file'))
    .addOption(valueFlag('--case <name>', 'case of the test file, if it has several'))
    .option('--json', 'write JSON')
    .addHelpText('after', explainHelp);

const corpusProgram: Program = (print) =>
  newProgram(`${policyGroup} corpus`, '[options] <folder>', print)
    .description("Evaluates all requests of a corpus in the format of Cedar's integration tests.")
    .addArgument(new Argument('<folder>', 'folder of the corpus'))
    .addHelpText('after', corpusHelp);

export const policyPrograms: Readonly<Record<PolicyCommandName, Program>> = {
  check: checkProgram,
  test: testProgram,
  explain: explainProgram,
  corpus: corpusProgram,
};
