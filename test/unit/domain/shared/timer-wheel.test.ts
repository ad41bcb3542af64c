import { describe, expect, it } from 'vitest';
import { TimerWheel, type WheelTimer } from '../../../../src/domain/shared/timer-wheel.js';

const expired: string[] = [];

class NamedTimer implements WheelTimer {
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly name: string;
  readonly #act: () => void;

  constructor(name: string, act: () => void = () => undefined) {
    this.name = name;
    this.#act = act;
  }

  expired(): void {
    expired.push(this.name);
    this.#act();
  }
}

/** The timers that expire in a turn. */
const turned = (wheel: TimerWheel, nowMs: number): string[] => {
  expired.length = 0;
  wheel.turn(nowMs);
  return [...expired].sort();
};

describe('TimerWheel', () => {
  it('expires a timer once, at most one tick late', () => {
    const wheel = new TimerWheel(100, 8, 1_000);
    wheel.set(new NamedTimer('a'), 1_250);
    expect(turned(wheel, 1_200)).toEqual([]);
    expect(turned(wheel, 1_249)).toEqual([]);
    expect(turned(wheel, 1_300)).toEqual(['a']);
    expect(turned(wheel, 2_500)).toEqual([]);
    expect(wheel.size).toBe(0);
  });

  it('expires an overdue timer at the next tick', () => {
    const wheel = new TimerWheel(100, 8, 1_000);
    wheel.set(new NamedTimer('past'), 3);
    wheel.set(new NamedTimer('now'), 1_000);
    expect(turned(wheel, 1_099)).toEqual([]);
    expect(turned(wheel, 1_100)).toEqual(['now', 'past']);
  });

  it('distinguishes rounds within a slot', () => {
    const wheel = new TimerWheel(100, 4, 0);
    for (const due of [150, 550, 950]) wheel.set(new NamedTimer(String(due)), due);
    expect(turned(wheel, 200)).toEqual(['150']);
    expect(turned(wheel, 500)).toEqual([]);
    expect(turned(wheel, 600)).toEqual(['550']);
    expect(turned(wheel, 1_000)).toEqual(['950']);
  });

  it('catches up after a pause of many rounds', () => {
    const wheel = new TimerWheel(100, 4, 0);
    for (const due of [50, 250, 1_450, 99_950, 100_050]) wheel.set(new NamedTimer(String(due)), due);
    expect(turned(wheel, 100_000)).toEqual(['1450', '250', '50', '99950']);
    expect(turned(wheel, 100_100)).toEqual(['100050']);
  });

  it('notices a postponed timer', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timer = new NamedTimer('a');
    wheel.set(timer, 150);
    timer.dueMs = 720;
    expect(turned(wheel, 700)).toEqual([]);
    expect(wheel.size).toBe(1);
    expect(turned(wheel, 800)).toEqual(['a']);
  });

  it('resets a timer, even to an earlier time', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timer = new NamedTimer('a');
    wheel.set(timer, 5_000);
    wheel.set(timer, 150);
    expect(wheel.size).toBe(1);
    expect(turned(wheel, 200)).toEqual(['a']);
    wheel.set(timer, 350);
    expect(turned(wheel, 400)).toEqual(['a']);
  });

  it('removes a timer from any place in its slot', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timers = ['a', 'b', 'c', 'd'].map((name) => new NamedTimer(name));
    for (const timer of timers) wheel.set(timer, 150);
    for (const index of [1, 3, 0]) wheel.remove(timers[index] as NamedTimer);
    wheel.remove(timers[0] as NamedTimer);
    expect(wheel.size).toBe(1);
    expect(turned(wheel, 200)).toEqual(['c']);
    expect(timers.every(({ slot, next, previous }) => slot === -1 && next === null && previous === null)).toBe(true);
  });

  it('respects changes that timers make during a turn', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timers: NamedTimer[] = [];
    const removeOthers = () => {
      for (const timer of timers) wheel.remove(timer);
    };
    for (const name of ['a', 'b', 'c']) timers.push(new NamedTimer(name, removeOthers));
    for (const timer of timers) wheel.set(timer, 150);
    expect(turned(wheel, 200)).toHaveLength(1);
    expect(wheel.size).toBe(0);
  });

  it('delays a timer that resets itself to the next tick', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timer: NamedTimer = new NamedTimer('a', () => wheel.set(timer, 0));
    wheel.set(timer, 0);
    expect(turned(wheel, 100)).toEqual(['a']);
    expect(turned(wheel, 150)).toEqual([]);
    expect(turned(wheel, 9_000)).toEqual(['a']);
  });

  it('keeps a timer that is never due until it changes', () => {
    const wheel = new TimerWheel(100, 4, 0);
    const timer = new NamedTimer('a');
    wheel.set(timer, Number.POSITIVE_INFINITY);
    expect(turned(wheel, 10_000)).toEqual([]);
    expect(wheel.size).toBe(1);
    timer.dueMs = 10_000;
    expect(turned(wheel, 10_400)).toEqual(['a']);
    wheel.set(timer, Number.POSITIVE_INFINITY);
    wheel.remove(timer);
    expect(wheel.size).toBe(0);
  });

  it('tolerates a clock that goes back', () => {
    const wheel = new TimerWheel(100, 4, 1_000);
    wheel.set(new NamedTimer('a'), 1_150);
    expect(turned(wheel, 500)).toEqual([]);
    wheel.set(new NamedTimer('b'), 600);
    expect(turned(wheel, 1_100)).toEqual(['b']);
    expect(turned(wheel, 1_200)).toEqual(['a']);
  });
});
