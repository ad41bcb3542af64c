import type { UsageOutput } from '../../command-line/command-output.js';
import { helpOutput, misuse, readArguments } from '../../command-line/program.js';
import {
  type GatewayActions,
  type GatewayOptions,
  gatewayProgram,
  type MigrateOptions,
  type PrintOptions,
} from './gateway-program.js';
import { type ExplainCommand, type ExplainOptions, explainArguments } from './parse-config-explain.js';

/** `gateway`. */
export type GatewayCommand =
  /** Run the gateway. */
  | RunCommand
  /** `--test`: load everything and report. */
  | { readonly kind: 'test'; readonly configFile: string; readonly verbose: boolean }
  /** `--validate`: like `test`, and resolve the references of the file. */
  | { readonly kind: 'validate'; readonly configFile: string; readonly verbose: boolean }
  /** `config check`: like `validate`, and report what is deprecated or unsafe. `strict`: warnings count as errors. */
  | { readonly kind: 'check'; readonly configFile: string; readonly strict: boolean }
  /** `config migrate`: write the file in the current form. */
  | { readonly kind: 'migrate'; readonly configFile: string; readonly output: MigrationOutput }
  /** `config print`: show the configuration with its defaults. */
  | { readonly kind: 'print'; readonly configFile: string; readonly format: 'kdl' | 'json' }
  /** `config explain`: show what happens to a request. */
  | ExplainCommand
  /** `reload`: the gateway that runs with this file loads it again. */
  | { readonly kind: 'reload'; readonly configFile: string };

/** The destination of a migrated file. */
export type MigrationOutput =
  /** `force`: replace an existing file. */
  | { readonly kind: 'file'; readonly path: string; readonly force: boolean }
  | { readonly kind: 'stdout' }
  /** The file itself and the files that it includes. A copy of each old file gets the suffix `.bak`. */
  | { readonly kind: 'in-place' }
  /** Show the changes, and write no file. */
  | { readonly kind: 'diff' };

export interface RunCommand {
  readonly kind: 'run';
  readonly configFile: string;
  readonly verbose: boolean;
  /** The file for the process number; null: none. */
  readonly pidFile: string | null;
  /** Overrides `worker-threads`; null: the configuration decides. */
  readonly workerThreads: number | null;
}

type ParsedGateway = GatewayCommand | UsageOutput;

const gatewayMisuse = (text: string): UsageOutput => misuse('gateway', text);

const noConfiguration = 'error: no configuration: use --config FILE, or set GATEWAY_CONFIG';

type Environment = Readonly<Record<string, string | undefined>>;

/** The limit of `worker-threads` in the configuration. */
const mostWorkerThreads = 256;

const noThreads = (given: string): string =>
  `error: worker-threads (--worker-threads, GATEWAY_WORKER_THREADS) must be a whole number from 0 to ${mostWorkerThreads}, not ${JSON.stringify(given)}`;

const engineVariable = 'GATEWAY_HTTP_ENGINE';

/** The first flag that only a running gateway can use; null: there is none. */
const runningOption = ({ pidFile, workerThreads }: GatewayOptions): string | null => {
  if (pidFile !== undefined) return '--pid-file';
  return workerThreads === undefined ? null : '--worker-threads';
};

/** The run with its overrides of the configuration, or the message about a wrong override. */
const checkedRun = (
  run: Pick<RunCommand, 'configFile' | 'verbose' | 'pidFile'>,
  options: GatewayOptions,
  env: Environment,
): ParsedGateway => {
  const threads = options.workerThreads ?? env['GATEWAY_WORKER_THREADS'] ?? '';
  if (threads !== '' && !/^\d{1,3}$/.test(threads)) return gatewayMisuse(noThreads(threads));
  const workerThreads = threads === '' ? null : Number(threads);
  if (workerThreads !== null && workerThreads > mostWorkerThreads) return gatewayMisuse(noThreads(threads));
  if ((env[engineVariable] ?? '') !== '')
    return gatewayMisuse(`error: the gateway has only one HTTP engine: unset ${engineVariable}`);
  return { kind: 'run', ...run, workerThreads };
};

/** `--test` and `--validate` together mean `--validate`. */
const serveCommand = (words: readonly string[], options: GatewayOptions, env: Environment): ParsedGateway => {
  const [unknown] = words;
  if (unknown !== undefined) return gatewayMisuse(`error: unknown command ${JSON.stringify(unknown)}`);
  const configFile = options.config ?? env['GATEWAY_CONFIG'] ?? '';
  if (configFile === '') return gatewayMisuse(noConfiguration);
  const { pidFile = null, verbose = false } = options;
  if (!options.test && !options.validate) {
    if (pidFile === '') return gatewayMisuse('error: --pid-file must not be empty');
    return checkedRun({ configFile, verbose, pidFile }, options, env);
  }
  const running = runningOption(options);
  if (running !== null) return gatewayMisuse(`error: ${running} has no effect with --test or --validate`);
  // A run would refuse a bad variable, so a check refuses it too.
  const run = checkedRun({ configFile, verbose, pidFile: null }, options, env);
  return run.kind === 'run' ? { kind: options.validate ? 'validate' : 'test', configFile, verbose } : run;
};

