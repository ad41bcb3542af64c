import { expect, it } from 'vitest';
import { TtlSet } from '../../../../../src/application/agent/authenticate/ttl-set.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

it('remembers for its time and not a moment longer', () => {
  const clock = new ManualClock();
  const memory = new TtlSet(clock, 1_000, 10);
  memory.add('a');
  clock.advance(999);
  expect(memory.has('a')).toBe(true);
  clock.advance(1);
  expect(memory.has('a')).toBe(false);
});

it('counts the time from when a text was last added', () => {
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

it('forgets the oldest where there are too many', () => {
  const memory = new TtlSet(new ManualClock(), 1_000, 3);
  for (const text of ['a', 'b', 'c', 'a', 'd']) memory.add(text);
  expect(['a', 'b', 'c', 'd'].map((text) => memory.has(text))).toEqual([true, false, true, true]);
});

it('forgets the one that was used least recently where texts are renewed by their use', () => {
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
