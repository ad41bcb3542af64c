import { describe, expect, it } from 'vitest';
import { TargetLedger } from '../../../../../src/application/gateway/choose-upstream/target-ledger.js';
import { CircuitBreakerHolder } from '../../../../../src/application/gateway/circuit-breakers/circuit-breaker-holder.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const rules = { failureThreshold: 2, openMs: 1_000, probes: 1 };

const setUp = (of: typeof rules | null = rules) => {
  const clock = new ManualClock();
  const changes: (readonly [string, string | null])[] = [];
  const breaker = new CircuitBreakerHolder(of, clock, (state, cause) => changes.push([state, cause]));
  const admit = (): number => {
    const period = breaker.admit();
    if (period === null) throw new Error('not admitted');
    return period;
  };
  const fail = (cause = 'status 503') => breaker.ended(admit(), 'failure', cause);
  const open = () => {
    fail();
    fail('connection refused');
  };
  return { clock, changes, breaker, admit, fail, open };
};

describe('a circuit breaker', () => {
  it('opens at the failure threshold, and reports the cause and the open time', () => {
    const { clock, changes, breaker, fail } = setUp();
    fail();
    expect(breaker.isCallAllowed).toBe(true);
    fail('connection refused');
    expect([breaker.isCallAllowed, breaker.admit(), breaker.isClosed]).toEqual([false, null, false]);
    expect(changes).toEqual([['open', 'connection refused']]);
    clock.advance(100);
    expect(breaker.openForMs).toBe(900);
  });

  it('admits one probe when it half-opens, and no other until the probe has an outcome', () => {
    const { clock, changes, breaker, admit, open } = setUp();
    open();
    clock.advance(999);
    expect(breaker.isCallAllowed).toBe(false);
    clock.advance(1);
    expect([breaker.isCallAllowed, breaker.state]).toEqual([true, 'half_open']);
    const probe = admit();
    expect([breaker.isCallAllowed, breaker.openForMs]).toEqual([false, 0]);
    breaker.ended(probe, 'success');
    expect(breaker.isClosed).toBe(true);
    expect(changes.map(([state]) => state)).toEqual(['open', 'half_open', 'closed']);
  });

  it('opens again when a probe fails', () => {
    const { clock, breaker, fail, open } = setUp();
    open();
    clock.advance(1_000);
    fail();
    clock.advance(999);
    expect([breaker.isCallAllowed, breaker.openForMs]).toEqual([false, 1]);
  });

  it('admits another call if a probe takes as long as the open time', () => {
    const { clock, breaker, admit, open } = setUp();
    open();
    clock.advance(1_000);
    const slow = admit();
    clock.advance(999);
    expect(breaker.isCallAllowed).toBe(false);
    clock.advance(1);
    admit();
    expect(breaker.isCallAllowed).toBe(false);
    // The first outcome decides, of any call.
    breaker.ended(slow, 'success');
    expect(breaker.isCallAllowed).toBe(true);
  });

  it('frees the place of a probe without an outcome, and counts the calls beside it', () => {
    const { clock, breaker, admit, open } = setUp();
    open();
    clock.advance(1_000);
    const slow = admit();
    clock.advance(1_000);
    const next = admit();
    breaker.ended(slow, 'neither');
    expect(breaker.isCallAllowed).toBe(false);
    breaker.ended(next, 'neither');
    expect(breaker.isCallAllowed).toBe(true);
  });

  it('closes on trial with the head of an answer: the next failure opens it, a success restores it', () => {
    const { clock, breaker, admit, fail, open } = setUp();
    open();
    clock.advance(1_000);
    const rest = breaker.answeredOnTrial(admit());
    expect(breaker.isClosed).toBe(true);
    fail('broke off');
    expect(breaker.isClosed).toBe(false);
    expect(breaker.ended(rest, 'success')).toBe(false);
    clock.advance(1_000);
    breaker.ended(breaker.answeredOnTrial(admit()), 'success');
    fail();
    expect(breaker.isClosed).toBe(true);
  });

  it('ignores the answer of a call from an earlier period, and one while it is closed', () => {
    const { clock, breaker, admit, open } = setUp();
    const before = admit();
    open();
    clock.advance(1_000);
    admit();
    expect([breaker.answeredOnTrial(before), breaker.answered(before), breaker.state]).toEqual([
      before,
      before,
      'half_open',
    ]);
    const other = setUp();
    other.fail();
    other.breaker.answeredOnTrial(other.admit());
    other.fail();
    expect(other.breaker.isClosed).toBe(false);
  });

  it('ignores the outcome of a call from an earlier period', () => {
    const { clock, breaker, admit, open } = setUp();
    const before = admit();
    open();
    clock.advance(1_000);
    admit();
    for (const outcome of ['success', 'failure', 'neither'] as const) {
      expect(breaker.ended(before, outcome)).toBe(false);
    }
    expect([breaker.failedWithoutAlternative(before), breaker.state, breaker.isCallAllowed]).toEqual([
      false,
      'half_open',
      false,
    ]);
  });

  it('stays closed on trial after a failure without an alternative, also of a probe', () => {
    const { clock, breaker, admit, fail, open } = setUp();
    for (let time = 0; time < 3; time += 1) breaker.failedWithoutAlternative(admit());
    expect(breaker.isClosed).toBe(true);
    fail();
    expect(breaker.isClosed).toBe(false);
    breaker.reset();
    open();
    clock.advance(1_000);
    breaker.failedWithoutAlternative(admit());
    expect(breaker.isClosed).toBe(true);
    fail();
    expect(breaker.isClosed).toBe(false);
  });

  it('admits calls after a reset, without a notification, and ignores earlier failures', () => {
    const { changes, breaker, admit, open } = setUp();
    const before = admit();
    open();
    breaker.reset();
    expect([breaker.isCallAllowed, breaker.ended(before, 'failure')]).toEqual([true, false]);
    expect(changes).toHaveLength(1);
  });

  it('keeps its state with the same rules, and resets it with others', () => {
    const { breaker, open } = setUp();
    open();
    breaker.replaceRules({ ...rules });
    expect(breaker.isClosed).toBe(false);
    breaker.replaceRules({ ...rules, probes: 2 });
    expect(breaker.isClosed).toBe(true);
  });

  it('admits every call without rules, and has no state', () => {
    const { breaker, changes, fail } = setUp(null);
    for (let time = 0; time < 5; time += 1) fail();
    breaker.failedWithoutAlternative(0);
    expect([breaker.state, breaker.isClosed, breaker.isCallAllowed, changes]).toEqual([null, true, true, []]);
  });
});

