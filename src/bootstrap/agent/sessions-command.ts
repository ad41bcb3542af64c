import { runCommand } from '../../adapters/command-line/command-output.js';
import { parseSessionsArguments } from '../../adapters/inbound/sessions-command-line/parse-sessions-arguments.js';
import { runSessionsCommand } from '../../adapters/inbound/sessions-command-line/run-sessions-command.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { configuredSessionStore } from '../../application/agent/sign-on/shared/configured-session-store.js';
import type { LogFields, Logger } from '../../application/ports/shared/logger.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';
import { openExistingSessionStores } from './session-store-openers.js';

/** Discards store messages, which the agent logs. */
const silent = (_message: string, _fields?: LogFields): void => undefined;
const noLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** Runs `gateway-auth sessions` with this process's streams. Resolves with the exit code. */
export const sessionsCommand = (argv: readonly string[]): Promise<number> => {
  const parts = {
    configuredStore: configuredSessionStore(agentBlocksOfFile),
    stores: openExistingSessionStores(noLogger),
    clock: new SystemClock(),
  };
  return runCommand(parseSessionsArguments(argv), (command) => runSessionsCommand(command, parts));
};
