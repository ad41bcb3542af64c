import { describe, expect, it } from 'vitest';
import { AuditTrail, lossLineMs } from '../../../../../src/application/gateway/audit/audit-trail.js';
import { emptyAudit } from '../../../../../src/domain/agent-protocol/messages.js';
import type { AuditConfiguration } from '../../../../../src/domain/gateway/configuration/audit-schema.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { RecordingAuditLog } from '../../../../support/gateway/recording-audit-log.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const stdout: AuditConfiguration = { output: { kind: 'stdout' } };
const request = {
  id: 'r',
  correlationId: 'c',
  traceId: 't',
  client: { address: '192.0.2.1' },
  request: { method: 'GET' },
  target: { path: '/a' },
  route: null,
};

const world = (worker = 3) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const opened: RecordingAuditLog[] = [];
  const trail = new AuditTrail({
    open: async ({ output }) => {
      if (output.kind === 'file')
        return err(`the audit log ${output.path} cannot be opened: its directory is not there`);
      const log = new RecordingAuditLog();
      opened.push(log);
      return ok(log);
    },
    clock,
    logger,
    worker,
    version: '1.2.3',
  });
  const use = async (audit: AuditConfiguration | null) => {
    const prepared = await trail.prepare(audit);
    if (!prepared.ok) throw new Error(prepared.error);
    prepared.value.commit();
  };
  return { clock, logger, opened, trail, use };
};

describe('the audit trail', () => {
  it('writes nothing before a configuration has an audit log, and then each record with time and worker', async () => {
    const { trail, use, opened, clock } = world();
    trail.decided(request, 'auth', { kind: 'allow' }, emptyAudit);
    trail.record({ event: 'admin', outcome: 'denied', members: {} });
    await use(null);
    expect(opened).toEqual([]);
    await use(stdout);
    trail.decided(
      request,
      'auth',
      { kind: 'block', status: 403, body: null, headers: [] },
      { ...emptyAudit, reasonCodes: ['expired'] },
    );
    trail.undecided(request, 'auth', 'timed_out', false);
    expect(opened[0]?.records).toMatchObject([
      {
        time: new Date(clock.wallMs()).toISOString(),
        worker: 3,
        event: 'authorization',
        outcome: 'denied',
        reason_codes: ['expired'],
      },
      { outcome: 'denied', failure_mode: 'closed' },
    ]);
  });

  it('opens the log again with each configuration, and loses no record between them', async () => {
    const { trail, use, opened } = world(0);
    await use(stdout);
    const next = await trail.prepare(stdout);
    trail.record({ event: 'admin', outcome: 'denied', members: { number: 1 } });
    if (next.ok) next.value.commit();
    trail.record({ event: 'admin', outcome: 'denied', members: { number: 2 } });
    await settled();
    expect(opened.map(({ records, isClosed }) => [records.map(({ number }) => number), isClosed])).toEqual([
      [[1], true],
      [[2], false],
    ]);
    await use(null);
    await settled();
    expect(opened[1]?.records.at(-1)).toMatchObject({ event: 'audit', outcome: 'ended' });
    expect(opened[1]?.isClosed).toBe(true);
  });

  it('keeps its log if another one cannot be opened, or is abandoned', async () => {
    const { trail, use, opened } = world();
    await use(stdout);
    expect(await trail.prepare({ output: { kind: 'file', path: '/nowhere/audit.log' } })).toMatchObject({ ok: false });
    const abandoned = await trail.prepare(stdout);
    if (abandoned.ok) await abandoned.value.abandon();
    trail.record({ event: 'admin', outcome: 'denied', members: {} });
    expect(opened.map(({ lines, isClosed }) => [lines.length, isClosed])).toEqual([
      [1, false],
      [0, true],
    ]);
  });

  it('counts lost records over all logs, and logs them at intervals', async () => {
    const { trail, use, opened, logger, clock } = world();
    await use(stdout);
    const [log] = opened as [RecordingAuditLog];
    log.isFull = true;
    for (let count = 0; count < 5; count += 1) trail.record({ event: 'admin', outcome: 'denied', members: {} });
    expect(trail.dropped()).toBe(5);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'audit records were lost', fields: { lost: 1 } }]);
    clock.advance(lossLineMs);
    trail.record({ event: 'admin', outcome: 'denied', members: {} });
    expect(logger.lines.at(-1)).toMatchObject({ fields: { lost: 5, lost_so_far: 6 } });
    await use(stdout);
    expect(trail.dropped()).toBe(6);
    await settled();
    expect(trail.dropped()).toBe(6);
  });

  it('ends a removed log with the records that led to it, and none of other requests', async () => {
    const { trail, use, opened } = world(0);
    await use(stdout);
    const prepared = await trail.prepare(null);
    const told = trail.hold();
    if (prepared.ok) prepared.value.commit();
    trail.act('configuration', 'loaded');
    await settled();
    trail.decided(request, 'auth', { kind: 'allow' }, emptyAudit);
    trail.record({ event: 'admin', outcome: 'carried_out', members: { client_ip: '192.0.2.1' } });
    told();
    await trail.left();
    trail.act('configuration', 'loaded');
    told();
    expect(opened[0]).toMatchObject({
      isClosed: true,
      records: [{ outcome: 'loaded' }, { outcome: 'carried_out', client_ip: '192.0.2.1' }, { outcome: 'ended' }],
    });
    expect(opened[0]?.records).toHaveLength(3);
  });

  it('waits for the last records of others, until the next log or the end at the latest', async () => {
    const { trail, use, opened } = world(0);
    const never = () => new Promise(() => undefined);
    for (const following of [() => use(stdout), () => trail.close()]) {
      await use(stdout);
      const prepared = await trail.prepare(null);
      if (prepared.ok) prepared.value.commit(never);
      await settled();
      const leaving = opened.at(-1);
      expect(leaving).toMatchObject({ isClosed: false, lines: [] });
      await following();
      expect(leaving).toMatchObject({ isClosed: true, records: [{ event: 'audit', outcome: 'ended' }] });
    }
  });

  it('passes its successor to a log that is replaced', async () => {
    const { use, opened, trail } = world();
    await use(stdout);
    await use(stdout);
    await trail.close();
    expect(opened[0]?.next).toBe(opened[1]);
    expect(opened[1]?.next).toBeNull();
  });

  it('has written all records when it is closed', async () => {
    const { trail, use, opened } = world();
    await use(stdout);
    trail.record({ event: 'gateway', outcome: 'stopped', members: {} });
    await trail.close();
    expect(opened[0]).toMatchObject({ isClosed: true, lines: [expect.stringContaining('stopped')] });
    trail.record({ event: 'gateway', outcome: 'stopped', members: {} });
    expect(opened[0]?.lines).toHaveLength(1);
  });
});

describe('an event of the gateway', () => {
  it('is recorded by one process with the version of the program, and not by workers', async () => {
    const [alone, worker] = [world(0), world(3)];
    for (const { trail, use } of [alone, worker]) {
      await use(stdout);
      trail.act('configuration', 'refused', { reason: 'no certificate' });
      await use(null);
    }
    expect(alone.opened[0]?.records).toMatchObject([
      { event: 'configuration', outcome: 'refused', version: '1.2.3', reason: 'no certificate' },
      { event: 'audit', outcome: 'ended', version: '1.2.3' },
    ]);
    expect(worker.opened[0]?.lines).toEqual([]);
  });
});
