import { describe, expect, it } from 'vitest';
import { VerifiedTokenMemory } from '../../../../src/application/authenticate-request/verified-token-memory.js';
import { ManualClock } from '../../../support/manual-clock.js';

const token = {
  prepared: { identity: { method: 'jwt', userId: 'ann', claims: null }, operations: [] },
  window: { fromMs: 0, untilMs: 1 },
} as const;

describe('VerifiedTokenMemory', () => {
  it('holds no more than its number of tokens, and lets the least recently used go', () => {
    const memory = new VerifiedTokenMemory(new ManualClock(), { maximumEntries: 2, maximumSize: 100, keptForMs: 10 });
    memory.remember('a', token, 1);
    memory.remember('b', token, 1);
    expect(memory.find('a')).toMatchObject(token);
    memory.remember('c', token, 1);
    expect(memory.find('b')).toBeNull();
    expect(memory.find('a')).not.toBeNull();
    expect(memory.find('c')).not.toBeNull();
  });

  it('holds no more than its size, and counts what is replaced or forgotten no longer', () => {
    const clock = new ManualClock();
    const memory = new VerifiedTokenMemory(clock, { maximumEntries: 100, maximumSize: 10, keptForMs: 10 });
    memory.remember('a', token, 6);
    memory.remember('a', token, 6);
    memory.remember('b', token, 4);
    expect(memory.find('a')).not.toBeNull();
    memory.forget('a');
    memory.remember('c', token, 6);
    expect(memory.find('b')).not.toBeNull();
    memory.remember('d', token, 1);
    expect(memory.find('c')).toBeNull();
    clock.advance(10);
    expect(memory.find('b')).toBeNull();
    memory.remember('e', token, 9);
    expect(memory.find('e')).not.toBeNull();
    expect(memory.find('d')).toBeNull();
  });

  it('keeps nothing that is larger than itself', () => {
    const memory = new VerifiedTokenMemory(new ManualClock(), { maximumEntries: 2, maximumSize: 10, keptForMs: 10 });
    memory.remember('a', token, 11);
    expect(memory.find('a')).toBeNull();
  });
});
