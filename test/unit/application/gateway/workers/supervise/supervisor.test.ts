import { describe, expect, it } from 'vitest';
import { loadFailure } from '../../../../../../src/application/gateway/run-gateway/prepared-reload.js';
import type { SupervisedService } from '../../../../../../src/application/gateway/workers/supervise/supervised-service.js';
import { supervisionTimes } from '../../../../../../src/application/gateway/workers/supervise/supervision-times.js';
import type { AuditConfiguration } from '../../../../../../src/domain/gateway/configuration/audit-schema.js';
import { err, ok } from '../../../../../../src/domain/shared/result.js';
import { testConfiguration } from '../../../../../support/gateway/in-process-gateway.js';
import { supervisedGateway, textConfiguration } from '../../../../../support/gateway/supervised-gateway.js';
import { settled } from '../../../../../support/shared/manual-scheduler.js';

const justStarted = async (...parameters: Parameters<typeof supervisedGateway>) => {
  const gateway = supervisedGateway(...parameters);
  expect((await gateway.supervisor.start(gateway.disk.next)).ok).toBe(true);
  return gateway;
};

/** Including the spare process. */
const started = async (...parameters: Parameters<typeof supervisedGateway>) => {
  const gateway = await justStarted(...parameters);
  await gateway.scheduler.advance(supervisionTimes.firstSpareDelayMs);
  return gateway;
};

const deathsOf = ({ logger }: ReturnType<typeof supervisedGateway>) =>
  logger.lines.filter(({ fields }) => fields['error_type'] === 'worker_ended');

describe('a supervisor that starts', () => {
  it('gives every worker its number and the same texts, and is ready when all serve', async () => {
    const { processes, supervisor } = await started(3);
    const serving = processes.serving();
    expect(serving.map(({ order }) => order?.number)).toEqual([1, 2, 3]);
    expect(serving.map(({ text }) => text)).toEqual(['one', 'one', 'one']);
    expect(serving[0]?.order).toMatchObject({
      workers: 3,
      configFile: 'gateway.kdl',
      startedAtMs: 5,
      drainedTargets: [],
    });
    expect(supervisor.workers().map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('keeps one spare process that waits for an order', async () => {
    const { processes } = await started(2);
    expect(processes.started).toHaveLength(3);
    expect(processes.started[2]?.order).toBeNull();
  });

  it('fails with the reason of the worker that cannot start, and leaves no process', async () => {
    const { processes, supervisor } = supervisedGateway(2);
    processes.behaviour = {
      ...processes.behaviour,
      start: async (_, number) => (number === 2 ? err(loadFailure('the address is taken')) : ok(undefined)),
    };
    const outcome = await supervisor.start(textConfiguration('one'));
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'the address is taken' } });
    expect(processes.started.every(({ link }) => link.isClosed)).toBe(true);
  });

  it('lets no worker accept a connection before all are prepared', async () => {
    const { processes, supervisor } = supervisedGateway(2);
    const served: number[] = [];
    let prepared: () => void = () => undefined;
    processes.behaviour = {
      ...processes.behaviour,
      start: async (_, number) => {
        if (number === 2) await new Promise<void>((resolve) => (prepared = resolve));
        return ok(undefined);
      },
      serve: async (number) => {
        served.push(number);
        return ok(undefined);
      },
    };
    const started = supervisor.start(textConfiguration('one'));
    await settled();
    expect(served).toEqual([]);
    prepared();
    expect((await started).ok).toBe(true);
    expect(served).toEqual([1, 2]);
  });

  it('lets serving workers finish their connections if another one fails', async () => {
    const { processes, supervisor } = supervisedGateway(2);
    processes.behaviour = {
      ...processes.behaviour,
      serve: async (number) => (number === 2 ? err(loadFailure('somebody listens there')) : ok(undefined)),
    };
    expect(await supervisor.start(textConfiguration('one'))).toMatchObject({
      ok: false,
      error: { reason: 'somebody listens there' },
    });
    const { gracefulShutdownTimeoutMs } = testConfiguration([]).system;
    expect(gracefulShutdownTimeoutMs).toBeGreaterThan(0);
    expect(processes.started[0]?.drained).toEqual({ graceMs: gracefulShutdownTimeoutMs });
  });

  it('fails if a worker ends before it serves', async () => {
    const { processes, supervisor } = supervisedGateway(2);
    processes.behaviour = {
      ...processes.behaviour,
      start: async (_, number) => {
        if (number === 2) processes.started[1]?.end({ exitCode: 7, signal: null });
        return ok(undefined);
      },
    };
    const outcome = await supervisor.start(textConfiguration('one'));
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'worker 2 ended with exit code 7 before it served' } });
    expect(processes.started.every(({ link }) => link.isClosed)).toBe(true);
  });

  it('keeps the members of system errors across processes', async () => {
    const { processes, supervisor } = supervisedGateway(1);
    const taken = Object.assign(new Error('bind EADDRINUSE'), { code: 'EADDRINUSE', syscall: 'bind', port: 80 });
    processes.behaviour = { ...processes.behaviour, start: async () => err(loadFailure('no address', taken)) };
    const outcome = await supervisor.start(textConfiguration('one'));
    expect(outcome.ok ? null : outcome.error.cause).toMatchObject({ code: 'EADDRINUSE', syscall: 'bind', port: 80 });
  });

  it('kills a worker that does not serve in time', async () => {
    const { processes, supervisor, scheduler } = supervisedGateway(1);
    processes.behaviour = { ...processes.behaviour, start: () => new Promise(() => undefined) };
    const outcome = supervisor.start(textConfiguration('one'));
    await settled();
    await scheduler.advance(120_000);
    expect(await outcome).toMatchObject({ ok: false, error: { reason: 'worker 1 did not start in time' } });
    expect(processes.started[0]?.link.isClosed).toBe(true);
  });
});

