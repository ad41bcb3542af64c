import { describe, expect, it } from 'vitest';
import { CompressionPlaces } from '../../../../../src/adapters/outbound/node-zlib-compressor/compression-places.js';

describe('places for jobs', () => {
  it('are two; more jobs wait for their turn, in order', async () => {
    const places = new CompressionPlaces();
    const order: number[] = [];
    const job = async (number: number): Promise<void> => {
      const turn = places.enter();
      if (turn !== undefined) await turn;
      order.push(number);
    };
    const jobs = [1, 2, 3, 4].map(job);
    await Promise.all(jobs.slice(0, 2));
    expect(order).toEqual([1, 2]);
    places.leave();
    await jobs[2];
    expect(order).toEqual([1, 2, 3]);
    places.leave();
    places.leave();
    places.leave();
    await Promise.all(jobs);
    expect(order).toEqual([1, 2, 3, 4]);
    expect([places.enter(), places.enter()]).toEqual([undefined, undefined]);
  });
});

describe('places for bodies', () => {
  it('are 64', () => {
    const places = new CompressionPlaces();
    const taken = Array.from({ length: 65 }, () => places.take());
    expect([taken.filter(Boolean).length, taken.at(-1), places.bodies]).toEqual([64, false, 64]);
    places.release();
    expect(places.take()).toBe(true);
  });
});
