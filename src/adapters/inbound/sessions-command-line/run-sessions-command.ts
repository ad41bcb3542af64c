import { findSession } from '../../../application/agent/sessions/find-session.js';
import { listSessions } from '../../../application/agent/sessions/list-sessions.js';
import { type Operator, revocationRecords } from '../../../application/agent/sessions/revocation-records.js';
import { revokeSessions, revokeUser } from '../../../application/agent/sessions/revoke-sessions.js';
import { type FoundStore, openStore, type StoreOpeners } from '../../../application/agent/sessions/store-location.js';
import type { SessionStore } from '../../../application/ports/agent/session-store.js';
import type { AuditDestination, AuditLog } from '../../../application/ports/shared/audit-log.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import { auditLine } from '../../../domain/shared/audit-line.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import { type CommandOutput, failedCommand } from '../../command-line/command-output.js';
import { printableText, problemsText } from '../../command-line/terminal-text.js';
import type { SessionsCommand } from './parse-sessions-arguments.js';
import { listReport, type ReportMoment, revokeReport, showReport } from './session-report.js';

export interface SessionsCommandPorts extends StoreOpeners {
  readonly clock: Clock;
  readonly operator: Operator;
  /** Opens an audit log to append to. The error is one clause. */
  readonly openAudit: (path: string, creates: boolean) => Promise<Result<AuditLog, string>>;
}

/** Timeout for writing the audit records, in milliseconds. */
const auditTimeoutMs = 5_000;

const errorText = (errors: readonly string[]): string =>
  errors.map((error) => `error: ${printableText(error)}\n`).join('');

/** Keeps audit lines for standard error. */
class StderrAudit implements AuditLog {
  text = '';

  write(line: string): void {
    this.text += line;
  }

  dropped(): number {
    return 0;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

type RevokeCommand = Extract<SessionsCommand, { kind: 'revoke' }>;

/** Opens the named audit log, or that of the configuration. Only a named file is created. */
const openAuditOf = async (
  { auditFile }: RevokeCommand,
  audit: AuditDestination | null,
  { openAudit }: SessionsCommandPorts,
): Promise<Result<AuditLog | null, string>> => {
  if (auditFile !== null) return openAudit(auditFile, true);
  if (audit === null) return ok(null);
  return audit.kind === 'stdout' ? ok(new StderrAudit()) : openAudit(audit.path, false);
};

const revoke = async (
  command: RevokeCommand,
  { stores, audit }: FoundStore,
  parts: SessionsCommandPorts,
): Promise<CommandOutput> => {
  // Opens the log first: a revocation that cannot be recorded must not happen.
  const log = await openAuditOf(command, audit, parts);
  if (!log.ok) return failedCommand(errorText([`${log.error}; nothing is revoked (see --audit-file)`]));
  const { sessions, place } = command;
  const isUser = sessions.kind === 'user';
  const revocation = await (isUser
    ? revokeUser(stores.sessions, sessions.userId)
    : revokeSessions(stores.sessions, sessions.prefixes));
  const agent = place.kind === 'agent' ? place.agentName : null;
  const requested = { operator: parts.operator, agent, userId: isUser ? sessions.userId : null };
  const time = new Date(parts.clock.wallMs()).toISOString();
  for (const record of revocationRecords(requested, revocation)) log.value?.write(auditLine(time, 0, record));
  await log.value?.close(auditTimeoutMs);
  const collected = log.value instanceof StderrAudit ? log.value.text : '';
  const { revoked, errors } = revocation;
  const isLost = (log.value?.dropped() ?? 0) > 0;
  const problems = isLost ? [...errors, 'the audit log could not be written'] : errors;
  const report = revokeReport(revoked);
  if (problems.length === 0) return { ...report, stderr: `${collected}${report.stderr}` };
  return { stdout: report.stdout, stderr: `${collected}${errorText(problems)}`, exitCode: 1 };
};

const perform = async (
  command: Exclude<SessionsCommand, RevokeCommand>,
  store: SessionStore,
  moment: ReportMoment,
): Promise<CommandOutput> => {
  switch (command.kind) {
    case 'list': {
      const found = await listSessions(store, command);
      return found.ok ? listReport(found.value, moment, command.json) : failedCommand(errorText([found.error]));
    }
    case 'show': {
      const found = await findSession(store, command.prefix);
      return found.ok ? showReport(found.value, moment, command.json) : failedCommand(errorText([found.error]));
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
    if (command.kind === 'revoke') return await revoke(command, found.value, parts);
    return await perform(command, stores.sessions, { nowMs: parts.clock.wallMs(), idleMs });
  } finally {
    await stores.close();
  }
};