describe('a supervisor whose worker dies', () => {
  it('replaces it at once with the spare process, and logs how it ended', async () => {
    const gateway = await started(2);
    const { processes, logger, supervisor } = gateway;
    gateway.drainedTargets.push({ upstream: 'api', address: '127.0.0.1:1' });
    processes.started[0]?.end({ exitCode: null, signal: 'SIGKILL' });
    await settled();
    expect(processes.serving().map(({ order }) => order?.number)).toEqual([2, 1]);
    expect(processes.started[2]?.order?.drainedTargets).toEqual([{ upstream: 'api', address: '127.0.0.1:1' }]);
    expect(processes.started).toHaveLength(4);
    expect(deathsOf(gateway)).toMatchObject([
      { message: 'a worker was ended by SIGKILL and is replaced', fields: { worker: 1, pid: 1_000, delay_ms: 0 } },
    ]);
    expect(logger.lines.at(-1)).toMatchObject({ message: 'a new worker serves', fields: { worker: 1, pid: 1_002 } });
    expect(supervisor.restarts).toBe(1);
  });

  it('waits with growing backoff if it dies repeatedly', async () => {
    const gateway = await started(1);
    const { processes, scheduler } = gateway;
    for (const delayMs of [0, 100, 200, 400]) {
      processes.serving()[0]?.end({ exitCode: 1, signal: null });
      await settled();
      if (delayMs > 0) {
        expect(processes.serving()).toHaveLength(0);
        await scheduler.advance(delayMs - 1);
        expect(processes.serving()).toHaveLength(0);
        await scheduler.advance(1);
      }
      expect(processes.serving()).toHaveLength(1);
    }
    expect(deathsOf(gateway).map(({ fields }) => fields['delay_ms'])).toEqual([0, 100, 200, 400]);
    await scheduler.advance(10_000);
    processes.serving()[0]?.end({ exitCode: 1, signal: null });
    await settled();
    expect(processes.serving()).toHaveLength(1);
  });

  it('retries a replacement that fails to start', async () => {
    const { processes, scheduler, logger } = await started(1);
    const { start } = processes.behaviour;
    processes.behaviour = { ...processes.behaviour, start: async () => err(loadFailure('no certificate')) };
    processes.started[0]?.end({ exitCode: 1, signal: null });
    await settled();
    expect(processes.serving()).toHaveLength(0);
    expect(logger.lines.some(({ message }) => message === 'no certificate')).toBe(true);
    processes.behaviour = { ...processes.behaviour, start };
    await scheduler.advance(100);
    expect(processes.serving()).toHaveLength(1);
  });

  it('kills one that no longer answers, but not a slow one', async () => {
    const { processes, scheduler, logger } = await started(2);
    await scheduler.advance(60_000);
    expect(processes.serving().map(({ pid }) => pid)).toEqual([1_000, 1_001]);
    processes.started[0]?.hang();
    await scheduler.advance(34_000);
    expect(processes.serving().map(({ pid }) => pid)).toEqual([1_000, 1_001]);
    await scheduler.advance(6_000);
    expect(processes.serving().map(({ pid }) => pid)).toEqual([1_001, 1_002]);
    expect(logger.lines.filter(({ fields }) => fields['error_type'] === 'worker_hangs')).toMatchObject([
      { fields: { worker: 1, pid: 1_000 } },
    ]);
  });
});

