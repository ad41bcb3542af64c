import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { NodeScheduler } from '../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { IpcLink } from '../../../../src/adapters/outbound/node-workers/ipc-link.js';
import { NodeWorkerProcesses } from '../../../../src/adapters/outbound/node-workers/node-worker-processes.js';
import { heartbeat } from '../../../../src/application/gateway/workers/supervise/worker-topics.js';
import type { WorkerLink } from '../../../../src/application/ports/shared/worker-link.js';
import { WorkerChannel } from '../../../../src/application/shared/worker-channel/worker-channel.js';
import { ok } from '../../../../src/domain/shared/result.js';
import { it } from '../../../support/shared/fixtures.js';
import { builtProgram } from '../../../support/shared/running-gateway.js';

const deadlineMs = 60_000;
const program = builtProgram('main-gateway-worker');

const toWorker = (link: WorkerLink): WorkerChannel =>
  new WorkerChannel(link, new NodeScheduler(), (topic, error) => {
    throw new Error(`${topic}: ${String(error)}`);
  });

describe('a worker process without orders', () => {
  it('ignores signals, opens no inspector, and ends with its supervisor', async ({ cleanUp }) => {
    const child = fork(program, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    cleanUp.add(() => void child.kill('SIGKILL'));
    const written = child.stderr === null ? '' : text(child.stderr);
    const worker = toWorker(new IpcLink(child));
    expect(await worker.ask(heartbeat, null, deadlineMs)).toEqual(ok(null));
    for (const signal of ['SIGUSR1', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) child.kill(signal);
    expect(await worker.ask(heartbeat, null, deadlineMs)).toEqual(ok(null));
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
    expect(await written).toBe('');
  });

  it('has its own process group, out of reach of a terminal', async ({ cleanUp }) => {
    const { pid, link, ended, kill } = new NodeWorkerProcesses(pathToFileURL(program)).start();
    cleanUp.add(async () => {
      kill();
      await ended;
    });
    // Throws where there is no such group.
    expect(process.kill(-(pid ?? 0), 0)).toBe(true);
    expect(await toWorker(link).ask(heartbeat, null, deadlineMs)).toEqual(ok(null));
  });

  it('ends at once with all others', async () => {
    const processes = new NodeWorkerProcesses(pathToFileURL(program));
    const started = [processes.start(), processes.start()];
    processes.killAll();
    for (const { ended } of started) expect(await ended).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });
});
