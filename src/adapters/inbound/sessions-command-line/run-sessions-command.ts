import { findSession } from '../../../application/agent/sessions/find-session.js';
import { listSessions } from '../../../application/agent/sessions/list-sessions.js';
import { revokeSessions, revokeUser } from '../../../application/agent/sessions/revoke-sessions.js';
import { openStore, type StoreOpeners } from '../../../application/agent/sessions/store-location.js';
import type { SessionStore } from '../../../application/ports/agent/session-store.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import { type CommandOutput, failedCommand } from '../../command-line/command-output.js';
import { printableText, problemsText } from '../../command-line/terminal-text.js';
import type { SessionsCommand } from './parse-sessions-arguments.js';
import { listReport, type ReportMoment, revokeReport, showReport } from './session-report.js';

export interface SessionsCommandPorts extends StoreOpeners {
  readonly clock: Clock;
}

const errorText = (errors: readonly string[]): string =>
  errors.map((error) => `error: ${printableText(error)}\n`).join('');

const perform = async (command: SessionsCommand, store: SessionStore, moment: ReportMoment): Promise<CommandOutput> => {
  switch (command.kind) {
    case 'list': {
      const found = await listSessions(store, command);
      return found.ok ? listReport(found.value, moment, command.json) : failedCommand(errorText([found.error]));
    }
    case 'show': {
      const found = await findSession(store, command.prefix);
      return found.ok ? showReport(found.value, moment, command.json) : failedCommand(errorText([found.error]));
    }
    case 'revoke': {
      if (command.sessions.kind === 'user') {
        const revoked = await revokeUser(store, command.sessions.userId);
        return revoked.ok ? revokeReport(revoked.value) : failedCommand(errorText([revoked.error]));
      }
      const revoked = await revokeSessions(store, command.sessions.prefixes);
      return revoked.ok ? revokeReport(revoked.value) : failedCommand(errorText(revoked.error));
    }
  }
};

/** Runs `sessions list`, `show` or `revoke`. Returns the output without writing it. */
export const runSessionsCommand = async (
  command: SessionsCommand,
  parts: SessionsCommandPorts,
): Promise<CommandOutput> => {
  const found = await openStore(command.place, parts);
  if (!found.ok) return failedCommand(problemsText(found.error));
  const { stores, idleMs } = found.value;
  try {
    return await perform(command, stores.sessions, { nowMs: parts.clock.wallMs(), idleMs });
  } finally {
    await stores.close();
  }
};