describe('the spare process', () => {
  it('is not used if it does not answer: another one is started', async () => {
    const { processes, scheduler, logger } = await started(2);
    processes.started[2]?.hang();
    processes.started[0]?.kill();
    await settled();
    expect(processes.serving()).toHaveLength(1);
    await scheduler.advance(1_000);
    expect(processes.serving().map(({ pid, order }) => [pid, order?.number])).toEqual([
      [1_001, 2],
      [1_003, 1],
    ]);
    expect(processes.started[2]?.link.isClosed).toBe(true);
    expect(logger.lines.filter(({ fields }) => fields['error_type'] === 'worker_hangs')).toMatchObject([
      { fields: { pid: 1_002 } },
    ]);
  });

  it('is restarted with growing backoff, with a log line each', async () => {
    const { processes, scheduler, logger } = await started(2);
    for (const [at, delayMs] of [0, 100, 200].entries()) {
      processes.started.at(-1)?.end({ exitCode: 1, signal: null });
      await settled();
      await scheduler.advance(Math.max(0, delayMs - 1));
      if (delayMs > 0) expect(processes.started).toHaveLength(3 + at);
      await scheduler.advance(1);
      expect(processes.started).toHaveLength(4 + at);
    }
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject(
      [0, 100, 200].map((delay_ms) => ({
        message: 'the process that waits to replace a worker ended with exit code 1 and is replaced',
        fields: { delay_ms, error_type: 'worker_ended' },
      })),
    );
  });

  it('is killed if it never answers', async () => {
    const { processes, scheduler } = await started(1);
    processes.onStart = (process) => process.hang();
    processes.started[1]?.kill();
    await settled();
    await scheduler.advance(1);
    expect(processes.started).toHaveLength(3);
    processes.onStart = () => undefined;
    await scheduler.advance(30_000);
    expect(processes.started[2]?.link.isClosed).toBe(true);
    await scheduler.advance(100);
    expect(processes.started.at(-1)?.link.isClosed).toBe(false);
  });
});

