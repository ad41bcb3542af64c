import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { NativePasswordVerifier } from '../../../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import type { CheckOutcome } from '../../../../../src/application/agent/authenticate/authentication-check.js';
import { BasicCheck } from '../../../../../src/application/agent/authenticate/basic-check.js';
import { PasswordChecks } from '../../../../../src/application/agent/authenticate/password-checks.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import type { PasswordVerifier } from '../../../../../src/application/ports/agent/password-verifier.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import type { BasicUser } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { parseBasicUser } from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
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

describe('HTTP Basic with real hashes', () => {
  const check = basicCheck([`ann:${argon2id}`, `old:${bcrypt}`], new NativePasswordVerifier());

  it('accepts the correct password', async () => {
    expect(await ask(check, 'ann', 'password')).toBe('is ann');
    expect(await ask(check, 'old', 'U*U')).toBe('is old');
    expect(await ask(check, 'ann', 'U*U')).toBe('unknown_credentials');
    expect(await ask(check, 'nobody', 'password')).toBe('unknown_credentials');
  });

  it('does not block the event loop while it verifies', async () => {
    const order: string[] = [];
    const pending = Promise.resolve(ask(check, 'ann', 'another')).then(() => order.push('checked'));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    order.push('other work');
    await pending;
    expect(order).toEqual(['other work', 'checked']);
  });
});