describe('the ejection of a target', () => {
  const ledgerOf = () => {
    const clock = new ManualClock();
    const ledger = new TargetLedger({ breaker: rules, sparesLast: false, probe: null }, clock);
    const fail = () => ledger.breaker.ended(ledger.breaker.admit() ?? 0, 'failure');
    return { clock, ledger, fail };
  };

  it('keeps its start time over failed probes, until the target works', () => {
    const { clock, ledger, fail } = ledgerOf();
    fail();
    expect(ledger.ejectedSinceMs).toBeNull();
    fail();
    const sinceMs = clock.wallMs();
    clock.advance(1_000);
    fail();
    expect(ledger.ejectedSinceMs).toBe(sinceMs);
    clock.advance(1_000);
    ledger.breaker.answeredOnTrial(ledger.breaker.admit() ?? 0);
    expect(ledger.ejectedSinceMs).toBeNull();
  });

  it('ends when the ejection is ended, or with other rules', () => {
    for (const end of ['endEjection', 'applyRules'] as const) {
      const { ledger, fail } = ledgerOf();
      fail();
      fail();
      expect(ledger.ejectedSinceMs).not.toBeNull();
      if (end === 'endEjection') ledger.endEjection();
      else ledger.applyRules({ breaker: { ...rules, openMs: 5 }, sparesLast: false, probe: null });
      expect([ledger.ejectedSinceMs, ledger.breaker.isClosed]).toEqual([null, true]);
    }
  });
});
