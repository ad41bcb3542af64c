import { describe, expect, it } from 'vitest';
import {
  type CheckOutcome,
  failedCheck,
} from '../../../../../src/application/agent/authenticate/authentication-check.js';
import { CertificateMemory } from '../../../../../src/application/agent/authenticate/mtls-check.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
/** Any outcome does: the memory does not look at it. */
const outcome: CheckOutcome = failedCheck('certificate_untrusted');

describe('CertificateMemory', () => {
  it('evicts the least recently used entries beyond its character limit', () => {
    const memory = new CertificateMemory(new ManualClock(), { maximumEntries: 100, maximumSize: 10 });
    const kept = (): string => ['a', 'b', 'c', 'd'].filter((key) => memory.recall(key) !== null).join('');
    const accept = (key: string, size: number): void => memory.accept(key, { outcome, window: always, size });
    accept('a', 4);
    accept('b', 4);
    memory.recall('a');
    accept('c', 4);
    expect(kept()).toBe('ac');
    accept('a', 6);
    expect(kept()).toBe('ac');
    accept('d', 10);
    expect(kept()).toBe('d');
    accept('b', 11);
    expect(kept()).toBe('d');
  });

  it('frees the space of expired entries', () => {
    const clock = new ManualClock(1_000);
    const memory = new CertificateMemory(clock, { maximumEntries: 100, maximumSize: 10 });
    memory.accept('a', { outcome, window: { fromMs: 0, toMs: 1_000 }, size: 6 });
    memory.accept('b', { outcome, window: always, size: 4 });
    clock.advance(1);
    expect(memory.recall('a')).toBeNull();
    memory.accept('c', { outcome, window: always, size: 6 });
    expect(memory.recall('b')).toBe(outcome);
    expect(memory.recall('c')).toBe(outcome);
  });
});
