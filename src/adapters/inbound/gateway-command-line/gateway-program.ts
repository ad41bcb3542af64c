import { Command } from 'commander';

/** The options that stand before any subcommand. */
export interface GatewayOptions {
  readonly config?: string;
  readonly test?: true;
  readonly validate?: true;
  readonly verbose?: true;
}

/** What a run of the program calls, with what it has read. */
export interface GatewayActions {
  serve(words: readonly string[], options: GatewayOptions): void;
  check(file: string, options: GatewayOptions): void;
  migrate(): void;
}

const examples = `
Examples:
  gateway --config config/gateway.kdl                  run the gateway
  gateway --test --config config/gateway.kdl           load the configuration, report every problem, and end
  gateway --validate --config config/gateway.kdl       the same, and look at the files that it refers to
  gateway config check config/gateway.kdl              the same as --validate
  GATEWAY_CONFIG=config/gateway.kdl gateway --verbose  the configuration by the environment; log at debug level

Environment:
  GATEWAY_CONFIG      the configuration, where --config is not given
  GATEWAY_LOG_FORMAT  json (default) or pretty
  RUST_LOG            error, warn, info (default), debug, trace or off

Signals:
  SIGHUP              read the configuration again; a bad one changes nothing
  SIGTERM, SIGINT     finish the requests in flight, then end; a second one ends at once

Exit codes:
  0  fine
  1  the configuration has errors, or the start failed
  2  wrong usage
`;

/** The command line as commander reads it. Nothing is written and nothing ended: `say` gets every text. */
export const gatewayProgram = (version: string, actions: GatewayActions, say: (text: string) => void): Command => {
  const program = new Command('gateway')
    .description('Portcullis: an API gateway. Routes requests to upstreams once its agents have let them pass.')
    .usage('--config FILE [options]\n       gateway config check FILE')
    .version(`gateway ${version}`, '--version', 'print the version and end')
    .helpOption('-h, --help', 'print this help and end')
    .helpCommand(false)
    .option('--config <file>', 'the configuration to run with (KDL); or GATEWAY_CONFIG')
    .option('--test', 'load everything, report every problem, and end')
    .option('--validate', 'like --test, and resolve what the configuration refers to')
    .option('--verbose', 'log at debug level, where RUST_LOG does not say otherwise')
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: say, writeErr: say })
    .exitOverride()
    .addHelpText('after', examples)
    // Taken here so that a mistyped command is told as one, and not as a surplus argument.
    .argument('[command...]')
    .action((words: readonly string[], options: GatewayOptions) => actions.serve(words, options));

  const config = program
    .command('config')
    .description('look at a configuration without running it')
    .helpOption('-h, --help', 'print this help and end')
    .helpCommand(false);
  config
    .command('check <file>')
    .description('report every problem of a configuration')
    .helpOption('-h, --help', 'print this help and end')
    .action((file: string) => actions.check(file, program.opts()));
  config
    .command('migrate', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => actions.migrate());
  return program;
};