describe('a supervisor whose worker cannot be replaced', () => {
  it('logs the reason with the worker number, not that a signal ended it', async () => {
    const gateway = await started(2);
    const { processes, logger } = gateway;
    processes.behaviour = { ...processes.behaviour, start: async () => err(loadFailure('no certificate')) };
    processes.started[0]?.end({ exitCode: 1, signal: null });
    await settled();
    expect(deathsOf(gateway)).toHaveLength(1);
    expect(logger.lines.filter(({ fields }) => fields['error_type'] === 'worker_start_failed')).toMatchObject([
      { message: 'no certificate', fields: { worker: 1, delay_ms: 100 } },
    ]);
  });

  it('kills a worker that hangs during its start, long before the start timeout', async () => {
    const { processes, scheduler, logger } = await started(2);
    processes.behaviour = {
      ...processes.behaviour,
      start: (_, number) => {
        processes.started.find(({ order, text }) => order?.number === number && text === null)?.hang();
        return new Promise(() => undefined);
      },
    };
    processes.started[0]?.kill();
    await settled();
    await scheduler.advance(40_000);
    expect(processes.started[2]?.link.isClosed).toBe(true);
    expect(logger.lines.some(({ fields }) => fields['error_type'] === 'worker_hangs')).toBe(true);
  });

  it('reports how long no worker has served', async () => {
    const { processes, scheduler, supervisor } = await started(2);
    expect(supervisor.unservedMs()).toBe(0);
    processes.behaviour = { ...processes.behaviour, start: async () => err(loadFailure('no certificate')) };
    for (const process of processes.serving()) process.kill();
    await settled();
    await scheduler.advance(31_000);
    expect(supervisor.unservedMs()).toBe(31_000);
  });

  it('leaves no process after a kill', async () => {
    const { processes, supervisor } = await started(2);
    for (const process of processes.serving()) process.drainsForever = true;
    void supervisor.stop(40_000);
    await settled();
    supervisor.kill();
    await settled();
    expect(processes.started.every(({ link }) => link.isClosed)).toBe(true);
    expect(processes.started).toHaveLength(3);
  });
});

describe('a supervisor that reloads while workers are missing', () => {
  it('replaces one that dies meanwhile at once, and prepares the configuration in the replacement', async () => {
    const { supervisor, processes, disk } = await started(2);
    const held: (() => void)[] = [];
    processes.behaviour = {
      ...processes.behaviour,
      prepare: (_, number) =>
        number === 1
          ? new Promise((resolve) => held.push(() => resolve(ok(undefined))))
          : Promise.resolve(ok(undefined)),
    };
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    processes.started[1]?.kill();
    await settled();
    expect(processes.serving().map(({ order, text }) => [order?.number, text])).toEqual([
      [1, 'one'],
      [2, 'one'],
    ]);
    held[0]?.();
    expect((await outcome).ok).toBe(true);
    await settled();
    expect(processes.serving().map(({ pid, text }) => [pid, text])).toEqual([
      [1_000, 'two'],
      [1_002, 'two'],
    ]);
  });

  it('fails within seconds if a worker does not answer', async () => {
    const { supervisor, processes, disk, scheduler } = await started(2);
    processes.started[0]?.hang();
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    await scheduler.advance(12_000);
    expect(await outcome).toMatchObject({ ok: false, error: { reason: 'worker 1 does not answer since 10 s' } });
    expect(processes.started[1]?.text).toBe('one');
  });

  it('does not wait for a worker that does not start, and restarts it with the configuration in force then', async () => {
    const { supervisor, processes, disk, scheduler } = await started(2);
    const { start } = processes.behaviour;
    processes.behaviour = { ...processes.behaviour, start: () => new Promise(() => undefined) };
    processes.started[0]?.kill();
    await settled();
    processes.behaviour = { ...processes.behaviour, start };
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    await scheduler.advance(10_000);
    expect((await outcome).ok).toBe(true);
    await settled();
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two']);
    expect(processes.started[2]?.link.isClosed).toBe(true);
  });

  it('starts all workers with the new configuration if none can serve the old one', async () => {
    const { supervisor, processes, disk, scheduler, reloads } = await started(2);
    processes.behaviour = {
      ...processes.behaviour,
      start: async (text) => (text === 'one' ? err(loadFailure('no certificate')) : ok(undefined)),
    };
    for (const process of processes.serving()) process.kill();
    await settled();
    await scheduler.advance(60_000);
    expect(processes.serving()).toHaveLength(0);
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    expect((await outcome).ok).toBe(true);
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two']);
    expect([reloads, supervisor.reloads().count]).toEqual([['success'], 1]);
    processes.serving()[0]?.kill();
    await settled();
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two']);
  });

  it('returns to the previous configuration if not all can start with the new one', async () => {
    const { supervisor, processes, disk, scheduler } = await started(2);
    let isMissing = true;
    processes.behaviour = {
      ...processes.behaviour,
      start: async (text, number) =>
        text === 'one'
          ? isMissing
            ? err(loadFailure('no certificate'))
            : ok(undefined)
          : number === 1
            ? err(loadFailure('no key'))
            : ok(undefined),
    };
    for (const process of processes.serving()) process.kill();
    await settled();
    await scheduler.advance(60_000);
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    await scheduler.advance(0);
    expect(await outcome).toMatchObject({ ok: false, error: { reason: 'no key' } });
    isMissing = false;
    await scheduler.advance(60_000);
    expect(processes.serving().map(({ text }) => text)).toEqual(['one', 'one']);
    expect(supervisor.reloads().count).toBe(0);
  });
});

