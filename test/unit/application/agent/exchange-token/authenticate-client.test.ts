import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { JoseTokenSigningKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import { NativePasswordVerifier } from '../../../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import { PasswordChecks } from '../../../../../src/application/agent/authenticate/password-checks.js';
import {
  rememberedMatchMs,
  rememberedMismatchMs,
} from '../../../../../src/application/agent/authenticate/password-verification-cache.js';
import { AuthenticateClient } from '../../../../../src/application/agent/exchange-token/authenticate-client.js';
import type { PreparedClient } from '../../../../../src/application/agent/exchange-token/exchange-record.js';
import { SpentAssertions } from '../../../../../src/application/agent/exchange-token/spent-assertions.js';
import type { PasswordVerifier } from '../../../../../src/application/ports/agent/password-verifier.js';
import type { ClientKey } from '../../../../../src/application/ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { ClientSecret } from '../../../../../src/domain/agent/configuration/token-exchange-options.js';
import { readPasswordHash } from '../../../../../src/domain/agent/identity/password-hash-rules.js';
import {
  assertionClockSkewMs,
  longestAssertionMs,
} from '../../../../../src/domain/agent/token-exchange/client-assertion-rules.js';
import type { ClientCredentials } from '../../../../../src/domain/agent/token-exchange/client-credentials.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { FakeReplayStore } from '../../../../support/agent/fake-saml-stores.js';
import { HeldPasswordVerifier } from '../../../../support/agent/held-password-verifier.js';
import { ecPair, publicPem, rsaPair, signToken, tokenPart } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

/** Of `password`. */
const argon2id = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
/** Of `U*U`. */
const bcrypt = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const issuer = 'https://issuer.example';
const endpointUrl = 'https://gateway.example/token/exchange';

const plain = (text: string): ClientSecret => ({ kind: 'plain', text: new Secret(text) });
const sha256 = (text: string): ClientSecret => ({
  kind: 'sha256',
  digest: new Secret(createHash('sha256').update(text).digest('hex')),
});
const hashed = (text: string): ClientSecret => {
  const hash = readPasswordHash(text);
  if (!hash.ok) throw new Error(hash.error);
  return hash.value;
};

const client = (id: string, secrets: readonly ClientSecret[], keys: readonly ClientKey[] = []): PreparedClient => ({
  id,
  secrets,
  keys,
  policy: {
    issuer,
    tokenTtlMs: 1_000,
    limitLifetimeToSubject: false,
    maximumActors: 0,
    claimsCopied: [],
    defaultAudience: null,
    allowedExchanges: [],
    allowedAudiences: new Set(),
    allowedScopes: null,
    clientId: id,
    acceptedAudiences: new Set([id]),
  },
});

interface Setting {
  readonly verifier?: PasswordVerifier;
  readonly clock?: ManualClock;
  readonly replays?: FakeReplayStore | null;
  readonly spent?: SpentAssertions;
  readonly issuer?: string;
}

const authenticator = (clients: readonly PreparedClient[], setting: Setting = {}): AuthenticateClient => {
  const { verifier = new HeldPasswordVerifier(), clock = new ManualClock(), replays = new FakeReplayStore() } = setting;
  const { spent = new SpentAssertions(clock) } = setting;
  return new AuthenticateClient({
    clients,
    issuer: setting.issuer ?? issuer,
    endpointUrl,
    digest: new HmacSecretDigest(),
    passwords: new PasswordChecks({ verifier, clock, logger: new RecordingLogger() }),
    clock,
    spent,
    replays,
  });
};

const ask = async (
  authenticate: AuthenticateClient,
  credentials: ClientCredentials,
  cancellation: Cancellation = neverCancelled,
): Promise<string> => {
  const outcome = await authenticate.authenticate(credentials, cancellation);
  if (!outcome.ok) return outcome.error;
  const { client: proven, assertion } = outcome.value;
  const fault = assertion === null ? null : await authenticate.spend(assertion);
  return fault ?? `is ${proven.id}`;
};

const askSecret = (
  authenticate: AuthenticateClient,
  clientId: string,
  secret: string,
  cancellation: Cancellation = neverCancelled,
): Promise<string> => ask(authenticate, { kind: 'secret', clientId, secret }, cancellation);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('clients with secrets in plain text or as SHA-256', () => {
  const verifier = new HeldPasswordVerifier();
  const clients = [
    client('orders', [plain('old secret'), sha256('new secret')]),
    client('billing', [sha256('the secret of billing')]),
    client('keys-only', []),
  ];
  const authenticate = authenticator(clients, { verifier });

  it('authenticate with any of their secrets', async () => {
    expect(await askSecret(authenticate, 'orders', 'old secret')).toBe('is orders');
    expect(await askSecret(authenticate, 'orders', 'new secret')).toBe('is orders');
    expect(await askSecret(authenticate, 'billing', 'the secret of billing')).toBe('is billing');
    expect(verifier.passwords).toEqual([]);
  });

  it.each([
    ['orders', 'the secret of billing'],
    ['billing', 'old secret'],
    ['orders', ''],
    ['orders', 'old secret '],
    ['Orders', 'old secret'],
    ['nobody', 'old secret'],
    ['nobody', 'nobody'],
    ['keys-only', ''],
    ['keys-only', 'nobody'],
    // The hash that is kept is no secret: who reads the configuration cannot use it.
    ['billing', createHash('sha256').update('the secret of billing').digest('hex')],
    ['__proto__', 'old secret'],
  ])('do not authenticate otherwise: %s with %j', async (id, secret) => {
    expect(await askSecret(authenticate, id, secret)).toBe('wrong_client_credentials');
  });

  it('must send a credential', async () => {
    expect(await ask(authenticate, { kind: 'none' })).toBe('missing_client');
  });

  it('cost the same number of comparisons for right, wrong and unknown', async () => {
    class CountedDigest extends HmacSecretDigest {
      compared = 0;
      override equal(first: string, second: string): boolean {
        this.compared += 1;
        return super.equal(first, second);
      }
    }
    const digest = new CountedDigest();
    const clock = new ManualClock();
    const passwords = new PasswordChecks({ verifier, clock, logger: new RecordingLogger() });
    const spent = new SpentAssertions(clock);
    const parts = { clients, issuer, endpointUrl, digest, passwords, clock, spent, replays: null };
    const counted = new AuthenticateClient(parts);
    const costs: number[] = [];
    for (const [id, secret] of [
      ['orders', 'old secret'],
      ['orders', 'new secret'],
      ['orders', 'wrong'],
      ['billing', 'wrong'],
      ['keys-only', 'wrong'],
      ['nobody', 'wrong'],
    ] as const) {
      digest.compared = 0;
      await askSecret(counted, id, secret);
      costs.push(digest.compared);
    }
    expect(costs).toEqual([2, 2, 2, 2, 2, 2]);
  });
});

describe('clients with hashed secrets', () => {
  let verifier: HeldPasswordVerifier;
  let clock: ManualClock;
  let authenticate: AuthenticateClient;
  beforeEach(() => {
    verifier = new HeldPasswordVerifier();
    clock = new ManualClock();
    const clients = [
      client('two', [hashed(argon2id), hashed(bcrypt)]),
      client('one', [hashed(argon2id)]),
      client('mixed', [plain('in the clear'), hashed(bcrypt)]),
      client('two.0', [plain('x')]),
      client('a', [hashed(argon2id)]),
      client('a.0:b', [hashed(argon2id)]),
    ];
    authenticate = authenticator(clients, { verifier, clock });
  });

  /** Answers each check as these say, and tells how many there were. */
  const settled = async (id: string, secret: string, ...matches: readonly boolean[]): Promise<[string, number]> => {
    const before = verifier.passwords.length;
    const pending = askSecret(authenticate, id, secret);
    await turn();
    for (const match of matches) await verifier.answer(match);
    return [await pending, verifier.passwords.length - before];
  };

  it('authenticate with any of their secrets', async () => {
    expect(await settled('two', 'first', true)).toEqual(['is two', 1]);
    expect(await settled('two', 'second', false, true)).toEqual(['is two', 2]);
    expect(await settled('mixed', 'in the clear')).toEqual(['is mixed', 0]);
    expect(await settled('a.0:b', 'c', true)).toEqual(['is a.0:b', 1]);
  });

  it('cost the same number of checks for a wrong secret as for an unknown client: the maximum of any client', async () => {
    expect(await settled('two', 'wrong', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('one', 'wrong', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('mixed', 'wrong', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('nobody', 'wrong', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(new Set(verifier.texts.slice(-2))).toEqual(new Set([verifier.texts.at(-1)]));
  });

  it('do not authenticate with the secret of a decoy', async () => {
    expect(await settled('nobody', 'guessed', true, true)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('one', 'guessed', false, true)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('two.0', 'guessed', true, true)).toEqual(['wrong_client_credentials', 2]);
  });

  it('are cached per client and secret', async () => {
    expect(await settled('one', 'secret', true)).toEqual(['is one', 1]);
    expect(await settled('one', 'secret')).toEqual(['is one', 0]);
    expect(await settled('two', 'secret', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('nobody', 'secret', false, false)).toEqual(['wrong_client_credentials', 2]);
    clock.advance(rememberedMatchMs);
    expect(await settled('one', 'secret', false, false)).toEqual(['wrong_client_credentials', 2]);
  });

  it('are kept apart if an id contains the separator between id and secret', async () => {
    expect(await settled('a.0:b', 'c', true)).toEqual(['is a.0:b', 1]);
    expect(await settled('a', 'b.0:c', false, false)).toEqual(['wrong_client_credentials', 2]);
    expect(await settled('a', 'b:c', false, false)).toEqual(['wrong_client_credentials', 2]);
  });

  it('with their second secret skip the first one while cached', async () => {
    expect(await settled('two', 'second', false, true)).toEqual(['is two', 2]);
    for (let use = 0; use < 5; use += 1) {
      clock.advance(rememberedMatchMs - 1);
      expect(await settled('two', 'second')).toEqual(['is two', 0]);
    }
    expect(rememberedMatchMs).toBeGreaterThan(rememberedMismatchMs);
  });

  it('share one check for concurrent requests', async () => {
    const pending = [1, 2, 3].map(() => askSecret(authenticate, 'one', 'secret'));
    await turn();
    await verifier.answer(true);
    expect(await Promise.all(pending)).toEqual(['is one', 'is one', 'is one']);
    expect(verifier.passwords).toHaveLength(1);
  });

  it('get an overload answer if too many wait, and no secret is called wrong', async () => {
    const pending = Array.from({ length: 70 }, (_, index) => askSecret(authenticate, `r${index}`, 'p'));
    await turn();
    expect(await askSecret(authenticate, 'one', 'secret')).toBe('overloaded');
    await verifier.answerAll(false);
    const answers = await Promise.all(pending);
    expect(new Set(answers)).toEqual(new Set(['wrong_client_credentials', 'overloaded']));
    expect(await settled('one', 'secret', true)).toEqual(['is one', 1]);
  });

  it('get an error if a secret could not be verified', async () => {
    const pending = askSecret(authenticate, 'two', 'second');
    await turn();
    await verifier.answer('failed');
    expect(await pending).toBe('overloaded');
  });

  it('are no longer verified after cancellation', async () => {
    const source = new CancellationSource();
    const pending = askSecret(authenticate, 'two', 'second', source);
    await turn();
    source.cancel();
    expect(await pending).toBe('cancelled');
    await verifier.answer(false);
    expect(verifier.passwords).toHaveLength(1);
  });
});

describe('clients with real hashes', () => {
  it('authenticate with the matching secrets', async () => {
    const clients = [client('orders', [hashed(argon2id), hashed(bcrypt)]), client('billing', [hashed(bcrypt)])];
    const authenticate = authenticator(clients, { verifier: new NativePasswordVerifier() });
    expect(await askSecret(authenticate, 'orders', 'password')).toBe('is orders');
    expect(await askSecret(authenticate, 'orders', 'U*U')).toBe('is orders');
    expect(await askSecret(authenticate, 'billing', 'U*U')).toBe('is billing');
    expect(await askSecret(authenticate, 'billing', 'password')).toBe('wrong_client_credentials');
    expect(await askSecret(authenticate, 'nobody', 'password')).toBe('wrong_client_credentials');
    expect(await askSecret(authenticate, 'orders', argon2id)).toBe('wrong_client_credentials');
  });
});

describe('clients with keys', async () => {
  const [ordersOldRsa, ordersRsa, billingRsa, strangerRsa] = [rsaPair(), rsaPair(), rsaPair(), rsaPair()];
  const ordersEc = ecPair();
  const keysOf = async (...pems: readonly string[]): Promise<ClientKey[]> => {
    const keys: ClientKey[] = [];
    for (const pem of pems) {
      const read = await new JoseTokenSigningKeys().readClientKey(pem);
      if (!read.ok) throw new Error(read.error);
      keys.push(...read.value);
    }
    return keys;
  };
  const clients = [
    client(
      'orders',
      [],
      await keysOf(...[ordersOldRsa, ordersRsa, ordersEc].map(({ publicKey }) => publicPem(publicKey))),
    ),
    client('billing', [plain('secret of billing')], await keysOf(publicPem(billingRsa.publicKey))),
    client('secretive', [plain('secret')]),
  ];

  let clock: ManualClock;
  let replays: FakeReplayStore;
  let authenticate: AuthenticateClient;
  beforeEach(() => {
    clock = new ManualClock();
    replays = new FakeReplayStore();
    authenticate = authenticator(clients, { clock, replays });
  });

  const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
    iss: 'orders',
    sub: 'orders',
    aud: issuer,
    exp: clock.seconds() + 60,
    jti: 'j1',
    ...changes,
  });
  const show = (assertion: string, clientId: string | null = null): Promise<string> =>
    ask(authenticate, { kind: 'assertion', clientId, assertion });

  it('authenticate with an assertion signed by any of their keys', async () => {
    expect(await show(signToken('RS256', ordersRsa.privateKey, claims()))).toBe('is orders');
    expect(await show(signToken('PS256', ordersRsa.privateKey, claims({ jti: 'j2' })))).toBe('is orders');
    expect(await show(signToken('ES256', ordersEc.privateKey, claims({ jti: 'j3' })), 'orders')).toBe('is orders');
    expect(await show(signToken('RS256', ordersOldRsa.privateKey, claims({ jti: 'j5' })))).toBe('is orders');
    const typed = { typ: 'client-authentication+jwt', kid: 'any' };
    expect(await show(signToken('RS256', ordersRsa.privateKey, claims({ jti: 'j4', aud: endpointUrl }), typed))).toBe(
      'is orders',
    );
  });

  it('have the same id in the form and in the assertion', async () => {
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    expect(await show(assertion, 'billing')).toBe('client_mismatch');
    expect(replays.held.size).toBe(0);
    expect(await show(assertion, 'orders')).toBe('is orders');
  });

  it('use each assertion once, for as long as it is valid', async () => {
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    expect(await show(assertion)).toBe('is orders');
    expect(await show(assertion)).toBe('client_assertion_replayed');
    expect([...replays.held.values()]).toEqual([clock.wallMs() + 60_000 + assertionClockSkewMs]);
    clock.advance(60_000 + assertionClockSkewMs);
    expect(await show(assertion)).toBe('wrong_client_assertion');
  });

  it('cannot replay an assertion during its lifetime, for any length and time of arrival', async () => {
    const wholeLifeMs = longestAssertionMs + assertionClockSkewMs;
    const offsets = Array.from({ length: 12 }, (_, index) => (index * wholeLifeMs) / 11);
    for (const offsetMs of offsets.flatMap((at) => (at === 0 ? [at] : [at - 1, at]))) {
      const from = new ManualClock();
      const asked = authenticator(clients, { clock: from, replays: null });
      const showAt = (laterMs: number, assertion: string): Promise<string> => {
        from.advance(laterMs);
        return ask(asked, { kind: 'assertion', clientId: null, assertion });
      };
      const exp = (from.wallMs() + offsetMs + longestAssertionMs) / 1000;
      const longest = signToken('ES256', ordersEc.privateKey, claims({ exp }));
      expect(await showAt(offsetMs, longest)).toBe('is orders');
      expect(await showAt(wholeLifeMs - 1, longest)).toBe('client_assertion_replayed');
      expect(await showAt(1, longest)).toBe('wrong_client_assertion');
    }
  });

  it('cannot replay an assertion after re-signing or re-encoding it', async () => {
    expect(await show(signToken('ES256', ordersEc.privateKey, claims()))).toBe('is orders');
    // Another signature over the same claims, as everybody with ECDSA makes, and another algorithm.
    expect(await show(signToken('ES256', ordersEc.privateKey, claims()))).toBe('client_assertion_replayed');
    expect(await show(signToken('RS256', ordersRsa.privateKey, claims({ exp: clock.seconds() + 90 })))).toBe(
      'client_assertion_replayed',
    );
  });

  it('authenticate only one of two concurrent uses of one assertion', async () => {
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    const answers = await Promise.all([show(assertion), show(assertion), show(assertion)]);
    expect(answers.sort()).toEqual(['client_assertion_replayed', 'client_assertion_replayed', 'is orders']);
  });

  it('have separate assertion ids', async () => {
    expect(await show(signToken('RS256', ordersRsa.privateKey, claims()))).toBe('is orders');
    const other = claims({ iss: 'billing', sub: 'billing' });
    expect(await show(signToken('RS256', billingRsa.privateKey, other))).toBe('is billing');
  });

  it.each<[string, () => string]>([
    ['a key of another client', () => signToken('RS256', billingRsa.privateKey, claims())],
    ['a key of nobody', () => signToken('RS256', strangerRsa.privateKey, claims())],
    ['a public key as a secret', () => signToken('HS256', publicPem(ordersRsa.publicKey), claims())],
    ['no signature', () => `${tokenPart({ alg: 'none' })}.${tokenPart(claims())}.`],
    ['an empty signature', () => `${tokenPart({ alg: 'RS256' })}.${tokenPart(claims())}.`],
    [
      'a key that it brings along',
      () => {
        const jwk = strangerRsa.publicKey.export({ format: 'jwk' });
        return signToken('RS256', strangerRsa.privateKey, claims(), { jwk });
      },
    ],
    ['a key under the name of a client that has none', () => nameless('secretive')],
    ['a key under the name of nobody', () => nameless('nobody')],
    ['two names', () => signToken('RS256', ordersRsa.privateKey, claims({ iss: 'billing' }))],
    ['a type that is something else', () => signToken('RS256', ordersRsa.privateKey, claims(), { typ: 'at+jwt' })],
    ['a critical extension', () => signToken('RS256', ordersRsa.privateKey, claims(), { crit: ['x'], x: 1 })],
    ['an audience beside this one', () => signToken('RS256', ordersRsa.privateKey, claims({ aud: [issuer, 'x'] }))],
    ['another audience', () => signToken('RS256', ordersRsa.privateKey, claims({ aud: 'https://x.example' }))],
    ['no end', () => signToken('RS256', ordersRsa.privateKey, claims({ exp: undefined }))],
    ['no id', () => signToken('RS256', ordersRsa.privateKey, claims({ jti: undefined }))],
    ['two parts', () => signToken('RS256', ordersRsa.privateKey, claims()).split('.').slice(0, 2).join('.')],
    ['nothing of a token', () => 'x'],
    ['claims that were changed', () => changed(signToken('RS256', ordersRsa.privateKey, claims()))],
  ])('do not authenticate with %s, which consumes nothing', async (_, assertion) => {
    expect(await show(assertion())).toBe('wrong_client_assertion');
    expect(replays.held.size).toBe(0);
  });

  const nameless = (id: string): string => signToken('RS256', ordersRsa.privateKey, claims({ iss: id, sub: id }));
  const changed = (token: string): string => {
    const [header, , signature] = token.split('.');
    return [header, tokenPart(claims({ jti: 'j9' })), signature].join('.');
  };

  it('get an error if the used assertion cannot be stored', async () => {
    replays.failing.add('remember');
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    expect(await show(assertion)).toBe('store_unavailable');
    replays.failing.clear();
    expect(await show(assertion)).toBe('is orders');
  });

  it('cannot replay to another configuration, issuer or store of the process', async () => {
    const spent = new SpentAssertions(clock);
    const before = authenticator(clients, { clock, spent, replays: null });
    const after = authenticator(clients, { clock, spent });
    const assertion = signToken('RS256', ordersRsa.privateKey, claims({ aud: endpointUrl }));
    expect(await ask(before, { kind: 'assertion', clientId: null, assertion })).toBe('is orders');
    expect(await ask(before, { kind: 'assertion', clientId: null, assertion })).toBe('client_assertion_replayed');
    expect(await ask(after, { kind: 'assertion', clientId: null, assertion })).toBe('client_assertion_replayed');
  });

  it('cannot replay to another instance that shares the store', async () => {
    const here = authenticator(clients, { clock, replays });
    const there = authenticator(clients, { clock, replays });
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    expect(await ask(here, { kind: 'assertion', clientId: null, assertion })).toBe('is orders');
    expect(await ask(there, { kind: 'assertion', clientId: null, assertion })).toBe('client_assertion_replayed');
  });

  it('of agents with other issuers are separate despite equal names, ids and store', async () => {
    const other = 'https://other.example';
    const here = authenticator(clients, { clock, replays });
    const there = authenticator(clients, { clock, replays, issuer: other });
    const oneOf = (aud: string) => signToken('RS256', ordersRsa.privateKey, claims({ aud }));
    const showTo = (asked: AuthenticateClient, aud: string) =>
      ask(asked, { kind: 'assertion', clientId: null, assertion: oneOf(aud) });
    expect([await showTo(here, issuer), await showTo(there, other)]).toEqual(['is orders', 'is orders']);
    // What is for an endpoint that both have is taken once.
    const third = signToken('RS256', ordersRsa.privateKey, claims({ aud: [endpointUrl], jti: 'j2' }));
    const same = signToken('RS256', ordersRsa.privateKey, claims({ aud: endpointUrl, jti: 'j2' }));
    expect(await ask(here, { kind: 'assertion', clientId: null, assertion: third })).toBe('is orders');
    expect(await ask(there, { kind: 'assertion', clientId: null, assertion: same })).toBe('client_assertion_replayed');
    // One agent takes an id once, whichever of its audiences it is for.
    expect(await showTo(here, endpointUrl)).toBe('client_assertion_replayed');
  });

  it('must wait if no more assertions can be stored, and none is forgotten', async () => {
    const spent = new SpentAssertions(clock, { ofClient: 1, together: 2 });
    const full = authenticator(clients, { clock, spent, replays });
    const first = signToken('RS256', ordersRsa.privateKey, claims());
    const second = signToken('RS256', ordersRsa.privateKey, claims({ jti: 'j2' }));
    expect(await ask(full, { kind: 'assertion', clientId: null, assertion: first })).toBe('is orders');
    expect(await ask(full, { kind: 'assertion', clientId: null, assertion: second })).toBe('overloaded');
    expect(await ask(full, { kind: 'assertion', clientId: null, assertion: first })).toBe('client_assertion_replayed');
    expect(replays.held.size).toBe(1);
  });

  it('learn that an assertion was used before they use it', async () => {
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    const isSpent = async () => {
      const known = await authenticate.authenticate({ kind: 'assertion', clientId: null, assertion }, neverCancelled);
      return known.ok && known.value.assertion !== null && authenticate.isSpent(known.value.assertion);
    };
    expect([await isSpent(), await isSpent(), await show(assertion), await isSpent()]).toEqual([
      false,
      false,
      'is orders',
      true,
    ]);
  });

  it('consume nothing if only their identity was checked', async () => {
    const assertion = signToken('RS256', ordersRsa.privateKey, claims());
    for (let time = 0; time < 2; time += 1) {
      const outcome = await authenticate.authenticate({ kind: 'assertion', clientId: null, assertion }, neverCancelled);
      expect(outcome.ok).toBe(true);
    }
    expect(await show(assertion)).toBe('is orders');
  });

  it('cost the same number of verifications for a wrong signature: the maximum of any client', async () => {
    let verified = 0;
    const keyOf = (isRight: boolean, algorithm: ClientKey['algorithm'] = 'RS256'): ClientKey => ({
      algorithm,
      verifier: {
        isSigned: () => {
          verified += 1;
          return isRight;
        },
      },
    });
    const counted = authenticator(
      [
        client('wrong', [], [keyOf(false), keyOf(false), keyOf(false), keyOf(false, 'ES256')]),
        // Those of the others are right, and it must not help anybody.
        client('right', [], [keyOf(true), keyOf(true), keyOf(true)]),
        client('one', [], [keyOf(false)]),
        client('other', [], [keyOf(true, 'ES256')]),
        client('secretive', [plain('secret')]),
      ],
      { clock },
    );
    const costs: [string, string, number][] = [];
    for (const id of ['wrong', 'one', 'other', 'secretive', 'nobody', 'right']) {
      verified = 0;
      costs.push([id, await ask(counted, { kind: 'assertion', clientId: null, assertion: nameless(id) }), verified]);
    }
    expect(costs).toEqual([
      ['wrong', 'wrong_client_assertion', 3],
      ['one', 'wrong_client_assertion', 3],
      ['other', 'wrong_client_assertion', 3],
      ['secretive', 'wrong_client_assertion', 3],
      ['nobody', 'wrong_client_assertion', 3],
      ['right', 'is right', 1],
    ]);
  });

  it('cost a verification even if unknown', async () => {
    let verified = 0;
    const key: ClientKey = {
      algorithm: 'RS256',
      verifier: {
        isSigned: () => {
          verified += 1;
          return true;
        },
      },
    };
    const counted = authenticator([client('orders', [], [key]), client('secretive', [plain('secret')])], { clock });
    for (const id of ['orders', 'secretive', 'nobody']) {
      verified = 0;
      const assertion = nameless(id);
      const told = await ask(counted, { kind: 'assertion', clientId: null, assertion });
      expect([id, told, verified]).toEqual([id, id === 'orders' ? 'is orders' : 'wrong_client_assertion', 1]);
    }
  });
});

describe('the claimed client id', async () => {
  const authenticate = authenticator([client('orders', [plain('secret of orders')])]);
  const assertionOf = (id: string): string =>
    `${tokenPart({ alg: 'RS256' })}.${tokenPart({ iss: id, sub: id })}.${tokenPart('x')}`;

  it.each<[string, ClientCredentials, string | null]>([
    ['a secret', { kind: 'secret', clientId: 'orders', secret: 'wrong' }, 'orders'],
    ['an assertion', { kind: 'assertion', clientId: null, assertion: assertionOf('orders') }, 'orders'],
    ['a name that is none of ours', { kind: 'secret', clientId: 'secret of orders', secret: 'orders' }, null],
    ['an assertion of somebody else', { kind: 'assertion', clientId: null, assertion: assertionOf('x') }, null],
    ['what is no assertion', { kind: 'assertion', clientId: 'orders', assertion: 'x' }, null],
    ['a member of every object', { kind: 'secret', clientId: '__proto__', secret: 'x' }, null],
    ['nothing', { kind: 'none' }, null],
  ])('is reported for a configured client: by %s', (_name, credentials, claimed) => {
    expect(authenticate.claimed(credentials)).toBe(claimed);
  });
});
