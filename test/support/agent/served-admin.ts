import { AgentAdminServer } from '../../../src/adapters/inbound/agent-admin-http/agent-admin-server.js';
import { bindSocketPath } from '../../../src/adapters/inbound/agent-unix-socket/bind-socket-path.js';
import { CryptoRandom } from '../../../src/adapters/outbound/node-random/crypto-random.js';
import { nodeSecretComparer } from '../../../src/adapters/outbound/node-secret-comparer/node-secret-comparer.js';
import { AnswerAgentAdmin } from '../../../src/application/agent/serve-admin/answer-agent-admin.js';
import type { SessionAdministration } from '../../../src/application/ports/shared/session-administration.js';
import { AdminRequestLog } from '../../../src/application/shared/administration/admin-request-log.js';
import { AnswerSessions } from '../../../src/application/shared/administration/answer-sessions.js';
import { FloodWindows } from '../../../src/application/shared/flood-windows.js';
import type { StreamAddress } from '../../../src/domain/configuration/network-addresses.js';
import type { AuditRecord } from '../../../src/domain/shared/audit-record.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import type { CleanUp } from '../shared/clean-up.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';

export const servedAdminToken = 'let-me-in';

/** The admin endpoints of an agent with these sessions, on real sockets. */
export const servedAdmin = async (
  cleanUp: CleanUp,
  sessions: SessionAdministration | null,
  wanted: StreamAddress = { host: '127.0.0.1', port: 0 },
  headTimeoutMs?: number,
) => {
  const logger = new RecordingLogger();
  const records: AuditRecord[] = [];
  const audit = { record: (record: AuditRecord) => void records.push(record), hold: () => () => undefined };
  const admin = new AnswerAgentAdmin({
    token: new Secret(servedAdminToken),
    isSecret: nodeSecretComparer(),
    sessions: new AnswerSessions(() => [{ name: 'gateway-auth', sessions: () => sessions }], logger),
    requestLog: new AdminRequestLog(logger, audit, new FloodWindows(new ManualScheduler(new ManualClock()))),
    logger,
  });
  const ports = { bindSocketPath, random: new CryptoRandom(), logger };
  const server = new AgentAdminServer(wanted, admin, ports, headTimeoutMs);
  const address = await server.listen();
  cleanUp.add(() => server.close(0));
  return { address, port: 'port' in address ? address.port : 0, records, logger, server };
};
