import { expect, it } from 'vitest';
import { FairQueue } from '../../../../../src/domain/gateway/limits/fair-queue.js';

const queueOf = (clients: string, maxSize: number): FairQueue<string> => {
  const queue = new FairQueue<string>();
  for (const [index, client] of [...clients].entries()) queue.offer(client, `${client}${index}`, maxSize);
  return queue;
};

const taken = (queue: FairQueue<string>): string[] => {
  const all: string[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) all.push(next);
  return all;
};

it('serves clients in turn and keeps the order of each', () => {
  expect(taken(queueOf('aaabc', 10))).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
});

it('serves a client with one entry before the rest of a client with five hundred', () => {
  const queue = queueOf('a'.repeat(500), 1_000);
  queue.offer('b', 'b', 1_000);
  expect([queue.take(), queue.take()]).toEqual(['a0', 'b']);
});

it('puts a returning client at the end', () => {
  const queue = queueOf('ab', 10);
  queue.take();
  queue.offer('a', 'again', 10);
  queue.offer('c', 'c', 10);
  expect(taken(queue)).toEqual(['b1', 'again', 'c']);
});

it('evicts the newest entry of the largest client when it is full', () => {
  const queue = queueOf('aaab', 4);
  expect(queue.offer('c', 'c', 4)).toMatchObject({ kind: 'queued', evicted: 'a2' });
  expect(queue.size).toBe(4);
  expect(taken(queue)).toEqual(['a0', 'b3', 'c', 'a1']);
});

it('evicts nothing if the new client would then have the most entries', () => {
  const queue = queueOf('aabb', 4);
  expect(queue.offer('a', 'x', 4)).toEqual({ kind: 'full' });
  expect(queueOf('aab', 3).offer('b', 'x', 3)).toEqual({ kind: 'full' });
  expect(queueOf('abc', 3).offer('d', 'x', 3)).toEqual({ kind: 'full' });
});

it('queues nothing with a limit of 0', () => {
  expect(new FairQueue<string>().offer('a', 'x', 0)).toEqual({ kind: 'full' });
});

it('removes an entry only once', () => {
  const queue = queueOf('a', 10);
  const offer = queue.offer('b', 'b', 10);
  if (offer.kind !== 'queued') throw new Error('it has to wait');
  queue.remove(offer.node);
  queue.remove(offer.node);
  expect(queue.size).toBe(1);
  expect(taken(queue)).toEqual(['a0']);
});