const reloadCommand = (options: GatewayOptions, fromEnvironment: string | undefined): ParsedGateway => {
  const { config, test, validate, verbose } = options;
  if (test || validate || verbose || runningOption(options) !== null)
    return gatewayMisuse('error: reload takes no other option than --config');
  const configFile = config ?? fromEnvironment ?? '';
  return configFile === '' ? gatewayMisuse(noConfiguration) : { kind: 'reload', configFile };
};

/** Misuse that all subcommands of `config` share. */
const configMisuse = (command: string, file: string, options: GatewayOptions): UsageOutput | null => {
  if (file === '') return gatewayMisuse(`error: the file name of config ${command} must not be empty`);
  const { config, test, validate } = options;
  const other = config !== undefined ? '--config' : (runningOption(options) ?? '--test or --validate');
  if (config !== undefined || test || validate || runningOption(options) !== null) {
    return gatewayMisuse(`error: config ${command} takes only the file, not ${other}`);
  }
  return null;
};

const migrateCommand = (configFile: string, { output, inPlace, diff, force }: MigrateOptions): ParsedGateway => {
  const chosen = [output !== undefined, inPlace === true, diff === true].filter(Boolean).length;
  if (chosen !== 1) return gatewayMisuse('error: config migrate needs exactly one of -o FILE, --in-place and --diff');
  if (force && (output === undefined || output === '-')) return gatewayMisuse('error: --force needs -o FILE');
  if (inPlace) return { kind: 'migrate', configFile, output: { kind: 'in-place' } };
  if (output === undefined) return { kind: 'migrate', configFile, output: { kind: 'diff' } };
  if (output === '') return gatewayMisuse('error: the output file name must not be empty');
  if (output === '-') return { kind: 'migrate', configFile, output: { kind: 'stdout' } };
  return { kind: 'migrate', configFile, output: { kind: 'file', path: output, force: force ?? false } };
};

const printCommand = (configFile: string, { format }: PrintOptions): ParsedGateway =>
  format === 'kdl' || format === 'json'
    ? { kind: 'print', configFile, format }
    : gatewayMisuse(`error: --format must be kdl or json, not ${JSON.stringify(format)}`);

const explainCommand = (file: string, method: string, url: string, own: ExplainOptions): ParsedGateway => {
  const command = explainArguments(file, method, url, own);
  return command.ok ? command.value : misuse('gateway config explain', command.error);
};

/** The full name of the command that the arguments begin with. */
const commandNameOf = ([first, second]: readonly string[]): string => {
  if (first === 'reload') return 'gateway reload';
  if (first !== 'config') return 'gateway';
  return ['check', 'migrate', 'print', 'explain'].includes(second ?? '')
    ? `gateway config ${second}`
    : 'gateway config';
};

/**
 * Reads the command line of `gateway`. Never throws, writes or ends the process.
 *
 * @param argv the arguments alone, without the paths of Node and of the program
 * @param version of the program, as in `1.2.3`
 */
export const parseGatewayArguments = (argv: readonly string[], env: Environment, version: string): ParsedGateway => {
  let command: ParsedGateway | null = null;
  const actions: GatewayActions = {
    serve: (words, options) => {
      command = serveCommand(words, options, env);
    },
    check: (file, own, options) => {
      command = configMisuse('check', file, options) ?? {
        kind: 'check',
        configFile: file,
        strict: own.strict ?? false,
      };
    },
    migrate: (file, own, options) => {
      command = configMisuse('migrate', file, options) ?? migrateCommand(file, own);
    },
    print: (file, own, options) => {
      command = configMisuse('print', file, options) ?? printCommand(file, own);
    },
    explain: (file, method, url, own, options) => {
      command = configMisuse('explain', file, options) ?? explainCommand(file, method, url, own);
    },
    reload: (options) => {
      command = reloadCommand(options, env['GATEWAY_CONFIG']);
    },
  };
  const parsed = readArguments((print) => gatewayProgram(version, actions, print), argv);
  if (parsed.kind === 'help') return helpOutput(parsed.text);
  if (parsed.kind === 'misuse') return misuse(commandNameOf(argv), parsed.text);
  return command ?? gatewayMisuse('error: nothing to do');
};
