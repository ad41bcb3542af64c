import { expect, it } from 'vitest';
import type { AdminConnectionAdmissions } from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { AdminRequests } from '../../../../../src/application/gateway/report-status/admin-requests.js';
import type { AnswerAdmin } from '../../../../../src/application/gateway/report-status/answer-admin.js';
import type { AdminRequestLog } from '../../../../../src/application/shared/administration/admin-request-log.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it('logs one line for a failed TLS handshake or PROXY header on the admin address', () => {
  const logger = new RecordingLogger();
  const random = { uuid: () => 'id', token: () => 'token', fraction: () => 0, hex: () => 'ab' };
  const admin = new AdminRequests(
    {} as unknown as AnswerAdmin,
    () => null,
    () => false,
    random,
    logger,
    {} as unknown as AdminConnectionAdmissions,
    {} as unknown as AdminRequestLog,
  );
  admin.handshakeFailed({ listener: '[::1]:9090', peerAddress: '::1', code: 'CERT_HAS_EXPIRED' });
  const fields = { listener: '[::1]:9090', client_ip: '::1', code: 'CERT_HAS_EXPIRED' };
  expect(logger.lines).toEqual([{ level: 'info', message: 'TLS handshake failed', fields }]);
  admin.proxyHeaderFailed({ listener: '[::1]:9090', peerAddress: '::1', reason: 'incomplete' });
  expect(logger.lines[1]).toMatchObject({ level: 'warn', message: 'PROXY header refused', fields: { peer_ip: '::1' } });
});
