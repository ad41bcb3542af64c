import { CommanderError } from 'commander';
import type { GatewayCommand } from './gateway-command.js';
import { type GatewayOptions, gatewayProgram } from './gateway-program.js';

const misuse = (text: string): GatewayCommand => ({
  kind: 'say',
  text: `${text.trimEnd()}\n(gateway --help shows the usage)\n`,
  exitCode: 2,
});

const noConfiguration = 'error: no configuration is given: use --config FILE, or set GATEWAY_CONFIG';

/** `--test` and `--validate` together ask for the more thorough. */
const serveCommand = (
  words: readonly string[],
  options: GatewayOptions,
  fromEnvironment: string | undefined,
): GatewayCommand => {
  const [unknown] = words;
  if (unknown !== undefined) return misuse(`error: there is no command ${JSON.stringify(unknown)}`);
  const configFile = options.config ?? fromEnvironment ?? '';
  if (configFile === '') return misuse(noConfiguration);
  const mode = options.test ? 'test' : 'run';
  return { kind: options.validate ? 'validate' : mode, configFile, verbose: options.verbose ?? false };
};

const checkCommand = (file: string, options: GatewayOptions): GatewayCommand => {
  if (file === '') return misuse('error: the name of the file to check is empty');
  if (options.config !== undefined || options.test || options.validate) {
    return misuse('error: config check takes the file alone, without --config, --test or --validate');
  }
  return { kind: 'validate', configFile: file, verbose: options.verbose ?? false };
};

/**
 * Reads the command line of `gateway`. Never throws, writes or ends the process.
 *
 * @param argv the arguments alone, without the paths of Node and of the program
 * @param version of the program, as in `1.2.3`
 */
export const parseGatewayArguments = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): GatewayCommand => {
  let command: GatewayCommand | null = null;
  let said = '';
  const program = gatewayProgram(
    version,
    {
      serve: (words, options) => {
        command = serveCommand(words, options, env['GATEWAY_CONFIG']);
      },
      check: (file, options) => {
        command = checkCommand(file, options);
      },
      migrate: () => {
        command = misuse('error: config migrate is not supported yet');
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
