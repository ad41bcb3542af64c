import { describe, expect, it } from 'vitest';
import { CryptoRandom } from '../../../../../../src/adapters/outbound/node-random/crypto-random.js';
import {
  ReceivedTicketKeys,
  TicketKeyServer,
} from '../../../../../../src/application/gateway/workers/share-ticket-keys/shared-ticket-keys.js';
import { rotationMs } from '../../../../../../src/application/gateway/workers/share-ticket-keys/ticket-key-rotation.js';
import type { TicketKeys } from '../../../../../../src/application/ports/gateway/ticket-keys.js';
import { WorkerChannel } from '../../../../../../src/application/shared/worker-channel/worker-channel.js';
import { linkedPair } from '../../../../../support/gateway/linked-pair.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { ManualScheduler, settled } from '../../../../../support/shared/manual-scheduler.js';

const fail = (topic: string, error: unknown): never => {
  throw new Error(`${topic}: ${String(error)}`);
};

const supervised = () => {
  const scheduler = new ManualScheduler(new ManualClock());
  const server = new TicketKeyServer(new CryptoRandom(), scheduler);
  const worker = () => {
    const [above, below] = linkedPair();
    const used: TicketKeys[] = [];
    const received = new ReceivedTicketKeys(new WorkerChannel(below, scheduler, fail));
    const leave = server.join(new WorkerChannel(above, scheduler, fail));
    return { used, received, leave, sent: above.sent, use: (keys: TicketKeys) => void used.push(keys) };
  };
  return { scheduler, worker };
};

const revealed = ({ current, previous }: TicketKeys) => [current.reveal(), previous?.reveal() ?? null];

describe('the ticket keys of several workers', () => {
  it('are the same in all, and random', async () => {
    const { worker } = supervised();
    const [one, two] = [worker(), worker()];
    await settled();
    for (const { received, use } of [one, two]) received.passTo(use);
    const [keys] = one.used;
    expect(keys?.current.reveal()).toMatch(/^[0-9a-f]{96}$/);
    expect(keys?.previous).toBeNull();
    expect(two.used.map(revealed)).toEqual(one.used.map(revealed));
    const other = supervised().worker();
    other.received.passTo(other.use);
    await settled();
    expect(other.used[0]?.current.reveal()).not.toBe(keys?.current.reveal());
  });

  it('are replaced each hour; the key before is kept for another hour', async () => {
    const { scheduler, worker } = supervised();
    const one = worker();
    one.received.passTo(one.use);
    await settled();
    await scheduler.advance(rotationMs - 1);
    expect(one.used).toHaveLength(1);
    await scheduler.advance(1);
    await scheduler.advance(rotationMs);
    const [first, second, third] = one.used.map(revealed);
    expect(second?.[1]).toBe(first?.[0]);
    expect(third?.[1]).toBe(second?.[0]);
    expect(new Set([first?.[0], second?.[0], third?.[0]]).size).toBe(3);
  });

  it('reach a worker that joins later, and none that has left', async () => {
    const { scheduler, worker } = supervised();
    const one = worker();
    await scheduler.advance(rotationMs);
    const late = worker();
    await settled();
    for (const { received, use } of [one, late]) received.passTo(use);
    expect(late.used.map(revealed)).toEqual(one.used.map(revealed));
    one.leave();
    const before = one.sent.length;
    await scheduler.advance(rotationMs);
    expect(one.sent).toHaveLength(before);
    expect(late.used).toHaveLength(2);
  });

  it('do not show where they are printed', async () => {
    const { worker } = supervised();
    const one = worker();
    one.received.passTo(one.use);
    await settled();
    expect(JSON.stringify(one.used)).toBe('[{"current":"[secret]","previous":null}]');
    expect(String(one.used[0]?.current)).toBe('[secret]');
  });
});
