import type { Command } from 'commander';
import { newProgram, type Program } from '../../command-line/program.js';

/** The options before a subcommand. */
export interface GatewayOptions {
  readonly config?: string;
  readonly test?: true;
  readonly validate?: true;
  readonly verbose?: true;
  readonly pidFile?: string;
  readonly workerThreads?: string;
}

/** Handlers of the commands. */
export interface GatewayActions {
  serve(words: readonly string[], options: GatewayOptions): void;
  check(file: string, own: CheckOptions, options: GatewayOptions): void;
  migrate(file: string, own: MigrateOptions, options: GatewayOptions): void;
  print(file: string, own: PrintOptions, options: GatewayOptions): void;
  reload(options: GatewayOptions): void;
}

export interface CheckOptions {
  readonly strict?: true;
}

export interface MigrateOptions {
  readonly output?: string;
  readonly inPlace?: true;
  readonly diff?: true;
  readonly force?: true;
}

export interface PrintOptions {
  readonly format: string;
}

const examples = `
Examples:
  gateway --config config/gateway.kdl                  run the gateway
  gateway --test --config config/gateway.kdl           load the configuration, report every problem, and end
  gateway --validate --config config/gateway.kdl       the same, and look at the files that it refers to
  gateway config check config/gateway.kdl              the same as --validate, and what is deprecated or unsafe
  gateway config migrate old.kdl --diff                what a migration would change
  gateway config print config/gateway.kdl              the configuration with its defaults, secrets hidden
  gateway reload --config config/gateway.kdl           have the gateway that runs with the file load it again
  GATEWAY_CONFIG=config/gateway.kdl gateway --verbose  the configuration by the environment; log at debug level

Environment:
  GATEWAY_CONFIG          the configuration, where --config is not given
  GATEWAY_WORKER_THREADS  where --worker-threads is not given; 0: a worker for each core, 1: a single process
  GATEWAY_LOG_FORMAT      json (default) or pretty
  RUST_LOG                error, warn, info (default), debug, trace or off

Signals:
  SIGHUP              read the configuration again; a bad one changes nothing
  SIGUSR2             let the program that is on disk now take over, without losing a request
  SIGTERM, SIGINT     finish the requests in flight, then end; a second one ends at once

Exit codes:
  0  fine
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

const usage =
  '--config FILE [options]\n       gateway config check|migrate|print FILE\n       gateway reload --config FILE';

const helpWidth = 80;

/** Subcommands inherit the help option, the output and the refusal of excess arguments. */
export const gatewayProgram = (version: string, actions: GatewayActions, print: Parameters<Program>[0]): Command => {
  const program = newProgram('gateway', usage, print, helpWidth)
    .description('Portcullis: an API gateway. Routes requests to upstreams once its agents have let them pass.')
    .version(`gateway ${version}`, '--version', 'print the version and end')
    .helpCommand(false)
    .option('--config <file>', 'the configuration to run with (KDL); or GATEWAY_CONFIG')
    .option('--test', 'load everything, report every problem, and end')
    .option('--validate', 'like --test, and resolve what the configuration refers to')
    .option('--pid-file <file>', 'write the number of the process in charge there, and remove it at the end')
    .option('--worker-threads <n>', 'as worker-threads of the configuration, in its place; or GATEWAY_WORKER_THREADS')
    .option('--verbose', 'log at debug level, where RUST_LOG does not say otherwise')
    .addHelpText('after', examples)
    // So that the message about a mistyped command names it, and does not speak of excess arguments.
    .argument('[command...]')
    .action((words: readonly string[], options: GatewayOptions) => actions.serve(words, options));

  addConfigCommands(program, actions);
  program
    .command('reload')
    .description('have a gateway that runs load its configuration again')
    .usage('--config FILE')
    .addHelpText('after', reloadHelp)
    .action(() => actions.reload(program.opts()));
  return program;
};

const migrateHelp = `
Rewrites, and says on standard error what it changed, file:line: what
  KDL 1 (true, r"text") as KDL 2 (#true, #"text"#)       lists in brackets, agents ["a", "b"], as agents "a" "b"
  server { } as system { }                               listener, route, upstream and agent at the top into groups
  path-prefix and the like on a route into matches { }   max-body-size and the like on a route into policies { }
  timeout-secs of an upstream as timeouts { }            key = value, underscores in names, "true" for #true
  names that begin with a digit in quotes                observability, default-route and other words of gateways with a KDL file
Comments and the order are kept. A file that is up to date comes out byte for byte the same.

Examples:
  gateway config migrate old.kdl --diff          show what would change, and write nothing
  gateway config migrate old.kdl -o new.kdl      write the result to another file
  gateway config migrate old.kdl -o -            write it to standard output
  gateway config migrate old.kdl --in-place      change the file and those that it includes; old.kdl.bak keeps the old

Exit codes:
  0  the result is a configuration without errors
  1  something is left that no rule can change, or the result has errors; with --in-place nothing is written then
  2  wrong usage
`;

const reloadHelp = `
Asks the gateway by the admin address of the file, with the token of its admin block, to load its configuration again, in all of
its workers or in none. --config names the file, or GATEWAY_CONFIG. What keeps it from loading is told on standard error.

Exit codes:
  0  the configuration is in force
  1  nothing has changed: the file has errors, or no gateway could be asked
  2  wrong usage
`;

const checkHelp = `
Reports every error, what is written in a form of earlier versions, and what is unsafe, such as a secret in the file. Each
warning of that kind ends with its name in brackets.

Exit codes:
  0  no errors
  1  errors; with --strict also warnings
  2  wrong usage
`;

const printHelp = `
Shows the configuration as the gateway understands it: the files that it includes in their places, defaults filled in, in
an order that is always the same. A secret that stands in a file is shown as "***", one from elsewhere as
(env)"NAME" or (file)"/path". The options of agents are shown as they are written.

Exit codes:
  0  fine
  1  the configuration has errors
  2  wrong usage
`;

const addConfigCommands = (program: Command, actions: GatewayActions): void => {
  const config = program
    .command('config')
    .description('look at a configuration, or rewrite it, without running it')
    .helpCommand(false);
  config
    .command('check <file>')
    .description('report every problem of a configuration, and what is deprecated or unsafe')
    .option('--strict', 'end with 1 for warnings too')
    .addHelpText('after', checkHelp)
    .action((file: string, own: CheckOptions) => actions.check(file, own, program.opts()));
  config
    .command('migrate <file>')
    .description('rewrite a configuration of an earlier version')
    .option('-o, --output <file>', 'where the result goes; - is standard output')
    .option('--in-place', 'change the file itself, and those that it includes')
    .option('--diff', 'show what would change, and write nothing')
    .option('--force', 'replace an output file that is there')
    .addHelpText('after', migrateHelp)
    .action((file: string, own: MigrateOptions) => actions.migrate(file, own, program.opts()));
  config
    .command('print <file>')
    .description('show the configuration with its defaults, secrets hidden')
    .option('--format <format>', 'kdl or json', 'kdl')
    .addHelpText('after', printHelp)
    .action((file: string, own: PrintOptions) => actions.print(file, own, program.opts()));
};
