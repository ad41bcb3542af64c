import { expect, it } from 'vitest';
import { Coalesced } from '../../../../../../src/application/gateway/workers/aggregate/coalesced.js';

/** A task that ends when the test says so. */
const heldWork = () => {
  const ends: ((error?: Error) => void)[] = [];
  let runs = 0;
  const work = new Coalesced(() => {
    runs += 1;
    const run = runs;
    return new Promise<number>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(run) : reject(error)));
    });
  });
  return { work, end: (error?: Error) => ends.shift()?.(error), runs: () => runs };
};

it('runs once at a time, and calls during a run share the next run', async () => {
  const { work, end, runs } = heldWork();
  const first = work.get();
  const second = work.get();
  const third = work.get();
  expect(runs()).toBe(1);
  end();
  expect(await first).toBe(1);
  expect(runs()).toBe(2);
  end();
  expect([await second, await third]).toEqual([2, 2]);
  expect(runs()).toBe(2);
});

it('returns no outcome that is older than the call', async () => {
  const { work, end } = heldWork();
  const first = work.get();
  end();
  await first;
  const second = work.get();
  end();
  expect(await second).toBe(2);
});

it('continues after a failed run', async () => {
  const { work, end } = heldWork();
  const first = work.get();
  const second = work.get();
  end(new Error('no'));
  await expect(first).rejects.toThrow('no');
  end();
  expect(await second).toBe(2);
});

it('never overlaps runs, for calls at any time', async () => {
  let running = 0;
  let most = 0;
  const work = new Coalesced(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  });
  const asked: Promise<void>[] = [];
  for (let turn = 0; turn < 50; turn += 1) {
    asked.push(work.get());
    for (let wait = 0; wait < turn % 7; wait += 1) await Promise.resolve();
  }
  await Promise.all(asked);
  expect(most).toBe(1);
});
