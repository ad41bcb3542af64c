import { describe, expect, it } from 'vitest';
import { SpentAssertions } from '../../../../../src/application/agent/exchange-token/spent-assertions.js';
import {
  assertionClockSkewMs,
  longestAssertionMs,
} from '../../../../../src/domain/agent/token-exchange/client-assertion-rules.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const lifeMs = longestAssertionMs + assertionClockSkewMs;

describe('the assertions that an agent has taken', () => {
  it('are taken once, those of each client apart', () => {
    const spent = new SpentAssertions(new ManualClock());
    expect([spent.take('a', '1'), spent.take('a', '1'), spent.take('a', '2'), spent.take('b', '1')]).toEqual([
      'first',
      'seen',
      'first',
      'first',
    ]);
  });

  it.each([0, 1, lifeMs / 4, lifeMs / 2, lifeMs - 1])(
    'are known for a whole life, whenever they came: %d ms',
    (offsetMs) => {
      const clock = new ManualClock();
      const spent = new SpentAssertions(clock);
      clock.advance(offsetMs);
      expect(spent.take('a', 'late')).toBe('first');
      // Others come all the time, at any moment of a generation.
      const stepMs = lifeMs / 40;
      for (let step = 1; step < 40; step += 1) {
        clock.advance(stepMs);
        spent.take('b', `at ${step}`);
        expect(spent.take('a', 'late')).toBe('seen');
      }
      clock.advance(stepMs - 1);
      expect(spent.take('a', 'late')).toBe('seen');
    },
  );

  it('are told of without being taken, for as long as they are known', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 1 });
    expect([spent.has('a', '1'), spent.has('a', '1'), spent.take('a', '1')]).toEqual([false, false, 'first']);
    expect([spent.has('a', '1'), spent.has('b', '1'), spent.has('a', '2')]).toEqual([true, false, false]);
    clock.advance(lifeMs);
    expect(spent.has('a', '1')).toBe(true);
    clock.advance(lifeMs);
    expect(spent.has('a', '1')).toBe(false);
  });

  it('are forgotten after two lives, those of a client that comes no more as well', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 2, together: 2 });
    expect([spent.take('a', '1'), spent.take('b', '1'), spent.take('c', '1')]).toEqual(['first', 'first', 'full']);
    clock.advance(lifeMs);
    expect([spent.take('a', '1'), spent.take('c', '1')]).toEqual(['seen', 'full']);
    clock.advance(lifeMs);
    expect([spent.take('c', '1'), spent.take('a', '1')]).toEqual(['first', 'first']);
  });

  it('are forgotten after a long silence at once', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 1 });
    expect(spent.take('a', '1')).toBe('first');
    clock.advance(2 * lifeMs);
    expect(spent.take('a', '1')).toBe('first');
  });

  it('are so many of one client that the others have room', () => {
    const spent = new SpentAssertions(new ManualClock(), { ofClient: 2, together: 3 });
    const taken = ['1', '2', '3'].map((id) => spent.take('a', id));
    expect(taken).toEqual(['first', 'first', 'full']);
    expect([spent.take('b', '1'), spent.take('b', '2')]).toEqual(['first', 'full']);
    expect(spent.take('a', '1')).toBe('seen');
  });

  it('may be given back, and leave room then', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 1 });
    expect(spent.take('a', '1')).toBe('first');
    spent.giveBack('a', '1');
    spent.giveBack('a', '1');
    expect([spent.take('a', '2'), spent.take('a', '1')]).toEqual(['first', 'full']);
    clock.advance(lifeMs);
    expect(spent.take('a', '2')).toBe('seen');
    spent.giveBack('a', '2');
    expect(spent.take('a', '1')).toBe('first');
  });
});
