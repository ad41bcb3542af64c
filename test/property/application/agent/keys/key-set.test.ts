import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keysAt } from '../../../../support/agent/fake-key-set-source.js';
import { formedJwk, keySetUrl, testKeySets } from '../../../../support/agent/test-key-sets.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

type Step =
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'unknown keys'; readonly count: number }
  | { readonly kind: 'publish'; readonly kids: readonly string[] }
  | { readonly kind: 'down' | 'hold' | 'let go' };

const kids = ['one', 'two', 'three'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  fc.record({ kind: fc.constant('unknown keys' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('publish' as const), kids: fc.subarray([...kids]) }),
  fc.record({ kind: fc.constantFrom('down' as const, 'hold' as const, 'let go' as const) }),
);

const refreshMs = 60_000;

/** Takes the steps; `look` sees what there is after each. */
const play = async (
  steps: readonly Step[],
  chance: number,
  look: (made: ReturnType<typeof start>) => void,
): Promise<ReturnType<typeof start>> => {
  const made = start(chance);
  await settled();
  for (const next of steps) {
    if (next.kind === 'advance') await made.scheduler.advance(next.ms);
    if (next.kind === 'unknown keys') for (let asked = 0; asked < next.count; asked += 1) made.askForUnknown();
    if (next.kind === 'publish') made.source.publish(...next.kids.map((kid) => formedJwk(kid)));
    if (next.kind === 'down') made.source.goDown();
    if (next.kind === 'hold') made.source.isHeld = true;
    if (next.kind === 'let go') made.source.letGo();
    await settled();
    look(made);
  }
  return made;
};

const start = (chance: number) => {
  const made = testKeySets();
  made.random.value = chance;
  made.source.publish(formedJwk('one'));
  const lease = made.sets.acquire(keysAt(keySetUrl), refreshMs);
  const refetchesMs: number[] = [];
  const askForUnknown = () => {
    const before = made.source.requests;
    void lease.keys.refetch(800, neverCancelled);
    if (made.source.requests > before) refetchesMs.push(made.clock.monotonicMs());
  };
  return { ...made, lease, keys: lease.keys, refetchesMs, askForUnknown };
};

const steps = fc.array(step, { maxLength: 40 });
const chance = fc.constantFrom(0, 0.3, 0.999);

describe('a key set with a misbehaving provider', () => {
  it('runs one fetch at a time, and fetches for unknown keys at most once in 30 seconds', async () => {
    await fc.assert(
      fc.asyncProperty(steps, chance, async (taken, fraction) => {
        const { source, refetchesMs } = await play(taken, fraction, () => undefined);
        expect(source.mostAtOnce).toBe(1);
        refetchesMs.forEach((atMs, index) => {
          if (index > 0) expect(atMs - (refetchesMs[index - 1] ?? 0)).toBeGreaterThanOrEqual(30_000);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a usable key once it has one, and returns no withdrawn key', async () => {
    await fc.assert(
      fc.asyncProperty(steps, chance, async (taken, fraction) => {
        await play(taken, fraction, ({ keys }) => {
          const found = kids.map((kid) => keys.find(kid, 'ES256')).filter((key) => key !== null);
          expect(keys.state()).not.toBe('absent');
          expect(found.length).toBeGreaterThan(0);
          expect(found.some(({ isWithdrawn }) => isWithdrawn)).toBe(false);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('always has a fetch running or scheduled within the interval', async () => {
    await fc.assert(
      fc.asyncProperty(steps, chance, async (taken, fraction) => {
        const { source, scheduler, keys } = await play(taken, fraction, () => undefined);
        source.letGo();
        await settled();
        const before = source.requests;
        source.publish(formedJwk('last'));
        await scheduler.advance(refreshMs);
        expect(source.requests).toBeGreaterThan(before);
        expect(keys.state()).toBe('fresh');
        expect(keys.find('last', 'ES256')).not.toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no timer after release', async () => {
    await fc.assert(
      fc.asyncProperty(steps, chance, async (taken, fraction) => {
        const { source, scheduler, lease } = await play(taken, fraction, () => undefined);
        lease.release();
        await scheduler.advance(10_000);
        expect(scheduler.waiting).toBe(0);
        const before = source.requests;
        source.letGo();
        await scheduler.advance(10 * refreshMs);
        expect(source.requests).toBe(before);
        expect(scheduler.waiting).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
