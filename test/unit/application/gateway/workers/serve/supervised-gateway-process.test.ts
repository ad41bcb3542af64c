import { describe, expect, it } from 'vitest';
import { SupervisedGatewayProcess } from '../../../../../../src/application/gateway/workers/serve/supervised-gateway-process.js';
import {
  abandonReload,
  beginServing,
  commitReload,
  drainWorker,
  heartbeat,
  prepareReload,
  type StartOrder,
  startWorker,
} from '../../../../../../src/application/gateway/workers/supervise/worker-topics.js';
import { WorkerChannel } from '../../../../../../src/application/shared/worker-channel/worker-channel.js';
import { ok } from '../../../../../../src/domain/shared/result.js';
import { linkedPair } from '../../../../../support/gateway/linked-pair.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';

const order: StartOrder = {
  configFile: 'gateway.kdl',
  overrides: { workerThreads: null },
  log: { level: 'info', format: 'json', warning: null },
  startedAtMs: 0,
  number: 1,
  logsWarnings: true,
  workers: 2,
  texts: new Map(),
  reloads: { count: 0, lastLoadMs: 0 },
  drainedTargets: [],
};

const workerProcess = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const [supervisorEnd, workerEnd] = linkedPair();
  const happened: string[] = [];
  let release: () => void = () => undefined;
  const gate = { start: Promise.resolve(), stop: Promise.resolve() };
  const hold = (what: keyof typeof gate) => {
    gate[what] = new Promise((resolve) => {
      release = resolve;
    });
  };
  const supervisor = new WorkerChannel(supervisorEnd, scheduler, () => undefined);
  new SupervisedGatewayProcess(new WorkerChannel(workerEnd, scheduler, () => undefined), {
    prepare: async () => {
      await gate.start;
      happened.push('prepared');
      return ok(async () => {
        happened.push('serves');
        return ok({
          addresses: { listeners: new Map(), admin: null },
          prepareReload: async () =>
            ok({ commit: () => void happened.push('commit'), abandon: async () => void happened.push('abandon') }),
          stop: async (graceMs, { isReplaced }) => {
            happened.push(`stop ${graceMs} ${isReplaced}`);
            await gate.stop;
          },
          leave: async (graceMs) => void happened.push(`leave ${graceMs}`),
        });
      });
    },
    end: () => void happened.push('end'),
  }).listen();
  const serve = async () => {
    await supervisor.ask(startWorker, order, 1_000);
    await supervisor.ask(beginServing, null, 1_000);
    happened.length = 0;
  };
  return { supervisor, supervisorEnd, happened, hold, serve, release: () => release() };
};

describe('the process of a worker', () => {
  it('answers heartbeats before it has an order', async () => {
    const { supervisor } = workerProcess();
    expect(await supervisor.ask(heartbeat, null, 1_000)).toEqual(ok(null));
    expect(await supervisor.ask(prepareReload, { texts: new Map(), logsWarnings: true }, 1_000)).toMatchObject({
      ok: true,
      value: { ok: false },
    });
  });

  it('commits or abandons a prepared reload, once', async () => {
    const { supervisor, happened, serve } = workerProcess();
    await serve();
    expect(await supervisor.ask(commitReload, null, 1_000)).toEqual(ok(false));
    expect(await supervisor.ask(prepareReload, { texts: new Map(), logsWarnings: true }, 1_000)).toEqual(ok(ok(null)));
    expect(await supervisor.ask(prepareReload, { texts: new Map(), logsWarnings: true }, 1_000)).toMatchObject({
      value: { ok: false },
    });
    expect(await supervisor.ask(commitReload, null, 1_000)).toEqual(ok(true));
    await supervisor.ask(abandonReload, null, 1_000);
    await supervisor.ask(prepareReload, { texts: new Map(), logsWarnings: true }, 1_000);
    await supervisor.ask(abandonReload, null, 1_000);
    expect(await supervisor.ask(commitReload, null, 1_000)).toEqual(ok(false));
    expect(happened).toEqual(['commit', 'abandon']);
  });

  it('drains once when the supervisor orders it, and ends', async () => {
    const { supervisor, happened, hold, release, serve } = workerProcess();
    await serve();
    hold('stop');
    supervisor.tell(drainWorker, { graceMs: 7, manner: { delayMs: 0, isReplaced: true } });
    supervisor.tell(drainWorker, { graceMs: 0, manner: { delayMs: 0, isReplaced: false } });
    await settled();
    expect(happened).toEqual(['stop 7 true']);
    release();
    await settled();
    expect(happened).toEqual(['stop 7 true', 'end']);
  });

  it('drains for some seconds after the supervisor is gone', async () => {
    const { supervisorEnd, happened, serve } = workerProcess();
    await serve();
    supervisorEnd.close();
    await settled();
    expect(happened).toEqual(['leave 5000', 'end']);
  });

  it('leaves at once if the supervisor goes during a drain', async () => {
    const { supervisor, supervisorEnd, happened, hold, serve } = workerProcess();
    await serve();
    hold('stop');
    supervisor.tell(drainWorker, { graceMs: 40_000, manner: { delayMs: 30_000, isReplaced: false } });
    await settled();
    expect(happened).toEqual(['stop 40000 false']);
    supervisorEnd.close();
    await settled();
    expect(happened).toEqual(['stop 40000 false', 'leave 5000', 'end']);
  });

  it('ends at once if the supervisor goes before there was an order', async () => {
    const { supervisorEnd, happened } = workerProcess();
    supervisorEnd.close();
    await settled();
    expect(happened).toEqual(['end']);
  });

  it('does not serve if the supervisor goes during its start', async () => {
    const { supervisor, supervisorEnd, happened, hold, release } = workerProcess();
    hold('start');
    void supervisor.ask(startWorker, order, 1_000);
    await settled();
    supervisorEnd.close();
    release();
    await settled();
    expect(happened).toContain('end');
    expect(happened).not.toContain('serves');
  });

  it('accepts nothing before the supervisor orders it, or after the supervisor is gone', async () => {
    const { supervisor, supervisorEnd, happened } = workerProcess();
    expect(await supervisor.ask(beginServing, null, 1_000)).toMatchObject({ ok: true, value: { ok: false } });
    expect(await supervisor.ask(startWorker, order, 1_000)).toEqual(ok(ok(null)));
    expect(happened).toEqual(['prepared']);
    supervisorEnd.close();
    await settled();
    expect(happened).toEqual(['prepared', 'end']);
  });
});