describe('a supervisor that reloads', () => {
  it('swaps the configuration in all workers, and in later ones', async () => {
    const { supervisor, processes, disk, reloads, sockets } = await started(2);
    disk.next = textConfiguration('two');
    expect(await supervisor.reload()).toEqual(ok(undefined));
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two']);
    expect(supervisor.reloads().count).toBe(1);
    expect(reloads).toEqual(['success']);
    expect(sockets.kept).toEqual(new Set(['127.0.0.1:0 main']));
    processes.started[1]?.kill();
    await settled();
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two']);
    expect(processes.started[2]?.order?.reloads.count).toBe(1);
  });

  it('changes nothing if the file is invalid, and asks no worker', async () => {
    const { supervisor, processes, disk, reloads } = await started(2);
    let asked = 0;
    processes.behaviour = {
      ...processes.behaviour,
      prepare: async () => {
        asked += 1;
        return ok(undefined);
      },
    };
    disk.next = { configuration: null, problems: [] };
    expect((await supervisor.reload()).ok).toBe(false);
    expect(asked).toBe(0);
    expect(reloads).toEqual(['failure']);
    expect(supervisor.reloads().count).toBe(0);
  });

  it('changes nothing if one worker fails, and lets the others abandon the configuration', async () => {
    const { supervisor, processes, disk, sockets } = await started(3);
    processes.behaviour = {
      ...processes.behaviour,
      prepare: async (_, number) => (number === 2 ? err(loadFailure('no certificate')) : ok(undefined)),
    };
    disk.next = textConfiguration('two');
    expect(await supervisor.reload()).toMatchObject({ ok: false, error: { reason: 'no certificate' } });
    expect(processes.serving().map(({ text, abandoned }) => [text, abandoned])).toEqual([
      ['one', 1],
      ['one', 0],
      ['one', 1],
    ]);
    expect(sockets.kept).toEqual(new Set(['127.0.0.1:0 main']));
    processes.behaviour = { ...processes.behaviour, prepare: async () => ok(undefined) };
    expect((await supervisor.reload()).ok).toBe(true);
    expect(processes.serving().map(({ text }) => text)).toEqual(['two', 'two', 'two']);
  });

  it('fails if a worker does not prepare in time, and the worker abandons the configuration later', async () => {
    const { supervisor, processes, disk, scheduler } = await started(2);
    let prepared: () => void = () => undefined;
    processes.behaviour = {
      ...processes.behaviour,
      prepare: (_, number) =>
        number === 1
          ? Promise.resolve(ok(undefined))
          : new Promise((resolve) => (prepared = () => resolve(ok(undefined)))),
    };
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    await scheduler.advance(60_000);
    await scheduler.advance(10_000);
    expect(await outcome).toMatchObject({
      ok: false,
      error: { reason: 'worker 2 did not prepare the configuration within 60 s' },
    });
    prepared();
    await settled();
    expect(processes.serving().map(({ text, abandoned }) => [text, abandoned])).toEqual([
      ['one', 1],
      ['one', 1],
    ]);
  });

  it('ignores a worker that dies meanwhile; its replacement serves the configuration in force then', async () => {
    const { supervisor, processes, disk } = await started(2);
    processes.behaviour = {
      ...processes.behaviour,
      prepare: async (_, number) => {
        if (number === 1) processes.started[0]?.kill();
        await settled();
        return ok(undefined);
      },
    };
    disk.next = textConfiguration('two');
    expect((await supervisor.reload()).ok).toBe(true);
    await settled();
    expect(processes.serving().map(({ text, order }) => [order?.number, text])).toEqual([
      [2, 'two'],
      [1, 'two'],
    ]);
  });

  it('fails if all workers die, and keeps the previous configuration', async () => {
    const { supervisor, processes, disk } = await started(2);
    processes.behaviour = {
      ...processes.behaviour,
      prepare: async (_, number) => {
        processes.started[number - 1]?.kill();
        return ok(undefined);
      },
    };
    disk.next = textConfiguration('two');
    expect(await supervisor.reload()).toMatchObject({
      ok: false,
      error: { reason: 'every worker ended while it prepared the configuration' },
    });
    await settled();
    expect(processes.serving().map(({ text }) => text)).toEqual(['one', 'one']);
  });

  it('kills a worker that does not commit, because its configuration is no longer in force', async () => {
    let inForce: () => void = () => undefined;
    const service: SupervisedService = { adopt: () => inForce(), attend: () => undefined, left: () => undefined };
    const { supervisor, processes, disk, scheduler } = await started(2, [service]);
    inForce = () => processes.started[0]?.hang();
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    await scheduler.advance(10_000);
    expect((await outcome).ok).toBe(true);
    await settled();
    expect(processes.serving().map(({ text, order }) => [order?.number, text])).toEqual([
      [2, 'two'],
      [1, 'two'],
    ]);
  });

  it('runs one reload after the other', async () => {
    const { supervisor, processes, disk } = await started(2);
    disk.next = textConfiguration('two');
    const first = supervisor.reload();
    const second = supervisor.reload();
    expect([(await first).ok, (await second).ok]).toEqual([true, true]);
    expect(supervisor.reloads().count).toBe(2);
    expect(processes.serving()).toHaveLength(2);
  });

  it('warns that another number of workers needs a restart', async () => {
    const { supervisor, disk, logger } = await started(2);
    const { configuration } = disk.next;
    if (configuration === null) throw new Error('there is one');
    disk.next = textConfiguration('two', { ...configuration, system: { ...configuration.system, workerThreads: 5 } });
    expect((await supervisor.reload()).ok).toBe(true);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('is now 5 instead of 2') },
    ]);
  });
});

