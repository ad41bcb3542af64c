import { describe, expect, it } from 'vitest';
import {
  boundLateReads,
  cancelReading,
  continueReading,
  deferRead,
  deferWrite,
  turnBegins,
  turnEnds,
  turnMs,
} from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { endOfTurn, passTime } from '../../../support/shared/loop-turns.js';
import { uncaughtErrors } from '../../../support/shared/uncaught-errors.js';

/** As many as may wait, which are handled at once, and one less; and as many as are handled in one moment. */
const [within, most, moment] = [63, 64, 4];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** Readers that say in what order they were handled; `then` is what the first of them does besides. */
const readers = (count: number, then: () => void = () => undefined): readonly number[] => {
  const handled: number[] = [];
  for (let number = 0; number < count; number += 1) {
    deferRead({
      handleNow: () => {
        handled.push(number);
        if (number === 0) then();
      },
    });
  }
  return handled;
};

/** The time of a read that begins now; time passes while it is handled. */
const timeOfRead = (): number => {
  const outerMs = turnBegins();
  const atMs = turnMs();
  passTime();
  turnEnds(outerMs);
  return atMs;
};

/** Readers that say at what time each was handled. */
const timesOf = (count: number): readonly number[] => {
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) deferRead({ handleNow: () => void times.push(timeOfRead()) });
  return times;
};

/** Whether a read that begins now has the time that it is. */
const isNow = (): boolean => {
  const beforeMs = performance.now();
  return timeOfRead() >= beforeMs;
};

describe('what was read', () => {
  it('waits for promises and ticks, and is handled at the end of the turn in the order of its coming', async () => {
    const handled = readers(3);
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(handled).toEqual([]);
    await endOfTurn();
    expect(handled).toEqual([0, 1, 2]);
    await endOfTurn();
    expect(handled).toEqual([0, 1, 2]);
  });

  it('waits while less than 64 do', async () => {
    const handled = readers(within);
    expect(handled).toEqual([]);
    await endOfTurn();
    expect(handled).toEqual(upTo(within));
  });

  it('is handled at once where 64 have come, once', async () => {
    const handled = readers(most);
    expect(handled).toEqual(upTo(most));
    await endOfTurn();
    expect(handled).toHaveLength(most);
  });

  it('is handled at the end of the turn where it came behind what was handled at once', async () => {
    const before = readers(2 * most);
    const behind = readers(3);
    expect([before.length, behind.length]).toEqual([2 * most, 0]);
    await endOfTurn();
    expect([before.length, behind]).toEqual([2 * most, [0, 1, 2]]);
  });

  it('is handled in the next turn where it came while others were handled', async () => {
    let inner: readonly number[] = [];
    let innermost: readonly number[] = [];
    const outer = readers(2, () => {
      inner = readers(2, () => {
        innermost = readers(1);
      });
    });
    await endOfTurn();
    expect([outer, inner]).toEqual([[0, 1], []]);
    await endOfTurn();
    expect([outer, inner, innermost]).toEqual([[0, 1], [0, 1], []]);
    await endOfTurn();
    expect([outer, inner, innermost]).toEqual([[0, 1], [0, 1], [0]]);
  });

  it('is handled at the end of this turn where it came while 64 others were handled at once', async () => {
    let inner: readonly number[] = [];
    const outer = readers(most, () => {
      inner = readers(2);
    });
    expect([outer.length, inner]).toEqual([most, []]);
    await endOfTurn();
    expect([outer.length, inner]).toEqual([most, [0, 1]]);
  });

  it('is handled once, in order, where 64 more come while others are handled', async () => {
    let inner: readonly number[] = [];
    let behind: readonly number[] = [];
    let innermost: readonly number[] = [];
    const outer = readers(3, () => {
      inner = readers(most, () => {
        innermost = readers(2);
      });
      behind = readers(2);
    });
    await endOfTurn();
    expect([outer, inner, innermost, behind]).toEqual([[0, 1, 2], upTo(most), [], []]);
    const next = readers(1);
    await endOfTurn();
    expect([outer, inner, innermost, behind, next]).toEqual([[0, 1, 2], upTo(most), [0, 1], [0, 1], [0]]);
    await endOfTurn();
    expect([outer.length, inner.length, innermost.length, behind.length, next.length]).toEqual([3, most, 2, 2, 1]);
  });

  it('is handled before anything is written, so that what comes of it goes out in the same turn', async () => {
    const done: string[] = [];
    const write = (name: string): void => deferWrite({ writeNow: () => void done.push(`write ${name}`) });
    write('0');
    for (const name of ['1', '2']) {
      deferRead({
        handleNow: () => {
          done.push(`handle ${name}`);
          write(name);
        },
      });
    }
    await endOfTurn();
    expect(done).toEqual(['handle 1', 'handle 2', 'write 0', 'write 1', 'write 2']);
  });

  it('is handled where it comes while others are written, in the next turn', async () => {
    let handled: readonly number[] = [];
    deferWrite({
      writeNow: () => {
        handled = readers(2);
      },
    });
    await endOfTurn();
    expect(handled).toEqual([]);
    await endOfTurn();
    expect(handled).toEqual([0, 1]);
  });

  it.each([
    ['at the end of the turn', 3],
    ['at once', most],
  ])('is handled whatever fails of the others, and that is not passed over in silence (%s)', async (_, count) => {
    let handled: readonly number[] = [];
    const fault = new Error('cannot be handled');
    const errors = await uncaughtErrors(async () => {
      handled = readers(count, () => {
        throw fault;
      });
      await endOfTurn();
      await endOfTurn();
    });
    expect([handled, errors]).toEqual([upTo(count), [fault]]);
    const later = readers(1);
    await endOfTurn();
    expect(later).toEqual([0]);
  });
});

