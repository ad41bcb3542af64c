import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  boundLateWrites,
  deferWrite,
  turnBegins,
  turnEnds,
} from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { endOfTurn, passTime } from '../../../support/shared/loop-turns.js';
import { uncaughtErrors } from '../../../support/shared/uncaught-errors.js';

/** As many as may wait while something else is handled, and one more. */
const [within, most] = [63, 64];

/** Writers that say in what order they have written; `then` is what the first of them does besides. */
const writers = (count: number, then: () => void = () => undefined) => {
  const written: number[] = [];
  for (let number = 0; number < count; number += 1) {
    deferWrite({
      writeNow: () => {
        written.push(number);
        if (number === 0) then();
      },
    });
  }
  return written;
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

// What is written waits for one millisecond at most, and a test may be slow.
beforeEach(() => void turnBegins());
afterEach(() => turnEnds(-1));

describe('what is written late', () => {
  it('waits for promises and ticks, and goes out at the end of the turn in the order of its coming', async () => {
    const written = writers(3);
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(written).toEqual([]);
    await endOfTurn();
    expect(written).toEqual([0, 1, 2]);
    await endOfTurn();
    expect(written).toEqual([0, 1, 2]);
  });

  it('waits while less than 64 do, whatever else is handled', async () => {
    const written = writers(within);
    boundLateWrites();
    expect(written).toEqual([]);
    await endOfTurn();
    expect(written).toEqual(upTo(within));
  });

  it('goes out before anything else is handled where 64 wait, once', async () => {
    const written = writers(most);
    expect(written).toEqual([]);
    boundLateWrites();
    expect(written).toEqual(upTo(most));
    boundLateWrites();
    await endOfTurn();
    expect(written).toHaveLength(most);
  });

  it('goes out at the end of the turn where it has come behind what went out before that', async () => {
    const before = writers(most);
    boundLateWrites();
    const behind = writers(3);
    expect([before.length, behind.length]).toEqual([most, 0]);
    await endOfTurn();
    expect([before.length, behind.length]).toEqual([most, 3]);
  });

  it('goes out in the next turn where it came while others were written', async () => {
    let inner: readonly number[] = [];
    const outer = writers(2, () => {
      inner = writers(2);
    });
    await endOfTurn();
    expect([outer, inner]).toEqual([[0, 1], []]);
    await endOfTurn();
    expect([outer, inner]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('goes out at the end of this turn where it came while 64 others were written before that', async () => {
    let inner: readonly number[] = [];
    const outer = writers(most, () => {
      inner = writers(2);
    });
    boundLateWrites();
    expect([outer.length, inner]).toEqual([most, []]);
    await endOfTurn();
    expect([outer.length, inner]).toEqual([most, [0, 1]]);
  });

  it('goes out before anything else is handled where it has waited for long, by the clock of the turn', async () => {
    const written = writers(2);
    passTime();
    boundLateWrites();
    expect(written).toEqual([]);
    turnBegins();
    boundLateWrites();
    expect(written).toEqual([0, 1]);
    // Those that come now have not waited.
    const next = writers(1);
    boundLateWrites();
    expect(next).toEqual([]);
    await endOfTurn();
    expect(next).toEqual([0]);
  });

  it('goes out whatever is begun by what is written, and how deep', async () => {
    const written: string[] = [];
    /** Writes once; what it does besides is that of a request which had come with the one before. */
    const late = (name: string, then: () => void = () => undefined): void => {
      let isWritten = false;
      const writeNow = (): void => {
        if (isWritten) return;
        isWritten = true;
        written.push(name);
        then();
      };
      deferWrite({ writeNow });
    };
    const begin =
      (then: () => void = () => undefined) =>
      (): void => {
        passTime();
        turnBegins();
        boundLateWrites();
        then();
      };
    late('first', () => {
      late(
        'third',
        begin(() => late('fifth')),
      );
      late('fourth');
    });
    late('second', begin());
    for (let turn = 0; turn < 3; turn += 1) await endOfTurn();
    expect(written).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
  });

  it('goes out whatever fails of the others, and those are not passed over in silence', async () => {
    let written: readonly number[] = [];
    const fault = new Error('cannot be written');
    const errors = await uncaughtErrors(async () => {
      written = writers(3, () => {
        throw fault;
      });
      await endOfTurn();
      await endOfTurn();
    });
    expect(written).toEqual([0, 1, 2]);
    expect(errors).toEqual([fault]);
    const later = writers(1);
    await endOfTurn();
    expect(later).toEqual([0]);
  });
});
