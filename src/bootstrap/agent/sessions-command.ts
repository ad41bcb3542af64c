import { parseSessionsArguments } from '../../adapters/inbound/saml-command-line/parse-sessions-arguments.js';
import { runSessionsCommand } from '../../adapters/inbound/saml-command-line/run-sessions-command.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import type { LogFields, Logger } from '../../application/ports/shared/logger.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';
import { writeOutput } from '../shared/write-output.js';
import { openExistingSamlStores } from './saml-store-openers.js';

/** What a store has to say of itself the agent logs. */
const silent = (_message: string, _fields?: LogFields): void => undefined;
const noLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** Runs what follows `gateway-auth sessions`, with the streams of this process; gives the exit code. */
export const sessionsCommand = async (argv: readonly string[]): Promise<number> => {
  const command = parseSessionsArguments(argv);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  const stores = openExistingSamlStores(noLogger);
  return writeOutput(
    await runSessionsCommand(command, { agentBlocks: agentBlocksOfFile, stores, clock: new SystemClock() }),
  );
};
