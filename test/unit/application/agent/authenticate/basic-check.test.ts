import { beforeEach, describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { NativePasswordHasher } from '../../../../../src/adapters/outbound/password-hashes/native-password-hasher.js';
import { NativePasswordVerifier } from '../../../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import {
  type CheckOutcome,
  maximumSharers,
} from '../../../../../src/application/agent/authenticate/authentication-check.js';
import { BasicCheck } from '../../../../../src/application/agent/authenticate/basic-check.js';
import {
  PasswordChecks,
  passwordQueueLimits,
} from '../../../../../src/application/agent/authenticate/password-checks.js';
import {
  rememberedMatchMs,
  rememberedMismatchMs,
} from '../../../../../src/application/agent/authenticate/password-verification-cache.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { hashPassword } from '../../../../../src/application/agent/hash-secrets/hash-password.js';
import type { PasswordVerifier } from '../../../../../src/application/ports/agent/password-verifier.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { BasicUser } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { parseBasicUser } from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { parseAuthorization } from '../../../../../src/domain/agent/identity/authorization-credential.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { HeldPasswordVerifier } from '../../../../support/agent/held-password-verifier.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const argon2id = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const bcrypt = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

const users = (...entries: readonly string[]): BasicUser[] =>
  entries.map((entry) => {
    const user = parseBasicUser(new Secret(entry));
    if (!user.ok) throw new Error(user.error);
    return user.value;
  });

const basicCheck = (entries: readonly string[], verifier: PasswordVerifier, clock = new ManualClock()): BasicCheck =>
  new BasicCheck(
    users(...entries),
    (identity) => preparedIdentity(identity, []),
    new HmacSecretDigest(),
    new PasswordChecks({ verifier, clock, logger: new RecordingLogger() }),
    clock,
  );

const told = (outcome: CheckOutcome): string => {
  if (outcome.kind === 'authenticated') return `is ${outcome.prepared.identity.userId}`;
  return 'reason' in outcome ? outcome.reason : outcome.kind;
};

type Told = string | Promise<string>;
/** A promise only where the check is not there at once. */
const ask = (check: BasicCheck, user: string, password: string, cancellation: Cancellation = neverCancelled): Told => {
  const shown = {
    authorization: { scheme: 'basic', user, password },
    apiKey: null,
    certificate: null,
    sessionCookies: [],
  } as const;
  const outcome = check.check(shown, cancellation);
  return outcome instanceof Promise ? outcome.then(told) : told(outcome);
};

describe('HTTP Basic with plain-text passwords', () => {
  const verifier = new HeldPasswordVerifier();
  const check = basicCheck(['ann:correct horse', 'bob:battery'], verifier);

  it('answers synchronously for known and unknown users', () => {
    expect(ask(check, 'ann', 'correct horse')).toBe('is ann');
    expect(ask(check, 'ann', 'battery')).toBe('unknown_credentials');
    expect(ask(check, 'nobody', 'battery')).toBe('unknown_credentials');
    expect(ask(check, 'nobody', '')).toBe('unknown_credentials');
    expect(verifier.passwords).toEqual([]);
  });

  it('reads no other credential', () => {
    const none = { apiKey: null, certificate: null, sessionCookies: [] };
    expect(check.check({ authorization: null, ...none }, neverCancelled)).toEqual({ kind: 'absent' });
    expect(check.check({ authorization: { scheme: 'bearer', token: 'a' }, ...none }, neverCancelled)).toEqual({
      kind: 'absent',
    });
    expect(check.check({ authorization: { scheme: 'malformed', of: 'basic' }, ...none }, neverCancelled)).toEqual({
      kind: 'failed',
      reason: 'malformed_credentials',
    });
  });
});

