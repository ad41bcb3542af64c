import { describe, expect, it } from 'vitest';
import { SpentAssertions } from '../../../../../src/application/agent/exchange-token/spent-assertions.js';
import {
  assertionClockSkewMs,
  longestAssertionMs,
} from '../../../../../src/domain/agent/token-exchange/client-assertion-rules.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const lifeMs = longestAssertionMs + assertionClockSkewMs;

describe('the used assertions of an agent', () => {
  it('are accepted once, separately per client', () => {
    const spent = new SpentAssertions(new ManualClock());
    expect([spent.take('a', '1'), spent.take('a', '1'), spent.take('a', '2'), spent.take('b', '1')]).toEqual([
      'first',
      'seen',
      'first',
      'first',
    ]);
  });

  it.each([0, 1, lifeMs / 4, lifeMs / 2, lifeMs - 1])(
    'are kept for their whole lifetime at any arrival: %d ms',
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

  it('can be looked up without consuming, while kept', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 1 });
    expect([spent.has('a', '1'), spent.has('a', '1'), spent.take('a', '1')]).toEqual([false, false, 'first']);
    expect([spent.has('a', '1'), spent.has('b', '1'), spent.has('a', '2')]).toEqual([true, false, false]);
    clock.advance(lifeMs);
    expect(spent.has('a', '1')).toBe(true);
    clock.advance(lifeMs);
    expect(spent.has('a', '1')).toBe(false);
  });

  it('expire after two lifetimes, also for inactive clients', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 2, together: 2 });
    expect([spent.take('a', '1'), spent.take('b', '1'), spent.take('c', '1')]).toEqual(['first', 'first', 'full']);
    clock.advance(lifeMs);
    expect([spent.take('a', '1'), spent.take('c', '1')]).toEqual(['seen', 'full']);
    clock.advance(lifeMs);
    expect([spent.take('c', '1'), spent.take('a', '1')]).toEqual(['first', 'first']);
  });

  it('expire immediately after a long silence', () => {
    const clock = new ManualClock();
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 1 });
    expect(spent.take('a', '1')).toBe('first');
    clock.advance(2 * lifeMs);
    expect(spent.take('a', '1')).toBe('first');
  });

  it('are limited per client, so other clients have room', () => {
    const spent = new SpentAssertions(new ManualClock(), { ofClient: 2, together: 3 });
    const taken = ['1', '2', '3'].map((id) => spent.take('a', id));
    expect(taken).toEqual(['first', 'first', 'full']);
    expect([spent.take('b', '1'), spent.take('b', '2')]).toEqual(['first', 'full']);
    expect(spent.take('a', '1')).toBe('seen');
  });

  it('can be released, which frees room', () => {
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
