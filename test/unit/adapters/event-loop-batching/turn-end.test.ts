import { describe, expect, it } from 'vitest';
import {
  afterReads,
  currentTurn,
  handleAtTurnEnd,
  throwApart,
  writeAtTurnEnd,
} from '../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { endOfTurn } from '../../../support/shared/loop-turns.js';
import { uncaughtErrors } from '../../../support/shared/uncaught-errors.js';

/** Says what was done, in which order; `then` is what a step does besides. */
class Steps {
  readonly done: string[] = [];

  handle(name: string, then: () => void = () => undefined): void {
    handleAtTurnEnd(() => this.#do(name, then));
  }

  write(name: string, then: () => void = () => undefined): void {
    writeAtTurnEnd(() => this.#do(name, then));
  }

  #do(name: string, then: () => void): void {
    this.done.push(name);
    then();
  }
}

describe('the end of a turn', () => {
  it.each([
    ['handling', (steps: Steps) => steps.handle('it'), 'it'],
    ['writing', (steps: Steps) => steps.write('it'), 'it'],
  ])('comes behind promises and ticks, and once (%s alone)', async (_, ask, name) => {
    const steps = new Steps();
    ask(steps);
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(steps.done).toEqual([]);
    await endOfTurn();
    expect(steps.done).toEqual([name]);
    await endOfTurn();
    expect(steps.done).toEqual([name]);
  });

  it.each([
    ['handling', ['handle', 'write']],
    ['writing', ['write', 'handle']],
  ] as const)('is handling, then writing, where %s is asked for first', async (_, asked) => {
    const steps = new Steps();
    for (const each of asked) steps[each](each);
    await endOfTurn();
    expect(steps.done).toEqual(['handle', 'write']);
  });

  it('has what is asked for to be written while handling be written in the same turn', async () => {
    const steps = new Steps();
    steps.handle('handle', () => steps.write('write'));
    await endOfTurn();
    expect(steps.done).toEqual(['handle', 'write']);
    await endOfTurn();
    expect(steps.done).toHaveLength(2);
  });

  it('is writing behind all that promises do which handling has left', async () => {
    const steps = new Steps();
    const goOn = async (): Promise<void> => {
      await Promise.resolve();
      await new Promise<void>((resolve) => process.nextTick(resolve));
      steps.write('write of a promise');
    };
    steps.handle('handle', () => void goOn());
    await endOfTurn();
    expect(steps.done).toEqual(['handle', 'write of a promise']);
  });

  it('leaves what is asked for to be handled while handling to the next turn', async () => {
    const steps = new Steps();
    steps.handle('first', () => steps.handle('second', () => steps.handle('third')));
    steps.write('write');
    await endOfTurn();
    expect(steps.done).toEqual(['first', 'write']);
    await endOfTurn();
    expect(steps.done).toEqual(['first', 'write', 'second']);
    await endOfTurn();
    expect(steps.done).toEqual(['first', 'write', 'second', 'third']);
  });

  it('leaves what is asked for while writing to the next turn, in its order', async () => {
    const steps = new Steps();
    steps.write('write', () => {
      steps.write('next write');
      steps.handle('next handle');
    });
    await endOfTurn();
    expect(steps.done).toEqual(['write']);
    await endOfTurn();
    expect(steps.done).toEqual(['write', 'next handle', 'next write']);
  });

  it('loses nothing where both handling and writing ask for both', async () => {
    const steps = new Steps();
    steps.handle('handle', () => {
      steps.handle('handle of handling');
      steps.write('write of handling', () => steps.write('write of writing'));
    });
    await endOfTurn();
    expect(steps.done).toEqual(['handle', 'write of handling']);
    await endOfTurn();
    expect(steps.done.slice(2)).toEqual(['handle of handling', 'write of writing']);
    await endOfTurn();
    expect(steps.done).toHaveLength(4);
  });

  it('comes again where something is asked for later', async () => {
    const steps = new Steps();
    for (const name of ['1', '2', '3']) {
      steps.write(`write ${name}`);
      steps.handle(`handle ${name}`);
      await endOfTurn();
    }
    expect(steps.done).toEqual(['handle 1', 'write 1', 'handle 2', 'write 2', 'handle 3', 'write 3']);
  });
});

describe('what is thrown apart', () => {
  it('stops nobody, and is not passed over in silence', async () => {
    const fault = new Error('of one of many');
    const steps = new Steps();
    const errors = await uncaughtErrors(async () => {
      steps.handle('handle', () => throwApart(fault));
      steps.write('write');
      await endOfTurn();
      await endOfTurn();
    });
    expect([errors, steps.done]).toEqual([[fault], ['handle', 'write']]);
  });
});

describe('a step that waits for the reads of a turn', () => {
  it('runs at the end of the turn, before the handling and the writing', async () => {
    const steps = new Steps();
    steps.write('write');
    steps.handle('handle');
    afterReads(() => void steps.done.push('step'));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(steps.done).toEqual([]);
    await endOfTurn();
    expect(steps.done).toEqual(['step', 'handle', 'write']);
  });

  it.each(['handle', 'write'] as const)('runs at once within the steps of the end (%s)', async (name) => {
    const steps = new Steps();
    steps[name](name, () => {
      afterReads(() => void steps.done.push('step'));
      steps.done.push('behind');
    });
    await endOfTurn();
    expect(steps.done).toEqual([name, 'step', 'behind']);
  });

  it('runs although another one fails', async () => {
    const fault = new Error('a step');
    const done: string[] = [];
    const errors = await uncaughtErrors(async () => {
      afterReads(() => {
        throw fault;
      });
      afterReads(() => void done.push('step'));
      await endOfTurn();
      await endOfTurn();
    });
    expect([done, errors]).toEqual([['step'], [fault]]);
  });

  it('belongs to a turn with one number, which grows at its end', async () => {
    const first = currentTurn();
    await Promise.resolve();
    expect(currentTurn()).toBe(first);
    await endOfTurn();
    expect(currentTurn()).toBe(first + 1);
  });
});
