import { describe, expect, it } from 'vitest';
import { uncountedPeriod } from '../../../../../src/application/gateway/circuit-breakers/circuit-breaker-holder.js';
import { RouteBreakers } from '../../../../../src/application/gateway/circuit-breakers/route-breakers.js';
import type { AttemptOutcome } from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import { breakerOfRoute } from '../../../../support/gateway/sending-stage.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const setUp = () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const breaker = breakerOfRoute(clock, logger);
  /** A request that the breaker admits. */
  const admit = () => {
    let period = breaker.admit();
    if (period === null) throw new Error('not let through');
    return {
      answered: () => {
        period = breaker.answered(period ?? uncountedPeriod);
      },
      ended: (outcome: AttemptOutcome) => {
        breaker.ended(period ?? uncountedPeriod, outcome);
        period = uncountedPeriod;
      },
    };
  };
  /** Opens the breaker. */
  const open = () => {
    admit().ended('failure');
    admit().ended('failure');
  };
  return { clock, logger, breaker, admit, open };
};

describe('the breaker of a route', () => {
  it('opens at the failure threshold, reports the open time, and is logged once', () => {
    const { clock, logger, breaker, admit } = setUp();
    admit().ended('failure');
    expect(breaker.state).toBe('closed');
    admit().ended('failure');
    expect([breaker.state, breaker.admit(), breaker.openForMs]).toEqual(['open', null, 10_000]);
    clock.advance(8_001);
    expect([breaker.admit(), breaker.openForMs]).toEqual([null, 1_999]);
    expect(logger.lines).toEqual([
      { level: 'warn', message: 'Route circuit breaker open', fields: { route: 'r', open_ms: 10_000 } },
    ]);
  });

  it('restarts its count after a success, and ignores neutral outcomes', () => {
    const { breaker, admit } = setUp();
    for (const outcome of ['failure', 'success', 'failure', 'neither'] as const) admit().ended(outcome);
    expect(breaker.state).toBe('closed');
  });

  it('admits a single probe, and closes when it succeeds', () => {
    const { clock, logger, breaker, admit, open } = setUp();
    open();
    clock.advance(10_000);
    expect(breaker.state).toBe('half_open');
    const probe = admit();
    expect([breaker.admit(), breaker.openForMs]).toEqual([null, 0]);
    probe.ended('success');
    expect(breaker.state).toBe('closed');
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('is not blocked by a probe with a slow body: every 10 seconds another request probes the route', () => {
    const { clock, breaker, admit, open } = setUp();
    open();
    clock.advance(10_000);
    const slow = admit();
    clock.advance(9_999);
    expect(breaker.admit()).toBeNull();
    clock.advance(1);
    const next = admit();
    expect(breaker.admit()).toBeNull();
    next.ended('success');
    expect(breaker.state).toBe('closed');
    slow.ended('failure');
    admit().ended('failure');
    expect(breaker.state).toBe('closed');
  });

  it('opens again when a probe fails, and admits another if the probe was neutral', () => {
    const { clock, breaker, admit, open } = setUp();
    open();
    clock.advance(10_000);
    admit().ended('neither');
    admit().ended('failure');
    expect([breaker.state, breaker.openForMs]).toEqual(['open', 10_000]);
  });

  it('closes with the head of a successful response; the end of its body counts later', () => {
    const { clock, breaker, admit, open } = setUp();
    open();
    clock.advance(10_000);
    const probe = admit();
    probe.answered();
    expect(breaker.state).toBe('closed');
    probe.ended('failure');
    admit().ended('failure');
    expect(breaker.state).toBe('open');
  });

  it('counts the end of a request once, and ignores requests of an earlier period', () => {
    const { clock, breaker, admit } = setUp();
    const [twice, late] = [admit(), admit()];
    twice.ended('failure');
    twice.ended('failure');
    expect(breaker.state).toBe('closed');
    twice.ended('success');
    admit().ended('failure');
    expect(breaker.state).toBe('open');
    clock.advance(10_000);
    const probe = admit();
    late.ended('success');
    late.answered();
    expect(breaker.state).toBe('half_open');
    probe.ended('success');
    expect(breaker.state).toBe('closed');
  });
});

describe('the breakers of all routes', () => {
  const rules = { failureThreshold: 1, openMs: 1_000, probes: 1 };

  it('keep their state over a reload with the same rules, and start anew with others', () => {
    const breakers = new RouteBreakers(new ManualClock(), new RecordingLogger());
    const [a, b, c] = ['a', 'b', 'c'].map((route) => breakers.of(route, rules));
    if (!a || !b || !c) throw new Error('missing');
    breakers.adopt(
      new Map([
        ['a', a],
        ['b', b],
        ['c', c],
      ]),
    );
    for (const breaker of [a, b, c]) breaker.ended(breaker.admit() ?? uncountedPeriod, 'failure');
    const next = breakers.of('a', { ...rules });
    const other = breakers.of('b', { ...rules, openMs: 2_000 });
    expect([next === a, other === b]).toEqual([true, false]);
    // Until the new configuration is in force, the routes use the old ones.
    expect(breakers.states().map(({ state }) => state)).toEqual(['open', 'open', 'open']);
    breakers.adopt(
      new Map([
        ['a', next],
        ['b', other],
      ]),
    );
    expect(breakers.states()).toEqual([
      { route: 'a', state: 'open' },
      { route: 'b', state: 'closed' },
    ]);
    expect(breakers.of('c', rules).state).toBe('closed');
  });
});