describe('HTTP Basic with hashed passwords', () => {
  let verifier: HeldPasswordVerifier;
  let clock: ManualClock;
  let check: BasicCheck;
  beforeEach(() => {
    verifier = new HeldPasswordVerifier();
    clock = new ManualClock();
    check = basicCheck([`ann:${argon2id}`, `bob:${argon2id}`, `old:${bcrypt}`, 'joe:plain'], verifier, clock);
  });

  const settled = async (user: string, password: string, matches: boolean): Promise<string> => {
    const pending = ask(check, user, password);
    await verifier.answerAll(matches);
    return pending;
  };

  it('caches a match for five minutes after its last use', async () => {
    expect(await settled('ann', 'right', true)).toBe('is ann');
    for (let use = 0; use < 10; use += 1) {
      clock.advance(rememberedMatchMs - 1);
      expect(ask(check, 'ann', 'right')).toBe('is ann');
    }
    clock.advance(rememberedMatchMs);
    expect(await settled('ann', 'right', false)).toBe('unknown_credentials');
    expect(verifier.passwords).toHaveLength(2);
  });

  it('never sends a cached user to a queue that another client fills', async () => {
    expect(await settled('ann', 'right', true)).toBe('is ann');
    const refused: Told[] = [];
    // Ten minutes: unknown users twenty times a second, of which eight are checked; ann once a second.
    for (let tick = 1; tick <= 10 * 60 * 20; tick += 1) {
      clock.advance(50);
      refused.push(ask(check, `r${tick}`, 'p'));
      if (tick % 5 === 0) for (const { answer } of verifier.held.splice(0, 2)) answer(false);
      if (tick % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (tick % 20 === 0) expect(ask(check, 'ann', 'right')).toBe('is ann');
    }
    // Who was not there before finds the queue full.
    for (let extra = 0; extra < 5; extra += 1) refused.push(ask(check, `late${extra}`, 'p'));
    expect(await ask(check, 'bob', 'right')).toBe('overloaded');
    await verifier.answerAll(false);
    const answers = await Promise.all(refused);
    expect(answers.filter((answer) => answer === 'overloaded').length).toBeGreaterThan(5_000);
  });

  it('does not call a password wrong that could not be verified for lack of memory', async () => {
    const pending = ask(check, 'ann', 'right');
    await verifier.answer('failed');
    expect(await pending).toBe('overloaded');
    expect(await settled('ann', 'right', true)).toBe('is ann');
  });

  it('caches a mismatch for five seconds', async () => {
    expect(await settled('ann', 'wrong', false)).toBe('unknown_credentials');
    clock.advance(rememberedMismatchMs - 1);
    expect(ask(check, 'ann', 'wrong')).toBe('unknown_credentials');
    clock.advance(1);
    expect(await settled('ann', 'wrong', true)).toBe('is ann');
  });

  it('caches results only for the same user and password', async () => {
    expect(await settled('ann', 'right', true)).toBe('is ann');
    expect(await settled('bob', 'right', false)).toBe('unknown_credentials');
    expect(await settled('ann', 'righ', false)).toBe('unknown_credentials');
    expect(await settled('annr', 'ight', false)).toBe('unknown_credentials');
    expect(ask(check, 'ann', 'right')).toBe('is ann');
  });

  it('verifies concurrent requests with one password once', async () => {
    const pending = Array.from({ length: 100 }, () => ask(check, 'ann', 'right'));
    expect(verifier.passwords).toEqual(['right']);
    await verifier.answerAll(true);
    const told = await Promise.all(pending);
    expect(told.slice(0, maximumSharers)).toEqual(Array.from({ length: maximumSharers }, () => 'is ann'));
    // Whoever repeats what is not known yet holds no more places than that.
    expect(new Set(told.slice(maximumSharers))).toEqual(new Set(['overloaded']));
    expect(ask(check, 'ann', 'right')).toBe('is ann');
  });

  it('cancels a waiting check that no request needs, and releases cancelled requests', async () => {
    const running = Array.from({ length: passwordQueueLimits.running }, (_, index) =>
      ask(check, 'eve', `wrong ${index}`),
    );
    const [one, other] = [new CancellationSource(), new CancellationSource()];
    const given = [ask(check, 'ann', 'right', one), ask(check, 'ann', 'right', other)];
    one.cancel();
    expect(await given[0]).toBe('cancelled');
    other.cancel();
    expect(await given[1]).toBe('cancelled');
    // Its place in the queue is free, and the next with the same password begins anew.
    const again = ask(check, 'ann', 'right');
    await verifier.answerAll(true);
    expect(await again).toBe('is ann');
    await Promise.all(running);
    expect(verifier.passwords.filter((password) => password === 'right')).toHaveLength(1);
  });

  it('continues a check that others need or that has begun, and caches its result', async () => {
    const cancellation = new CancellationSource();
    const left = ask(check, 'ann', 'right', cancellation);
    cancellation.cancel();
    expect(await left).toBe('cancelled');
    const joined = ask(check, 'ann', 'right');
    expect(verifier.passwords).toEqual(['right']);
    await verifier.answerAll(true);
    expect(await joined).toBe('is ann');
    expect(ask(check, 'ann', 'right')).toBe('is ann');
  });

  it('reuses the slot of a cancelled request', async () => {
    const cancellation = new CancellationSource();
    const sharers = [cancellation, ...Array.from({ length: maximumSharers - 1 }, () => neverCancelled)];
    const pending = sharers.map((one) => ask(check, 'ann', 'right', one));
    expect(await ask(check, 'ann', 'right')).toBe('overloaded');
    cancellation.cancel();
    pending.push(ask(check, 'ann', 'right'));
    await verifier.answerAll(true);
    expect(await Promise.all(pending)).toEqual([
      'cancelled',
      ...Array.from({ length: maximumSharers }, () => 'is ann'),
    ]);
  });

  it('caches nothing for a check that was not made', async () => {
    const attack = Array.from({ length: 1_000 }, (_, index) => ask(check, 'ann', `wrong ${index}`));
    expect(await ask(check, 'ann', 'right')).toBe('overloaded');
    await verifier.answerAll(false);
    await Promise.all(attack);
    expect(await settled('ann', 'right', true)).toBe('is ann');
  });

  it('verifies the password of an unknown user against a decoy', async () => {
    const pending = ask(check, 'nobody', 'whatever');
    expect(verifier.texts).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=65536,t=2,p=1\$A+\$A+$/)]);
    await verifier.answerAll(true);
    expect(await pending).toBe('unknown_credentials');
    expect(ask(check, 'nobody', 'whatever')).toBe('unknown_credentials');
  });

  it('does not distinguish plain-text users from unknown users by timing of a wrong password', async () => {
    expect(ask(check, 'joe', 'plain')).toBe('is joe');
    const pending = ask(check, 'joe', 'wrong');
    expect(verifier.texts).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=65536,t=2,p=1\$A+\$A+$/)]);
    await verifier.answerAll(true);
    expect(await pending).toBe('unknown_credentials');
  });

  it('does not accept the text of the hash as password', async () => {
    expect(await settled('ann', argon2id, false)).toBe('unknown_credentials');
    expect(await settled('ann', '', false)).toBe('unknown_credentials');
  });

  it('bounds the cost of an attack, and accepts a cached user immediately', async () => {
    expect(await settled('ann', 'right', true)).toBe('is ann');
    const attack = Array.from({ length: 1_000 }, (_, index) => ask(check, 'ann', `wrong ${index}`));
    expect(verifier.held).toHaveLength(passwordQueueLimits.running);
    expect(ask(check, 'ann', 'right')).toBe('is ann');
    // Another one whose password has to be checked gets a turn.
    const bob = ask(check, 'bob', 'right');
    await verifier.answerAll(false);
    expect(await bob).toBe('unknown_credentials');
    const answers = await Promise.all(attack);
    const { running, waitingPerUser } = passwordQueueLimits;
    expect(answers.filter((answer) => answer === 'overloaded')).toHaveLength(1_000 - running - waitingPerUser);
    expect(ask(check, 'ann', 'right')).toBe('is ann');
  });

  it('keeps a match despite any number of wrong passwords', async () => {
    expect(await settled('ann', 'right', true)).toBe('is ann');
    for (let index = 0; index < 3_000; index += 1) {
      const pending = ask(check, 'eve', `wrong ${index}`);
      verifier.held.pop()?.answer(false);
      await pending;
    }
    expect(ask(check, 'ann', 'right')).toBe('is ann');
  });
});

