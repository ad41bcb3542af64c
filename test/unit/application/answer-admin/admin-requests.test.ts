import { expect, it } from 'vitest';
import type { AdminConnectionAdmissions } from '../../../../src/application/admit-connections/admin-connection-admissions.js';
import { AdminRequests } from '../../../../src/application/answer-admin/admin-requests.js';
import type { AnswerAdmin } from '../../../../src/application/answer-admin/answer-admin.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

it('a TLS handshake that fails on the admin address is one line of the log', () => {
  const logger = new RecordingLogger();
  const random = { uuid: () => 'id', token: () => 'token', fraction: () => 0, hex: () => 'ab' };
  const admin = new AdminRequests(
    {} as unknown as AnswerAdmin,
    () => null,
    () => false,
    random,
    logger,
    {} as unknown as AdminConnectionAdmissions,
  );
  admin.handshakeFailed({ listener: '[::1]:9090', peerAddress: '::1', code: 'CERT_HAS_EXPIRED' });
  const fields = { listener: '[::1]:9090', client_ip: '::1', code: 'CERT_HAS_EXPIRED' };
  expect(logger.lines).toEqual([{ level: 'info', message: 'TLS handshake failed', fields }]);
});