describe('a supervisor that stops', () => {
  it('drains all workers, closes its sockets, and replaces no worker', async () => {
    const { supervisor, processes, sockets } = await started(2);
    const served = processes.serving();
    await supervisor.stop(3_000);
    expect(served.map(({ drained }) => drained)).toEqual([{ graceMs: 3_000 }, { graceMs: 3_000 }]);
    expect(processes.started.every(({ link }) => link.isClosed)).toBe(true);
    expect(processes.started).toHaveLength(3);
    expect(sockets.kept).toEqual(new Set());
  });

  it('kills workers some seconds after the grace period', async () => {
    const { supervisor, processes, scheduler } = await started(2);
    for (const process of processes.serving()) process.drainsForever = true;
    let isStopped = false;
    void supervisor.stop(3_000).then(() => {
      isStopped = true;
    });
    await scheduler.advance(8_999);
    expect([processes.serving().length, isStopped]).toEqual([2, false]);
    await scheduler.advance(1);
    expect([processes.serving().length, isStopped]).toEqual([0, true]);
    expect(scheduler.waiting).toBe(0);
  });

  it('reloads no more', async () => {
    const { supervisor, disk, processes } = await started(1);
    const [worker] = processes.serving();
    await supervisor.stop(0);
    disk.next = textConfiguration('two');
    await supervisor.reload();
    expect(worker?.text).toBe('one');
  });

  it('abandons the reload in progress', async () => {
    const { supervisor, disk, processes } = await started(1);
    const [worker] = processes.serving();
    let resolve: () => void = () => undefined;
    const held = new Promise<void>((settle) => {
      resolve = settle;
    });
    processes.behaviour = { ...processes.behaviour, prepare: () => held.then(() => ok(undefined)) };
    disk.next = textConfiguration('two');
    const outcome = supervisor.reload();
    await settled();
    const stopped = supervisor.stop(1_000);
    resolve();
    await stopped;
    expect((await outcome).ok).toBe(false);
    expect(worker?.text).toBe('one');
  });
});

