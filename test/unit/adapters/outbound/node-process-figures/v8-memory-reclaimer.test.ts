import { expect, it } from 'vitest';
import { V8MemoryReclaimer } from '../../../../../src/adapters/outbound/node-process-figures/v8-memory-reclaimer.js';

/** Out here, so that it is not garbage itself. */
const registry = new FinalizationRegistry<() => void>((done) => done());

it('has garbage collected, and leaves no function behind that others could call', async () => {
  const reclaimer = new V8MemoryReclaimer();
  for (let time = 0; time < 2; time += 1) {
    const collected = new Promise<void>((resolve) => registry.register({ some: 'garbage' }, resolve));
    reclaimer.reclaim();
    await collected;
  }
  expect(Reflect.get(globalThis, 'gc')).toBeUndefined();
});
