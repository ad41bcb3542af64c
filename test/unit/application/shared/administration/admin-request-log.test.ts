import { expect, it } from 'vitest';
import {
  AdminRequestLog,
  type AnsweredAdminRequest,
} from '../../../../../src/application/shared/administration/admin-request-log.js';
import { FloodWindows } from '../../../../../src/application/shared/flood-windows.js';
import type { AuditRecord } from '../../../../../src/domain/shared/audit-record.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const world = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const logger = new RecordingLogger();
  const records: AuditRecord[] = [];
  const audit = { record: (record: AuditRecord) => records.push(record), hold: () => () => undefined };
  const requestLog = new AdminRequestLog(logger, audit, new FloodWindows(scheduler));
  const tell = (method: string, status: number, more: Partial<AnsweredAdminRequest> = {}) =>
    requestLog.record({ method, path: '/admin/reload', status, peerAddress: '192.0.2.1', correlationId: 'c', ...more });
  return { scheduler, logger, records, tell };
};

it('records changes and denials, but not reads', () => {
  const { records, logger, tell } = world();
  tell('GET', 200);
  tell('GET', 404);
  expect([records, logger.lines]).toEqual([[], []]);
  tell('POST', 200);
  tell('POST', 422);
  tell('GET', 401);
  tell('POST', 403);
  expect(records.map(({ outcome }) => outcome)).toEqual(['carried_out', 'refused', 'denied', 'denied']);
  expect(records[0]).toEqual({
    event: 'admin',
    outcome: 'carried_out',
    members: { path: '/admin/reload', client_ip: '192.0.2.1', correlation_id: 'c', http_method: 'POST', status: 200 },
  });
  expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'an admin request was carried out'],
    ['warn', 'an admin request was refused'],
    ['warn', 'an admin request was refused'],
  ]);
});

it('records the end of a session, and whose it was', () => {
  const { records, tell } = world();
  tell('DELETE', 204, { path: '/admin/sessions/0123456789abcdef', audited: { subject: 'alice', agent: 'auth' } });
  tell('DELETE', 404);
  expect(records).toMatchObject([
    {
      event: 'admin',
      outcome: 'carried_out',
      members: { path: '/admin/sessions/0123456789abcdef', http_method: 'DELETE', subject: 'alice', agent: 'auth' },
    },
    { outcome: 'refused', members: { status: 404 } },
  ]);
});

it('records a change that continues after its answer as begun', () => {
  const { records, logger, tell } = world();
  tell('POST', 202);
  expect(records).toMatchObject([{ event: 'admin', outcome: 'begun', members: { status: 202 } }]);
  expect(logger.lines).toMatchObject([{ level: 'info', message: 'an admin request is still being carried out' }]);
});

it('records a few attempts of a client that tries tokens, then the number of the others', async () => {
  const { records, logger, scheduler, tell } = world();
  for (let attempt = 0; attempt < 1_000; attempt += 1) tell('GET', 401);
  tell('POST', 200);
  expect(records).toHaveLength(6);
  expect(records.at(-1)?.outcome).toBe('carried_out');
  await scheduler.advance(1_000);
  expect(records.at(-1)).toEqual({ event: 'admin', outcome: 'denied', members: { left_out: 995 } });
  expect(logger.lines.at(-1)).toEqual({
    level: 'warn',
    message: 'an admin request was refused: lines omitted',
    fields: { left_out: 995 },
  });
  tell('GET', 401);
  expect(records.at(-1)?.members).toMatchObject({ status: 401 });
});
