import { userInfo } from 'node:os';
import { runCommand } from '../../adapters/command-line/command-output.js';
import { parseSessionsArguments } from '../../adapters/inbound/sessions-command-line/parse-sessions-arguments.js';
import { runSessionsCommand } from '../../adapters/inbound/sessions-command-line/run-sessions-command.js';
import { openAuditFile } from '../../adapters/outbound/audit-file/open-audit-file.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import type { Operator } from '../../application/agent/sessions/revocation-records.js';
import { configuredSessionStore } from '../../application/agent/sign-on/shared/configured-session-store.js';
import type { LogFields, Logger } from '../../application/ports/shared/logger.js';
import { agentBlocksOfFile } from '../shared/configuration-file.js';
import { openExistingSessionStores } from './session-store-openers.js';

/** Discards store messages, which the agent logs. */
const silent = (_message: string, _fields?: LogFields): void => undefined;
const noLogger: Logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** The user of this process; a user without an entry in the user database is named by its number. */
const currentOperator = (): Operator => {
  const sudoName = process.env['SUDO_USER'] ?? null;
  try {
    return { name: userInfo().username, sudoName };
  } catch {
    return { name: String(process.getuid?.() ?? 'unknown'), sudoName };
  }
};

/** Runs `gateway-auth sessions` with this process's streams. Resolves with the exit code. */
export const sessionsCommand = (argv: readonly string[]): Promise<number> => {
  const parts = {
    configuredStore: configuredSessionStore(agentBlocksOfFile),
    stores: openExistingSessionStores(noLogger),
    clock: new SystemClock(),
    operator: currentOperator(),
    openAudit: (path: string, creates: boolean) => openAuditFile(path, noLogger, creates),
  };
  return runCommand(parseSessionsArguments(argv), (command) => runSessionsCommand(command, parts));
};
