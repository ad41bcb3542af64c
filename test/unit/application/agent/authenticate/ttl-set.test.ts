import { expect, it } from 'vitest';
import { TtlSet } from '../../../../../src/application/agent/authenticate/ttl-set.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

it('keeps an entry exactly for its lifetime', () => {
  const clock = new ManualClock();
  const memory = new TtlSet(clock, 1_000, 10);
  memory.add('a');
  clock.advance(999);
  expect(memory.has('a')).toBe(true);
  clock.advance(1);
  expect(memory.has('a')).toBe(false);
});

it('counts the lifetime from the last insertion', () => {
  const clock = new ManualClock();
  const memory = new TtlSet(clock, 1_000, 10);
  memory.add('a');
  clock.advance(600);
  memory.add('b');
  memory.add('a');
  clock.advance(600);
  memory.add('c');
  expect(['a', 'b', 'c'].map((text) => memory.has(text))).toEqual([true, true, true]);
});

it('evicts the oldest entry beyond its capacity', () => {
  const memory = new TtlSet(new ManualClock(), 1_000, 3);
  for (const text of ['a', 'b', 'c', 'a', 'd']) memory.add(text);
  expect(['a', 'b', 'c', 'd'].map((text) => memory.has(text))).toEqual([true, false, true, true]);
});

it('evicts the least recently used entry if use renews entries', () => {
  const clock = new ManualClock();
  const memory = new TtlSet(clock, 1_000, 2);
  memory.add('a');
  memory.add('b');
  clock.advance(999);
  expect(memory.renew('a')).toBe(true);
  memory.add('c');
  expect(['a', 'b', 'c'].map((text) => memory.has(text))).toEqual([true, false, true]);
  clock.advance(999);
  expect(memory.has('a')).toBe(true);
  clock.advance(1);
  expect(memory.renew('a')).toBe(false);
  expect(memory.has('a')).toBe(false);
});
