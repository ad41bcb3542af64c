import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitCheck,
  emptyPasswordQueue,
  finishCheck,
  type PasswordQueue,
  waitingIn,
} from '../../../../../src/domain/agent/identity/password-queue.js';

const limits = { running: 2, waiting: 12, waitingPerUser: 4 };
const users = ['ann', 'bob', 'eve', 'nobody'] as const;

interface Check {
  readonly user: string;
  readonly number: number;
}

type Step = { readonly kind: 'arrive'; readonly user: string } | { readonly kind: 'finish' };

const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('arrive' as const), user: fc.constantFrom(...users) }) },
    // One that attacks sends more than all the others.
    { weight: 2, arbitrary: fc.constant({ kind: 'arrive' as const, user: 'eve' }) },
    { weight: 3, arbitrary: fc.constant({ kind: 'finish' as const }) },
  ),
  { maxLength: 120 },
);

interface Seen {
  readonly queue: PasswordQueue<Check>;
  readonly arrived: Check | null;
  readonly started: Check | null;
  readonly refused: Check | null;
}

/** Takes the steps; what has to hold is looked at after each. */
const play = (given: readonly Step[], look: (seen: Seen) => void): PasswordQueue<Check> => {
  let queue: PasswordQueue<Check> = emptyPasswordQueue;
  given.forEach((step, number) => {
    if (step.kind === 'finish') {
      if (queue.running === 0) return;
      const { queue: after, next } = finishCheck(queue);
      queue = after;
      look({ queue, arrived: null, started: next?.item ?? null, refused: null });
      return;
    }
    const check = { user: step.user, number };
    const admission = admitCheck(queue, step.user, check, limits);
    if (admission.kind !== 'refused') queue = admission.queue;
    look({
      queue,
      arrived: check,
      started: admission.kind === 'start' ? check : null,
      refused: admission.kind === 'refused' ? check : null,
    });
  });
  return queue;
};

const waitingOf = (queue: PasswordQueue<Check>, user: string): number =>
  queue.turns.find((turn) => turn.user === user)?.items.length ?? 0;

describe('the queue of password checks', () => {
  it('stays within its bounds, and makes no check wait while a slot is free', () => {
    fc.assert(
      fc.property(steps, (given) => {
        play(given, ({ queue }) => {
          expect(queue.running).toBeGreaterThanOrEqual(0);
          expect(queue.running).toBeLessThanOrEqual(limits.running);
          expect(waitingIn(queue)).toBeLessThanOrEqual(limits.waiting);
          for (const user of users) expect(waitingOf(queue, user)).toBeLessThanOrEqual(limits.waitingPerUser);
          if (waitingIn(queue) > 0) expect(queue.running).toBe(limits.running);
          expect(new Set(queue.turns.map(({ user }) => user)).size).toBe(queue.turns.length);
        });
      }),
    );
  });

  it('refuses a check if and only if a bound is reached', () => {
    fc.assert(
      fc.property(steps, (given) => {
        play(given, ({ queue, arrived, refused }) => {
          if (arrived === null) return;
          if (refused === null) return;
          const full = waitingIn(queue) === limits.waiting || waitingOf(queue, refused.user) === limits.waitingPerUser;
          expect(full).toBe(true);
        });
      }),
    );
  });

  it('starts every accepted check once, in order of arrival per user', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const taken: Check[] = [];
        const started: Check[] = [];
        const note = (seen: Seen): void => {
          if (seen.arrived !== null && seen.refused === null) taken.push(seen.arrived);
          if (seen.started !== null) started.push(seen.started);
        };
        let queue = play(given, note);
        while (queue.running > 0) {
          const { queue: after, next } = finishCheck(queue);
          queue = after;
          if (next !== null) started.push(next.item);
        }
        expect(queue).toEqual(emptyPasswordQueue);
        for (const user of users) {
          const numbers = (checks: readonly Check[]): number[] =>
            checks.filter((check) => check.user === user).map(({ number }) => number);
          expect(numbers(started)).toEqual(numbers(taken));
        }
      }),
    );
  });

  it('never starts two checks of one user while another user waits', () => {
    fc.assert(
      fc.property(steps, (given) => {
        /** By user that waits: who was started since it began to wait, or last had its turn. */
        const since = new Map<string, Set<string>>();
        play(given, ({ queue, started }) => {
          if (started !== null) {
            for (const [user, others] of since) {
              if (user === started.user) continue;
              expect(others.has(started.user)).toBe(false);
              others.add(started.user);
            }
            since.delete(started.user);
          }
          for (const user of users) {
            if (waitingOf(queue, user) > 0 && !since.has(user)) since.set(user, new Set());
          }
        });
      }),
    );
  });
});
