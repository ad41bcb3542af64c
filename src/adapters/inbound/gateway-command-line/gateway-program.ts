import type { Command } from 'commander';
import { newProgram, type Program } from '../../command-line/program.js';
import { type ExplainOptions, explainHelp } from './parse-config-explain.js';

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
  explain(file: string, method: string, url: string, own: ExplainOptions, options: GatewayOptions): void;
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
  gateway --test --config config/gateway.kdl           check the configuration and exit
  gateway --validate --config config/gateway.kdl       also check the files that it refers to
  gateway config check config/gateway.kdl              like --validate, and report deprecated or unsafe settings
  gateway config migrate old.kdl --diff                show what a migration would change
  gateway config print config/gateway.kdl              show the configuration with defaults, without secrets
  gateway config explain config/gateway.kdl GET /api   show the route of a request, and what happens to it
  gateway reload --config config/gateway.kdl           make the running gateway load the file again
  GATEWAY_CONFIG=config/gateway.kdl gateway --verbose  use the environment, and log at debug level

Environment:
  GATEWAY_CONFIG          configuration file, if --config is absent
  GATEWAY_WORKER_THREADS  as --worker-threads, which overrides it
  GATEWAY_LOG_FORMAT      json (default) or pretty
  RUST_LOG                error, warn, info (default), debug, trace or off

Signals:
  SIGHUP              reload the configuration; if it has errors, nothing changes
  SIGUSR2             hand over to the program now on disk, without losing a request
  SIGTERM, SIGINT     finish requests in flight, then exit; a second signal exits at once

Exit codes:
  0  success
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

const usage =
  '--config FILE [options]\n       gateway config check|migrate|print FILE\n       gateway config explain FILE METHOD URL [-H HEADER]\n       gateway reload --config FILE';

const helpWidth = 80;

/** Subcommands inherit the help option, the output and the refusal of excess arguments. */
export const gatewayProgram = (version: string, actions: GatewayActions, print: Parameters<Program>[0]): Command => {
  const program = newProgram('gateway', usage, print, helpWidth)
    .description('Portcullis: an API gateway. Routes requests to upstreams after its agents have allowed them.')
    .version(`gateway ${version}`, '--version', 'print the version and exit; with --verbose more of it')
    .helpCommand(false)
    .option('--config <file>', 'configuration file (KDL); or GATEWAY_CONFIG')
    .option('--test', 'check the configuration, report all problems, and exit')
    .option('--validate', 'like --test, and also check the files that it refers to')
    .option('--pid-file <file>', 'write the process id to this file, and remove it at exit')
    .option(
      '--worker-threads <n>',
      'worker processes, overrides worker-threads; 0: one per core, 1: a single process; or GATEWAY_WORKER_THREADS',
    )
    .option('--verbose', 'log at debug level, unless RUST_LOG is set')
    .addHelpText('after', examples)
    // The message about a mistyped command can then name it, instead of reporting excess arguments.
    .argument('[command...]')
    .action((words: readonly string[], options: GatewayOptions) => actions.serve(words, options));

  addConfigCommands(program, actions);
  program
    .command('reload')
    .description('make the running gateway load its configuration again')
    .usage('--config FILE')
    .addHelpText('after', reloadHelp)
    .action(() => actions.reload(program.opts()));
  return program;
};

const migrateHelp = `
Rewrites a file to the current form and reports each change on standard error, as file:line: what. It changes
  KDL 1 (true, r"text") to KDL 2 (#true, #"text"#)       lists in brackets, agents ["a", "b"], to agents "a" "b"
  server { } to system { }                               top-level listener, route, upstream and agent to groups
  path-prefix and similar keys of a route to matches { } max-body-size and similar keys of a route to policies { }
  timeout-secs of an upstream to timeouts { }            key = value, underscores in names, "true" to #true
  names that begin with a digit to quoted names          observability, default-route and other keys of other gateways
Comments and order stay. A current file stays the same byte for byte.

Examples:
  gateway config migrate old.kdl --diff          show the changes, and write nothing
  gateway config migrate old.kdl -o new.kdl      write the result to another file
  gateway config migrate old.kdl -o -            write the result to standard output
  gateway config migrate old.kdl --in-place      change the file and its included files; keep a copy in old.kdl.bak

Exit codes:
  0  the result is a valid configuration
  1  the result has errors, or needs changes by hand; --in-place then writes nothing
  2  wrong usage
`;

const reloadHelp = `
Asks the running gateway to load its configuration again, in all workers or in none. It uses the admin address and the
token of the file. --config or GATEWAY_CONFIG names the file. Problems appear on standard error.

Exit codes:
  0  the new configuration is active
  1  nothing has changed: the file has errors, or the gateway did not answer
  2  wrong usage
`;

const checkHelp = `
Reports errors, forms of earlier versions, and unsafe settings, such as a secret in the file. Each warning about safety or
an earlier form ends with its name in brackets.

Exit codes:
  0  no errors
  1  errors; with --strict also warnings
  2  wrong usage
`;

const printHelp = `
Shows the effective configuration: included files in place, defaults filled in, keys in a fixed order. A literal secret
appears as "***", a reference as (env)"NAME" or (file)"/path". Options of agents appear as written.

Exit codes:
  0  success
  1  the configuration has errors
  2  wrong usage
`;

const addConfigCommands = (program: Command, actions: GatewayActions): void => {
  const config = program
    .command('config')
    .description('check, migrate, print or explain a configuration without running it')
    .helpCommand(false);
  config
    .command('check <file>')
    .description('report errors, deprecated forms and unsafe settings')
    .option('--strict', 'exit with 1 for warnings too')
    .addHelpText('after', checkHelp)
    .action((file: string, own: CheckOptions) => actions.check(file, own, program.opts()));
  config
    .command('migrate <file>')
    .description('rewrite a configuration in the current form')
    .option('-o, --output <file>', 'output file; - is standard output')
    .option('--in-place', 'change the file itself and its included files')
    .option('--diff', 'show the changes, and write nothing')
    .option('--force', 'replace an existing output file')
    .addHelpText('after', migrateHelp)
    .action((file: string, own: MigrateOptions) => actions.migrate(file, own, program.opts()));
  config
    .command('print <file>')
    .description('show the configuration with defaults, without secrets')
    .option('--format <format>', 'kdl or json', 'kdl')
    .addHelpText('after', printHelp)
    .action((file: string, own: PrintOptions) => actions.print(file, own, program.opts()));
  config
    .command('explain <file> <method> <url>')
    .description('show the route of a request, and what happens to it')
    .option('-H, --header <header>', "a header, 'Name: value'; may be repeated", (value, all: string[] = []) => [
      ...all,
      value,
    ])
    .option('--client-ip <address>', 'address of the peer; 192.0.2.1 by default')
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', explainHelp)
    .action((file: string, method: string, url: string, own: ExplainOptions) =>
      actions.explain(file, method, url, own, program.opts()),
    );
};