describe('the services of a supervisor', () => {
  it('get every worker before its order and after its end, and every configuration before it is in force', async () => {
    const happened: string[] = [];
    const service: SupervisedService = {
      adopt: ({ system }) => void happened.push(`adopt ${system.instance}`),
      attend: ({ number, pid }) => void happened.push(`attend ${number} ${pid}`),
      left: ({ number, pid }) => void happened.push(`left ${number} ${pid}`),
    };
    const { supervisor, processes } = await started(1, [service]);
    processes.started[0]?.kill();
    await settled();
    await supervisor.reload();
    await supervisor.stop(0);
    expect(happened).toEqual([
      'adopt test',
      'attend 1 1000',
      'left 1 1000',
      'attend 1 1001',
      'adopt test',
      'left 1 1001',
    ]);
  });
});

describe('the audit log of a supervisor', () => {
  const audited = (text: string, output: AuditConfiguration['output'] | null = { kind: 'stdout' }) =>
    textConfiguration(text, testConfiguration([], { audit: output && { output } }));
  const startedWithAudit = async () => {
    const gateway = supervisedGateway(2);
    expect((await gateway.supervisor.start(audited('one'))).ok).toBe(true);
    return gateway;
  };

  it('has one record of each event, for any number of workers', async () => {
    const { supervisor, processes, disk, audited: records, auditLogs } = await startedWithAudit();
    processes.serving()[0]?.end({ exitCode: 1, signal: null });
    await settled();
    disk.next = audited('two');
    await supervisor.reload();
    disk.next = { configuration: null, problems: [] };
    await supervisor.reload();
    await supervisor.stop(0);
    expect(records()).toEqual([
      'configuration loaded',
      'gateway started',
      'configuration loaded',
      'configuration refused',
      'gateway draining',
      'gateway stopped',
    ]);
    expect(auditLogs.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it('has one record of a refused reload, with the reason, and stays open', async () => {
    const { supervisor, processes, disk, auditLogs } = await startedWithAudit();
    processes.behaviour = { ...processes.behaviour, prepare: async () => err(loadFailure('no certificate')) };
    disk.next = audited('two');
    await supervisor.reload();
    expect(auditLogs.map(({ isClosed }) => isClosed)).toEqual([false, true]);
    expect(auditLogs[0]?.records.slice(2)).toMatchObject([
      { event: 'configuration', outcome: 'refused', reason: 'no certificate', version: '1.2.3' },
    ]);
    expect(auditLogs[0]?.records.every((record) => !('worker' in record))).toBe(true);
  });

  it('that cannot be opened refuses the configuration before any worker is asked', async () => {
    const { supervisor, processes, disk, audited: records } = await startedWithAudit();
    disk.next = audited('two', { kind: 'file', path: '/var/log' });
    const reason = 'the audit log /var/log cannot be opened: it is a directory';
    expect(await supervisor.reload()).toMatchObject({ ok: false, error: { reason } });
    expect(records().at(-1)).toBe('configuration refused');
    expect(processes.serving().map(({ text, abandoned }) => [text, abandoned])).toEqual([
      ['one', 0],
      ['one', 0],
    ]);
    const other = supervisedGateway(2);
    expect(await other.supervisor.start(disk.next)).toMatchObject({ ok: false, error: { reason } });
    expect(other.processes.started).toEqual([]);
  });

  it('has a record of a failed start, and is closed', async () => {
    const { supervisor, processes, audited: records, auditLogs } = supervisedGateway(2);
    processes.behaviour = { ...processes.behaviour, start: async () => err(loadFailure('the address is taken')) };
    await supervisor.start(audited('one'));
    expect(records()).toEqual(['configuration refused']);
    expect(auditLogs[0]?.isClosed).toBe(true);
  });

  it('has records of its end and of an upgrade', async () => {
    const first = await startedWithAudit();
    first.disk.next = audited('two', null);
    let recorded: () => void = () => undefined;
    const [, asked] = first.processes.serving();
    const lastRecord = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    if (asked !== undefined) asked.lastRecord = lastRecord;
    await first.supervisor.reload();
    await settled();
    expect(first.audited().slice(2)).toEqual(['configuration loaded']);
    recorded();
    await settled();
    expect(first.audited().slice(2)).toEqual(['configuration loaded', 'audit ended']);
    await first.supervisor.stop(0);
    expect(first.audited()).toHaveLength(4);
    expect(first.auditLogs.map(({ isClosed }) => isClosed)).toEqual([true]);
    const second = await startedWithAudit();
    await second.supervisor.stop(0, { delayMs: 0, isReplaced: true });
    expect(second.audited().slice(2)).toEqual(['gateway upgraded', 'gateway stopped']);
  });
});

describe('the warnings of a configuration', () => {
  const warned = ({ processes }: ReturnType<typeof supervisedGateway>) =>
    processes.started.flatMap((one) => one.warned);

  it('are logged by one worker', async () => {
    const gateway = await started(2);
    const { processes, supervisor, disk } = gateway;
    expect(warned(gateway)).toEqual(['one']);
    processes.started[0]?.end({ exitCode: 1, signal: null });
    await settled();
    expect(processes.serving()).toHaveLength(2);
    expect(warned(gateway)).toEqual(['one']);
    disk.next = textConfiguration('two');
    await supervisor.reload();
    expect(warned(gateway)).toEqual(['one', 'two']);
  });

  it('are logged at a reload if the first worker is missing', async () => {
    const gateway = await started(2);
    const { processes, supervisor, disk } = gateway;
    processes.behaviour = { ...processes.behaviour, start: () => new Promise(() => undefined) };
    processes.started[0]?.end({ exitCode: 1, signal: null });
    await settled();
    disk.next = textConfiguration('two');
    const reload = supervisor.reload();
    await settled();
    await gateway.scheduler.advance(supervisionTimes.reloadHeartbeatMs);
    expect((await reload).ok).toBe(true);
    expect(processes.started[1]?.warned).toEqual(['two']);
    expect(warned(gateway)).toEqual(['one', 'two']);
  });
});

describe('the spare process of a supervisor', () => {
  it('starts some seconds after the workers serve', async () => {
    const { processes, scheduler } = await justStarted(2);
    await scheduler.advance(supervisionTimes.firstSpareDelayMs - 1);
    expect(processes.started).toHaveLength(2);
    await scheduler.advance(1);
    expect(processes.started).toHaveLength(3);
    await scheduler.advance(supervisionTimes.firstSpareDelayMs);
    expect(processes.started).toHaveLength(3);
  });

  it('starts sooner if a worker was replaced without it', async () => {
    const { processes, scheduler } = await justStarted(2);
    processes.started[0]?.end({ exitCode: 1, signal: null });
    await settled();
    expect(processes.serving().map(({ order }) => order?.number)).toEqual([2, 1]);
    expect(processes.started).toHaveLength(4);
    await scheduler.advance(supervisionTimes.firstSpareDelayMs);
    expect(processes.started).toHaveLength(4);
  });

  it('does not start after a stop', async () => {
    const { processes, scheduler, supervisor } = await justStarted(2);
    await supervisor.stop(3_000);
    await scheduler.advance(supervisionTimes.firstSpareDelayMs);
    expect(processes.started).toHaveLength(2);
    expect(scheduler.waiting).toBe(0);
  });

  it('ends with the others during its heartbeat, and is not replaced', async () => {
    const { processes, supervisor } = await started(1);
    await settled();
    const [worker, spare] = processes.started;
    spare?.hang();
    worker?.end({ exitCode: 1, signal: null });
    await settled();
    expect(spare?.link.isClosed).toBe(false);
    supervisor.kill();
    await settled();
    expect(spare?.link.isClosed).toBe(true);
    expect(processes.started).toHaveLength(2);
  });
});
