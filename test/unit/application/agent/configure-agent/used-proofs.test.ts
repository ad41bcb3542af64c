import { describe, expect, it } from 'vitest';
import { BoundedProofs, maximumProofs } from '../../../../../src/application/agent/configure-agent/used-proofs.js';
import type { ReplayStore } from '../../../../../src/application/ports/agent/replay-store.js';
import { ok } from '../../../../../src/domain/shared/result.js';

const startMs = 1_800_000_000_000;

/** A store without a limit, as that of redis. */
class EndlessStore implements Pick<ReplayStore, 'remember' | 'removeExpired'> {
  readonly #known = new Map<string, number>();

  get size(): number {
    return this.#known.size;
  }

  async remember(key: string, untilMs: number, nowMs: number) {
    const known = this.#known.get(key);
    if (known !== undefined && known > nowMs) return ok('seen' as const);
    this.#known.set(key, untilMs);
    return ok('first' as const);
  }

  async removeExpired(nowMs: number, limit: number) {
    const expired = [...this.#known].filter(([, untilMs]) => untilMs <= nowMs).slice(0, limit);
    for (const [key] of expired) this.#known.delete(key);
    return ok(expired.length);
  }
}

const fill = async (proofs: BoundedProofs, count: number, nowMs: number, name: string): Promise<number> => {
  let failures = 0;
  for (let index = 0; index < count; index += 1) {
    const remembered = await proofs.remember(`${name}${index}`, nowMs + 60_000, nowMs);
    if (!remembered.ok) failures += 1;
  }
  return failures;
};

describe('used proofs in a store without a limit', () => {
  it('are refused beyond 100 000 in force, and taken again once those have expired', async () => {
    const store = new EndlessStore();
    const proofs = new BoundedProofs(store);
    expect(await fill(proofs, maximumProofs - 10, startMs, 'a')).toBe(0);
    expect(await fill(proofs, 10, startMs + 61_000, 'b')).toBe(0);
    expect(await proofs.remember('one more', startMs + 200_000, startMs + 119_999)).toMatchObject({ ok: false });
    const laterMs = startMs + 181_000;
    expect(await proofs.remember('one more', laterMs + 60_000, laterMs)).toEqual(ok('first'));
    await expect.poll(() => store.size).toBe(1);
  });

  it('count once, however often a proof is shown', async () => {
    const proofs = new BoundedProofs(new EndlessStore());
    for (let time = 0; time <= maximumProofs; time += 1) await proofs.remember('a', startMs + 60_000, startMs);
    expect(await proofs.remember('a', startMs + 60_000, startMs)).toEqual(ok('seen'));
    expect(await proofs.remember('b', startMs + 60_000, startMs)).toEqual(ok('first'));
  });

  it('survive a clock that is set back', async () => {
    const proofs = new BoundedProofs(new EndlessStore());
    expect(await fill(proofs, 10, startMs, 'a')).toBe(0);
    expect(await proofs.remember('b', startMs, startMs - 86_400_000)).toEqual(ok('first'));
    expect(await proofs.remember('a0', startMs, startMs - 86_400_000)).toEqual(ok('seen'));
  });
});
