import { CommanderError } from 'commander';
import type { GatewayCommand, RunCommand } from './gateway-command.js';
import { type GatewayOptions, gatewayProgram, type MigrateOptions, type PrintOptions } from './gateway-program.js';

const misuse = (text: string): GatewayCommand => ({
  kind: 'say',
  text: `${text.trimEnd()}\n(gateway --help shows the usage)\n`,
  exitCode: 2,
});

const noConfiguration = 'error: no configuration is given: use --config FILE, or set GATEWAY_CONFIG';

type Environment = Readonly<Record<string, string | undefined>>;

/** As the configuration has it. */
const mostWorkerThreads = 256;

const noThreads = (given: string): string =>
  `error: worker-threads (--worker-threads, GATEWAY_WORKER_THREADS) is a whole number from 0 to ${mostWorkerThreads}, not ${JSON.stringify(given)}`;

const engineVariable = 'GATEWAY_HTTP_ENGINE';

/** The first of the options that only a gateway which runs can have; null where there is none. */
const runningOption = ({ pidFile, workerThreads }: GatewayOptions): string | null => {
  if (pidFile !== undefined) return '--pid-file';
  return workerThreads === undefined ? null : '--worker-threads';
};

/** What takes the place of keys of the configuration, or what is wrong with it. */
const runCommand = (
  run: Pick<RunCommand, 'configFile' | 'verbose' | 'pidFile'>,
  options: GatewayOptions,
  env: Environment,
): GatewayCommand => {
  const threads = options.workerThreads ?? env['GATEWAY_WORKER_THREADS'] ?? '';
  if (threads !== '' && !/^\d{1,3}$/.test(threads)) return misuse(noThreads(threads));
  const workerThreads = threads === '' ? null : Number(threads);
  if (workerThreads !== null && workerThreads > mostWorkerThreads) return misuse(noThreads(threads));
  if ((env[engineVariable] ?? '') !== '') return misuse(`error: there is one HTTP engine now: unset ${engineVariable}`);
  return { kind: 'run', ...run, workerThreads };
};

/** `--test` and `--validate` together ask for the more thorough. */
const serveCommand = (words: readonly string[], options: GatewayOptions, env: Environment): GatewayCommand => {
  const [unknown] = words;
  if (unknown !== undefined) return misuse(`error: there is no command ${JSON.stringify(unknown)}`);
  const configFile = options.config ?? env['GATEWAY_CONFIG'] ?? '';
  if (configFile === '') return misuse(noConfiguration);
  const { pidFile = null, verbose = false } = options;
  if (!options.test && !options.validate) {
    if (pidFile === '') return misuse('error: the name of the file for the process number is empty');
    return runCommand({ configFile, verbose, pidFile }, options, env);
  }
  const running = runningOption(options);
  if (running !== null) return misuse(`error: ${running} is for a gateway that runs, not for --test or --validate`);
  // What a run would refuse of the environment is no part of the file, but a run with it cannot begin.
  const run = runCommand({ configFile, verbose, pidFile: null }, options, env);
  return run.kind === 'run' ? { kind: options.validate ? 'validate' : 'test', configFile, verbose } : run;
};

const reloadCommand = (options: GatewayOptions, fromEnvironment: string | undefined): GatewayCommand => {
  const { config, test, validate, verbose } = options;
  if (test || validate || verbose || runningOption(options) !== null)
    return misuse('error: reload takes --config alone');
  const configFile = config ?? fromEnvironment ?? '';
  return configFile === '' ? misuse(noConfiguration) : { kind: 'reload', configFile };
};

/** What is wrong with how a subcommand of `config` is called, as far as they have it in common. */
const configMisuse = (command: string, file: string, options: GatewayOptions): GatewayCommand | null => {
  if (file === '') return misuse(`error: the name of the file to ${command} is empty`);
  const { config, test, validate } = options;
  const other = config !== undefined ? '--config' : (runningOption(options) ?? '--test or --validate');
  if (config !== undefined || test || validate || runningOption(options) !== null) {
    return misuse(`error: config ${command} takes the file alone, without ${other}`);
  }
  return null;
};

const migrateCommand = (configFile: string, { output, inPlace, diff, force }: MigrateOptions): GatewayCommand => {
  const chosen = [output !== undefined, inPlace === true, diff === true].filter(Boolean).length;
  if (chosen !== 1) return misuse('error: config migrate needs one of -o FILE, --in-place and --diff');
  if (force && (output === undefined || output === '-')) return misuse('error: --force belongs to -o FILE');
  if (inPlace) return { kind: 'migrate', configFile, output: { kind: 'in-place' } };
  if (output === undefined) return { kind: 'migrate', configFile, output: { kind: 'diff' } };
  if (output === '') return misuse('error: the name of the output file is empty');
  if (output === '-') return { kind: 'migrate', configFile, output: { kind: 'stdout' } };
  return { kind: 'migrate', configFile, output: { kind: 'file', path: output, force: force ?? false } };
};

const printCommand = (configFile: string, { format }: PrintOptions): GatewayCommand =>
  format === 'kdl' || format === 'json'
    ? { kind: 'print', configFile, format }
    : misuse(`error: --format is kdl or json, not ${JSON.stringify(format)}`);

/**
 * Reads the command line of `gateway`. Never throws, writes or ends the process.
 *
 * @param argv the arguments alone, without the paths of Node and of the program
 * @param version of the program, as in `1.2.3`
 */
export const parseGatewayArguments = (argv: readonly string[], env: Environment, version: string): GatewayCommand => {
  let command: GatewayCommand | null = null;
  let said = '';
  const program = gatewayProgram(
    version,
    {
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
      reload: (options) => {
        command = reloadCommand(options, env['GATEWAY_CONFIG']);
      },
    },
    (text) => {
      said += text;
    },
  );
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'say', text: said, exitCode: 0 } : misuse(said);
  }
  return command ?? misuse('error: nothing to do');
};
