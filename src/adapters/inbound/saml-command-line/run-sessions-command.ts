import { findSession } from '../../../application/agent/sessions/find-session.js';
import { listSessions } from '../../../application/agent/sessions/list-sessions.js';
import { revokeSessions, revokeUser } from '../../../application/agent/sessions/revoke-sessions.js';
import { openStore, type StoreParts } from '../../../application/agent/sessions/store-place.js';
import type { SessionStore } from '../../../application/ports/agent/session-store.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import { formatProblem } from '../../../domain/configuration/configuration-problem.js';
import { type CommandOutput, failedCommand } from './command-output.js';
import { printableText } from './printable-text.js';
import type { SessionsCommand } from './saml-command.js';
import { listReport, type ReportMoment, revokeReport, showReport } from './session-report.js';

export interface SessionsCommandParts extends StoreParts {
  readonly clock: Clock;
}

type Task = Exclude<SessionsCommand, { kind: 'say' }>;

const errorText = (errors: readonly string[]): string =>
  errors.map((error) => `error: ${printableText(error)}\n`).join('');

const perform = async (task: Task, store: SessionStore, moment: ReportMoment): Promise<CommandOutput> => {
  switch (task.kind) {
    case 'list': {
      const found = await listSessions(store, task);
      return found.ok ? listReport(found.value, moment, task.json) : failedCommand(errorText([found.error]));
    }
    case 'show': {
      const found = await findSession(store, task.prefix);
      return found.ok ? showReport(found.value, moment, task.json) : failedCommand(errorText([found.error]));
    }
    case 'revoke': {
      if (task.sessions.kind === 'user') {
        const revoked = await revokeUser(store, task.sessions.userId);
        return revoked.ok ? revokeReport(revoked.value) : failedCommand(errorText([revoked.error]));
      }
      const revoked = await revokeSessions(store, task.sessions.prefixes);
      return revoked.ok ? revokeReport(revoked.value) : failedCommand(errorText(revoked.error));
    }
  }
};

/** Runs `sessions list`, `show` or `revoke`. Nothing is written: what is to be is in the result. */
export const runSessionsCommand = async (task: Task, parts: SessionsCommandParts): Promise<CommandOutput> => {
  const found = await openStore(task.place, parts);
  if (!found.ok) return failedCommand(found.error.map((problem) => `${formatProblem(problem)}\n`).join(''));
  const { stores, idleMs } = found.value;
  try {
    return await perform(task, stores.sessions, { nowMs: parts.clock.wallMs(), idleMs });
  } finally {
    await stores.close();
  }
};
