import { describe, expect, it } from 'vitest';
import { SignOnAllowance } from '../../../../../../src/application/agent/sign-on/shared/sign-on-allowance.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';

const allowanceOf = (signOns: number, addresses = 10) => {
  const clock = new ManualClock();
  return { clock, allowance: new SignOnAllowance(clock, { signOns, periodMs: 1_000, addresses }) };
};

describe('the sign-ons that a client address may begin', () => {
  it('never exceed the limit in any period, for any distribution', () => {
    const { clock, allowance } = allowanceOf(3);
    const takenMs: number[] = [];
    for (let nowMs = 0; nowMs < 20_000; nowMs += 70) {
      if (allowance.take('a')) takenMs.push(nowMs);
      clock.advance(70);
    }
    const inPeriod = takenMs.map((fromMs) => takenMs.filter((ms) => ms >= fromMs && ms < fromMs + 1_000).length);
    expect(Math.max(...inPeriod)).toBe(3);
    expect(takenMs.length).toBeGreaterThan(40);
  });

  it('count separately for each address', () => {
    const { allowance } = allowanceOf(1);
    expect([allowance.take('a'), allowance.take('a'), allowance.take('b')]).toEqual([true, false, true]);
  });

  it('count together for all addresses of a /64', () => {
    const { allowance } = allowanceOf(1);
    const taken = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((address) => allowance.take(address));
    expect(taken).toEqual([true, false, true]);
  });

  it('evict the address idle longest beyond the limit', () => {
    const { allowance } = allowanceOf(1, 2);
    allowance.take('a');
    allowance.take('b');
    expect(allowance.take('a')).toBe(false);
    allowance.take('c');
    expect(allowance.take('a')).toBe(false);
    expect(allowance.take('b')).toBe(true);
  });
});
