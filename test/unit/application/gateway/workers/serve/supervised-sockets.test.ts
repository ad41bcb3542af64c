import { describe, expect, it } from 'vitest';
import { SupervisedSockets } from '../../../../../../src/application/gateway/workers/serve/supervised-sockets.js';
import { SocketSharing } from '../../../../../../src/application/gateway/workers/supervise/socket-sharing.js';
import { WorkerChannel } from '../../../../../../src/application/shared/worker-channel/worker-channel.js';
import { linkedPair } from '../../../../../support/gateway/linked-pair.js';
import { FakeSharedSockets } from '../../../../../support/gateway/supervised-gateway.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';

const address = { host: '127.0.0.1', port: 8080 };

const sharedSockets = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const [supervisorEnd, workerEnd] = linkedPair();
  const [supervisor, worker] = [supervisorEnd, workerEnd].map(
    (end) => new WorkerChannel(end, scheduler, () => undefined),
  ) as [WorkerChannel, WorkerChannel];
  const shared = new FakeSharedSockets();
  const share = () => new SocketSharing(shared).attend({ number: 1, pid: 1, channel: supervisor });
  const sockets = new SupervisedSockets(worker, (attachment, bound) => ({
    address: bound,
    listenable: attachment,
    fd: -1,
    close: () => undefined,
  }));
  return { scheduler, shared, share, sockets, workerEnd };
};

describe('the sockets of a worker', () => {
  it('are those that the supervisor has bound', async () => {
    const { shared, share, sockets } = sharedSockets();
    share();
    const socket = await sockets.open('a key', address, 'main');
    expect(socket).toMatchObject({ address, listenable: { key: 'a key' } });
    expect(shared.opened).toEqual(['a key']);
  });

  it('fail with the error of the supervisor', async () => {
    const { shared, share, sockets } = sharedSockets();
    share();
    shared.refusal = Object.assign(new Error('bind EACCES'), { code: 'EACCES', syscall: 'bind', ...address });
    const failed = await sockets.open('a key', address, 'main').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect(failed).toMatchObject({ message: 'bind EACCES', code: 'EACCES', syscall: 'bind', port: 8080 });
  });

  it('fail if the supervisor does not answer, or is gone', async () => {
    const { sockets, scheduler, workerEnd } = sharedSockets();
    workerEnd.other?.onMessage(() => undefined);
    const silent = sockets.open('a key', address, 'main').catch((error: unknown) => error);
    await settled();
    await scheduler.advance(15_000);
    expect(await silent).toMatchObject({ message: 'the supervisor sent no socket (timed_out)' });
    workerEnd.close();
    await expect(sockets.open('a key', address, 'main')).rejects.toThrow('the supervisor sent no socket (closed)');
  });
});
