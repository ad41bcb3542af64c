import { expect, it } from 'vitest';
import { boundLateness, deferRead, deferWrite } from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { endOfTurn, passTime } from '../../../support/shared/loop-turns.js';

/** What was done of one that is to be handled, and has something written then, and of one that is to be written. */
const late = (): readonly string[] => {
  const done: string[] = [];
  const write = (name: string): void => deferWrite({ writeNow: () => void done.push(name) });
  deferRead({
    handleNow: () => {
      done.push('handled');
      write('what was written of that');
    },
  });
  write('written');
  return done;
};

it('has what has waited for more than a millisecond handled, then written, and nothing twice', async () => {
  const done = late();
  passTime();
  boundLateness();
  expect(done).toEqual(['handled', 'written', 'what was written of that']);
  boundLateness();
  await endOfTurn();
  expect(done).toHaveLength(3);
});

it('leaves what has just come to the end of the turn', async () => {
  let done = late();
  boundLateness();
  // It may have taken that long on a machine that is busy.
  for (let attempt = 0; done.length > 0 && attempt < 100; attempt += 1) {
    await endOfTurn();
    done = late();
    boundLateness();
  }
  expect(done).toEqual([]);
  await endOfTurn();
  expect(done).toEqual(['handled', 'written', 'what was written of that']);
});
