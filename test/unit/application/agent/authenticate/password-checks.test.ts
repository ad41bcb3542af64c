import { beforeEach, describe, expect, it } from 'vitest';
import {
  failureLineMs,
  longestWaitMs,
  PasswordChecks,
  type PasswordVerdict,
  passwordQueueLimits,
} from '../../../../../src/application/agent/authenticate/password-checks.js';
import type { PasswordHash } from '../../../../../src/domain/agent/identity/password-hash-rules.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { HeldPasswordVerifier } from '../../../../support/agent/held-password-verifier.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const hash: PasswordHash = { kind: 'bcrypt', text: new Secret('a hash') };
const { running, waiting, waitingPerUser } = passwordQueueLimits;

let verifier: HeldPasswordVerifier;
let clock: ManualClock;
let logger: RecordingLogger;
let checks: PasswordChecks;
beforeEach(() => {
  verifier = new HeldPasswordVerifier();
  clock = new ManualClock();
  logger = new RecordingLogger();
  checks = new PasswordChecks({ verifier, clock, logger });
});

const many = (count: number, user: (index: number) => string): Promise<PasswordVerdict>[] =>
  Array.from({ length: count }, (_, index) => checks.check(user(index), `${user(index)} ${index}`, hash).verdict);

describe('password checks', () => {
  it("return the verifier's result", async () => {
    const right = checks.check('ann', 'right', hash).verdict;
    const wrong = checks.check('ann', 'wrong', hash).verdict;
    await verifier.answer(true);
    await verifier.answer(false);
    expect(await right).toBe('match');
    expect(await wrong).toBe('mismatch');
  });

  it('run at most two at once', async () => {
    const verdicts = many(10, (index) => `user ${index}`);
    expect(verifier.held).toHaveLength(running);
    while (verifier.held.length > 0) {
      expect(verifier.held.length).toBeLessThanOrEqual(running);
      await verifier.answer(false);
    }
    expect(await Promise.all(verdicts)).toEqual(Array.from({ length: 10 }, () => 'mismatch'));
  });

  it('queue a limited number per user', async () => {
    const verdicts = many(running + waitingPerUser + 5, () => 'ann');
    expect(await Promise.all(verdicts.slice(running + waitingPerUser))).toEqual(
      Array.from({ length: 5 }, () => 'overloaded'),
    );
    await verifier.answerAll(true);
    expect(await Promise.all(verdicts.slice(0, running + waitingPerUser))).not.toContain('overloaded');
  });

  it('queue a limited number in total', async () => {
    const verdicts = many(1_000, (index) => `user ${index}`);
    await verifier.answerAll(false);
    const told = await Promise.all(verdicts);
    expect(told.filter((verdict) => verdict === 'mismatch')).toHaveLength(running + waiting);
    expect(told.filter((verdict) => verdict === 'overloaded')).toHaveLength(1_000 - running - waiting);
    expect(verifier.passwords).toHaveLength(running + waiting);
  });

  it("give each user the next turn, regardless of another user's queue", async () => {
    void many(running + waitingPerUser, () => 'eve');
    const ann = checks.check('ann', 'right', hash).verdict;
    await verifier.answer(false);
    // One of eve's was before: she takes turns with ann from then on.
    await verifier.answer(false);
    expect(verifier.held.map(({ password }) => password)).toContain('right');
    await verifier.answerAll(true);
    expect(await ann).toBe('match');
  });

  it('time out a check that waited too long, and continue with the next', async () => {
    const first = many(running, () => 'eve');
    const late = checks.check('ann', 'late', hash).verdict;
    clock.advance(longestWaitMs);
    const fresh = checks.check('bob', 'fresh', hash).verdict;
    await verifier.answer(false);
    expect(await late).toBe('overloaded');
    expect(verifier.passwords).not.toContain('late');
    expect(verifier.passwords).toContain('fresh');
    await verifier.answerAll(true);
    expect(await fresh).toBe('match');
    expect(await Promise.all(first)).toEqual(['mismatch', 'match']);
  });

  it('remove a withdrawn check from the queue, but not a running one', async () => {
    const begun = checks.check('eve', 'begun', hash);
    void checks.check('eve', 'other', hash);
    const waiters = Array.from({ length: waitingPerUser }, (_, index) => checks.check('ann', `${index}`, hash));
    expect(await checks.check('ann', 'one more', hash).verdict).toBe('overloaded');
    expect(begun.withdraw()).toBe(false);
    expect(waiters[3]?.withdraw()).toBe(true);
    expect(waiters[3]?.withdraw()).toBe(false);
    expect(await waiters[3]?.verdict).toBe('overloaded');
    const inItsPlace = checks.check('ann', 'in its place', hash);
    await verifier.answerAll(true);
    expect(await begun.verdict).toBe('match');
    expect(await inItsPlace.verdict).toBe('match');
    expect(verifier.passwords).toEqual(['begun', 'other', '0', '1', '2', '4', '5', '6', '7', 'in its place']);
  });

  it('accept more after earlier ones end', async () => {
    const before = many(1_000, (index) => `user ${index}`);
    await verifier.answerAll(false);
    await Promise.all(before);
    const after = checks.check('ann', 'right', hash).verdict;
    await verifier.answerAll(true);
    expect(await after).toBe('match');
  });
});

describe('a password check that fails to run', () => {
  const fail = async (times: number): Promise<PasswordVerdict[]> => {
    const verdicts: PasswordVerdict[] = [];
    for (let index = 0; index < times; index += 1) {
      const verdict = checks.check('ann', 'right', hash).verdict;
      await verifier.answer('failed');
      verdicts.push(await verdict);
    }
    return verdicts;
  };

  it('is not a mismatch: the password stays unknown', async () => {
    expect(await fail(1)).toEqual(['overloaded']);
    const next = checks.check('ann', 'right', hash).verdict;
    await verifier.answer(true);
    expect(await next).toBe('match');
  });

  it('is logged at most once a minute', async () => {
    await fail(5);
    clock.advance(failureLineMs - 1);
    await fail(1);
    clock.advance(1);
    await fail(1);
    expect(logger.lines).toEqual(
      [0, 5].map((untold) => ({
        level: 'error',
        message: 'a password could not be checked',
        fields: { error: 'there is no memory', untold },
      })),
    );
  });
});
