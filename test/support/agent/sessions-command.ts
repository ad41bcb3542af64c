import type { CommandOutput } from '../../../src/adapters/command-line/command-output.js';
import { parseSessionsArguments } from '../../../src/adapters/inbound/sessions-command-line/parse-sessions-arguments.js';
import { runSessionsCommand } from '../../../src/adapters/inbound/sessions-command-line/run-sessions-command.js';
import { MemoryStoreOpener } from '../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { configuredSessionStore } from '../../../src/application/agent/sign-on/shared/configured-session-store.js';
import type { SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import { agentBlockReader } from '../../../src/application/whole/read-agent-block.js';
import type { Session } from '../../../src/domain/agent/sessions/session.js';
import { err, ok } from '../../../src/domain/shared/result.js';
import { loadConfiguration } from '../gateway/configuration-files.js';
import { RecordingAuditLog } from '../gateway/recording-audit-log.js';
import { ManualClock } from '../shared/manual-clock.js';
import { hourMs, noonMs, succeeded } from './test-sessions.js';

/** The commands of `gateway-auth sessions` over a store that holds some sessions, an hour after noon. */
export interface SessionsBench {
  readonly stores: SessionStores;
  /** How often the command has closed the store. */
  closed(): number;
  run(...argv: readonly string[]): Promise<CommandOutput>;
  /** What was written to the audit log of --audit-file. */
  readonly audit: RecordingAuditLog;
}

export const sessionsBench = async (kept: readonly Session[]): Promise<SessionsBench> => {
  const opened = await new MemoryStoreOpener().open({ kind: 'memory' });
  if (!opened.ok) throw new Error(opened.error);
  const stores = opened.value;
  for (const session of kept) await succeeded(stores.sessions.insert(session));
  let closed = 0;
  const audit = new RecordingAuditLog();
  const lent: SessionStores = {
    ...stores,
    close: async () => {
      closed += 1;
    },
  };
  const clock = new ManualClock(noonMs + hourMs);
  return {
    stores,
    closed: () => closed,
    audit,
    async run(...argv) {
      const command = parseSessionsArguments([
        ...argv,
        '--store-path',
        's.db',
        '--entity-id',
        'https://gateway.example',
      ]);
      if (command.kind === 'usage') return command;
      return runSessionsCommand(command, {
        configuredStore: configuredSessionStore((file) => agentBlockReader({ load: () => loadConfiguration(file) })),
        stores: { open: async () => ok(lent) },
        clock,
        operator: { name: 'operator', sudoName: 'ada' },
        openAudit: async (path) => (path === '/audit.log' ? ok(audit) : err(`${path} cannot be opened`)),
      });
    },
  };
};