describe('the time of what was read', () => {
  it('is one for four that are handled one after the other, and then a new one', async () => {
    const times = timesOf(2 * moment + 1);
    await endOfTurn();
    const distinct = [...new Set(times)];
    expect(times).toEqual(times.map((_, index) => distinct[Math.floor(index / moment)]));
    expect(distinct).toHaveLength(3);
    expect(distinct).toEqual(distinct.toSorted((one, other) => one - other));
  });

  it('bounds how long it waits while something else is handled', async () => {
    const handled = readers(2);
    boundLateReads();
    expect(handled).toEqual([]);
    passTime();
    boundLateReads();
    expect(handled).toEqual([0, 1]);
    // What comes now has not waited.
    const next = readers(1);
    boundLateReads();
    expect(next).toEqual([]);
    await endOfTurn();
    expect([handled, next]).toEqual([[0, 1], [0]]);
    passTime();
    boundLateReads();
    expect([handled, next]).toEqual([[0, 1], [0]]);
  });

  it('is that at which it is handled, not at which it came', async () => {
    const times = timesOf(1);
    passTime();
    const beforeMs = performance.now();
    await endOfTurn();
    expect(times[0]).toBeGreaterThanOrEqual(beforeMs);
  });

  it.each([
    ['at the end of the turn', 3],
    ['at once', most],
  ])('goes on behind them (%s)', async (_, count) => {
    readers(count, passTime);
    expect(isNow()).toBe(true);
    await endOfTurn();
    expect(isNow()).toBe(true);
  });

  it('goes on while others are written, and for a promise that was begun before', async () => {
    const seen: boolean[] = [];
    readers(1, passTime);
    deferRead({ handleNow: () => void Promise.resolve().then(() => seen.push(isNow())) });
    deferWrite({ writeNow: () => void seen.push(isNow()) });
    await endOfTurn();
    expect(seen).toEqual([true, true]);
  });

  it('goes on behind one that fails', async () => {
    const fault = new Error('cannot be handled');
    const seen: boolean[] = [];
    const errors = await uncaughtErrors(async () => {
      const fail = (): void => {
        passTime();
        throw fault;
      };
      readers(1, fail);
      await endOfTurn();
      seen.push(isNow());
      readers(most, fail);
      seen.push(isNow());
      await endOfTurn();
    });
    expect([seen, errors]).toEqual([
      [true, true],
      [fault, fault],
    ]);
  });

  it('goes on for those whose turn comes behind 64 that were handled between them', async () => {
    const seen: boolean[] = [];
    readers(1, () => {
      passTime();
      readers(most, passTime);
    });
    deferRead({ handleNow: () => void seen.push(isNow()) });
    await endOfTurn();
    expect([seen, isNow()]).toEqual([[true], true]);
  });
});

describe('what goes on', () => {
  const goOn = (count: number) => {
    const handled: number[] = [];
    const all = upTo(count).map((number) => ({ handleNow: () => void handled.push(number) }));
    for (const reader of all) continueReading(reader);
    return { handled, all };
  };

  it('does so four at a time, behind what has come', async () => {
    const { handled } = goOn(6);
    deferRead({ handleNow: () => void handled.push(-1) });
    await endOfTurn();
    expect(handled).toEqual([-1, 0, 1, 2, 3]);
    await endOfTurn();
    expect(handled).toEqual([-1, 0, 1, 2, 3, 4, 5]);
  });

  it('and is given up takes no place of others', async () => {
    const { handled, all } = goOn(1_000);
    for (const reader of all.slice(1, 997)) cancelReading(reader);
    await endOfTurn();
    expect(handled).toEqual([0, 997, 998, 999]);
  });

  it('has its next turn behind all others', async () => {
    const handled: string[] = [];
    const again = {
      handleNow: () => {
        handled.push('again');
        if (handled.length < 3) continueReading(again);
      },
    };
    continueReading(again);
    for (const name of ['a', 'b', 'c', 'd']) continueReading({ handleNow: () => void handled.push(name) });
    await endOfTurn();
    await endOfTurn();
    expect(handled).toEqual(['again', 'a', 'b', 'c', 'd', 'again']);
  });
});
