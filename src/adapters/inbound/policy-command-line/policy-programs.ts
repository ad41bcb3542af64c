import { Argument, Command, Option } from 'commander';
import { sketchedMethods } from '../../../domain/agent/policy/test-cases/sketched-identity.js';
import { checkHelp, corpusHelp, explainHelp, overviewHelp, testHelp } from './policy-help.js';

/** The same on every terminal, so that the reference page can show it. */
const helpWidth = 100;

const gather = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

export const policyCommandNames = ['check', 'test', 'explain', 'corpus'] as const;
export type PolicyCommandName = (typeof policyCommandNames)[number];

const program = (name: string, usage: string, say: (text: string) => void): Command =>
  new Command(name)
    .usage(usage)
    .helpOption('-h, --help', 'print this help and end')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: say,
      writeErr: say,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .exitOverride()
    .allowExcessArguments(false);

const option = (flags: string, meaning: string): Option => new Option(flags, meaning).argParser(gather);

/** `gateway-auth policy` without a command of its own. */
export const policyProgram = (say: (text: string) => void): Command =>
  program('gateway-auth policy', '<command> [options]', say)
    .description('Checks, tests and explains policies. Nothing is served, and no request is made.')
    .addHelpText('after', overviewHelp);

const withAgent = (command: Command): Command =>
  command
    .addOption(option('--config <file>', "the gateway's configuration: the policies that an authz block names"))
    .addOption(option('--agent <name>', 'the agent block to use, where the file has several'));

const checkProgram = (say: (text: string) => void): Command =>
  withAgent(program('gateway-auth policy check', '[options] [paths...]', say))
    .description('Reads policies as the agent would, and reports everything that is wrong with them.')
    .addArgument(new Argument('[paths...]', 'policy files, or folders of *.cedar files').default([], 'none'))
    .option('--strict', 'what a policy can never do is an error')
    .addHelpText('after', checkHelp);

const testProgram = (say: (text: string) => void): Command =>
  program('gateway-auth policy test', '[options] <files...>', say)
    .description('Runs the cases of policy test files: requests, with the decisions that are expected of them.')
    .addArgument(new Argument('<files...>', 'policy test files, in KDL'))
    .option('--quiet', 'tell only of cases that fail')
    .addHelpText('after', testHelp);

const explainProgram = (say: (text: string) => void): Command =>
  withAgent(
    program('gateway-auth policy explain', '[options]', say)
      .description('Decides about one request, and says what each policy has to do with it and why.')
      .addOption(option('--policies <path>', 'a policy file, or a folder of *.cedar files; may be repeated')),
  )
    .addOption(option('--principal <id>', 'who makes the request'))
    .option('--anonymous', 'nobody: a request that fail-open lets pass')
    .addOption(option('--role <role>', 'a role of the principal; may be repeated'))
    .addOption(option('--claim <name=value>', 'a claim, its value in JSON or as it is; may be repeated'))
    .addOption(option('--auth-method <method>', `${sketchedMethods.join(', ')} (default: jwt)`))
    .addOption(option('--action <method>', 'the method of the request, as GET'))
    .addOption(option('--resource <path>', 'the path of the request'))
    .addOption(option('--query <text>', 'its query, without the question mark'))
    .addOption(option('--host <name>', 'its Host header'))
    .addOption(option('--client-ip <address>', "the client's address; without it context has no client_ip"))
    .addOption(option('--correlation-id <text>', 'the id of the request'))
    .addOption(option('--default-decision <decision>', 'allow or deny (default: deny)'))
    .addOption(option('--on-error <rule>', 'deny or skip (default: deny)'))
    .addOption(option('--principal-claim <name>', 'the claim that names the principal (default: sub)'))
    .addOption(
      option(
        '--roles-claim <name>',
        'the claim with the roles (default: that of the authz block; without --config roles)',
      ),
    )
    .addOption(option('--test-file <file>', 'take a request, and the policies, from a policy test file'))
    .addOption(option('--case <name>', 'the case of the test file, where it has several'))
    .option('--json', 'write JSON')
    .addHelpText('after', explainHelp);

const corpusProgram = (say: (text: string) => void): Command =>
  program('gateway-auth policy corpus', '[options] <folder>', say)
    .description("Decides about every request of a corpus in the format of Cedar's integration tests.")
    .addArgument(new Argument('<folder>', 'folder of the corpus'))
    .addHelpText('after', corpusHelp);

const programs: Readonly<Record<PolicyCommandName, (say: (text: string) => void) => Command>> = {
  check: checkProgram,
  test: testProgram,
  explain: explainProgram,
  corpus: corpusProgram,
};

/** A command of `gateway-auth policy` as commander reads it. Nothing is written and nothing ended: `say` gets every text. */
export const policyProgramOf = (name: PolicyCommandName, say: (text: string) => void): Command => programs[name](say);