describe('users and passwords with two Unicode spellings', () => {
  const [composed, decomposed] = ['j\u00f6rg', 'jo\u0308rg'];
  const basic = (user: string, password: string) => ({
    authorization: parseAuthorization(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`),
    apiKey: null,
    certificate: null,
    sessionCookies: [],
  });

  it('match in either spelling, configured or sent', async () => {
    for (const configured of [composed, decomposed]) {
      const check = basicCheck([`${configured}:${configured}`], new HeldPasswordVerifier());
      for (const sent of [composed, decomposed]) {
        expect(told(await check.check(basic(sent, sent), neverCancelled))).toBe(`is ${composed}`);
        expect(told(await check.check(basic(sent, 'jorg'), neverCancelled))).toBe('unknown_credentials');
      }
    }
  });

  it('match if the command hashed the password', async () => {
    for (const typed of [composed, decomposed]) {
      const hashed = await hashPassword(
        { password: typed, algorithm: 'argon2id', user: typed },
        new NativePasswordHasher(),
      );
      if (!hashed.ok) throw new Error(hashed.error.message);
      const check = basicCheck([hashed.value], new NativePasswordVerifier());
      for (const sent of [composed, decomposed]) {
        expect(told(await check.check(basic(sent, sent), neverCancelled))).toBe(`is ${composed}`);
      }
    }
  });
});
