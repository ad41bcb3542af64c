import { Command, Option } from 'commander';
import { agentOptionFlags } from './agent-option-flags.js';

/** Values as commander gives them, by the flag's name; a flag that takes a value holds every one that was given. */
export type AgentFlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

const examples = `
Commands, each with a --help of its own:
  gateway-auth policy         check, test and explain policies
  gateway-auth saml           write the metadata of the service provider
  gateway-auth sessions       list, show and revoke sessions of single sign-on
  gateway-auth hash-password  hash a password for basic-auth-users
  gateway-auth hash-key       hash an API key for api-keys, or make a new one

Lists have their entries separated by commas; \\, is a comma, and @FILE names a file with one entry a line. A list flag may
be repeated: the entries of each are read on their own.
A key entry splits at its last colon, a user entry at its first.

Examples:
  API_KEYS=s3cret-key:reports gateway-auth                       accept one API key, whose user id is "reports"
  API_KEYS=@/run/secrets/keys gateway-auth --socket /run/a.sock  keys from a file, another socket
  JWT_SECRET=... gateway-auth --jwt-issuer https://id.example    HS256 tokens of one issuer
  gateway-auth --jwt-algorithm RS256 --jwt-public-key key.pem    RS256 tokens
  gateway-auth --config gateway.kdl --agent auth                 the options of an agent block of the gateway's file
  gateway-auth --config gateway.kdl --agent auth --test          load everything, report, and end

Environment:
  Each option has a variable, named beside it. A flag wins over its variable, a variable over the config block. Prefer
  variables and files for secrets: arguments can be seen by everyone on the machine.
  GATEWAY_LOG_FORMAT  json (default) or pretty
  RUST_LOG            error, warn, info (default), debug, trace or off

A gateway that connects hands its agent block's config over; an option given here wins over the same option there.

Signals:
  SIGHUP              read keys, lists, policies, and what gRPC is served with again from their files;
                      a bad one changes nothing
  SIGTERM, SIGINT     finish what is in flight, then end; a second one ends at once

Exit codes:
  0  fine
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

/** The same on every terminal, so that the reference page can show it. */
const helpWidth = 100;

const gather = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

/** The command line as commander reads it. Nothing is written and nothing ended: `say` gets every text. */
export const agentProgram = (version: string, say: (text: string) => void): Command => {
  const program = new Command('gateway-auth')
    .description('Portcullis: the authentication agent. Says who makes a request, or that it must not pass.')
    .usage('[options] | policy | saml | sessions | hash-password | hash-key')
    .version(`gateway-auth ${version}`, '--version', 'print the version and end')
    .helpOption('-h, --help', 'print this help and end')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: say,
      writeErr: say,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .exitOverride()
    .allowExcessArguments(false)
    .addHelpText('after', examples);
  for (const { option, value, variable, meaning } of agentOptionFlags) {
    program.addOption(new Option(`--${option} ${value}`, `${meaning}; or ${variable}`).argParser(gather));
  }
  return program
    .addOption(new Option('--config <file>', "the gateway's configuration, for an agent block in it").argParser(gather))
    .addOption(new Option('--agent <name>', 'the agent block to use, where the file has several').argParser(gather))
    .option('--test', 'load everything, report every problem, and end')
    .option('--validate', 'the same as --test: an agent loads all that its options refer to')
    .option('--verbose', 'log at debug level, where RUST_LOG does not say otherwise');
};
