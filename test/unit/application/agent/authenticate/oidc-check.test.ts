import { describe, expect, it } from 'vitest';
import { JoseVerificationKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { nodeCertificateFingerprints } from '../../../../../src/adapters/outbound/x509-certificates/certificate-fingerprints.js';
import type { CheckOutcome } from '../../../../../src/application/agent/authenticate/authentication-check.js';
import { CertificateBinding } from '../../../../../src/application/agent/authenticate/certificate-binding.js';
import { OidcCheck } from '../../../../../src/application/agent/authenticate/oidc-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { VerifiedTokenCache } from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import { keysOfProvider } from '../../../../../src/application/agent/configure-agent/agent-key-sets.js';
import { maximumRefetchWaiters } from '../../../../../src/application/agent/keys/key-set.js';
import {
  keyWaitMs,
  type OidcProvider,
  ProviderTokens,
} from '../../../../../src/application/agent/verify-tokens/provider-tokens.js';
import { TokenReader } from '../../../../../src/application/agent/verify-tokens/token-verdict.js';
import type { Cancellation } from '../../../../../src/application/ports/shared/cancellation.js';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import type { OidcProviderOptions } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { parseAuthorization } from '../../../../../src/domain/agent/identity/authorization-credential.js';
import type { AsymmetricAlgorithm } from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { keysAt } from '../../../../support/agent/fake-key-set-source.js';
import { testKeySets } from '../../../../support/agent/test-key-sets.js';
import {
  ecPair,
  type KeyPair,
  pairFor,
  publicJwk,
  rsaPair,
  signToken,
  tokenPart,
} from '../../../../support/agent/test-tokens.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const issuer = 'https://id.example';
const minute = 60_000;
const hour = 60 * minute;

const options: OidcProviderOptions = {
  name: 'corp',
  enabled: true,
  issuer,
  jwksUrl: 'https://id.example/keys',
  tokenHeader: null,
  tokenCookie: null,
  introspection: null,
  requiredProof: null,
  audiences: ['api'],
  algorithms: null,
  tenants: [],
  requiredScopes: [],
  jwksRefreshMs: 5 * minute,
  clockSkewMs: 30_000,
};

const [first, second] = [ecPair(), ecPair()];
const jwk = ({ publicKey }: KeyPair, kid: string, more: JsonObject = {}): JsonObject => ({
  ...publicJwk(publicKey),
  kid,
  ...more,
});

/** A check with one provider, which publishes `first`; real keys and signatures, a clock that the test moves. */
const checkWith = async (changed: Partial<OidcProviderOptions> = {}, published = [jwk(first, 'first')]) => {
  const made = testKeySets(new JoseVerificationKeys());
  const { clock, source, sets } = made;
  if (published.length === 0) source.goDown();
  else source.publish(...published);
  const keys = sets.acquire(keysOfProvider(options), options.jwksRefreshMs).keys;
  await keys.firstLoad();
  const memory = new VerifiedTokenCache(clock, {
    maximumEntries: 100,
    maximumSize: 1_000_000,
  });
  const check = new OidcCheck({
    tokens: new ProviderTokens([{ options: { ...options, ...changed }, keys }], clock),
    reader: new TokenReader(),
    prepare: (identity) => preparedIdentity(identity, []),
    memory,
    binding: new CertificateBinding(nodeCertificateFingerprints),
    proofs: { refusal: async () => null },
  });
  const ask = (token: string, cancellation: Cancellation = neverCancelled) =>
    check.check(
      { authorization: parseAuthorization(`Bearer ${token}`), apiKey: null, certificate: null, sessionCookies: [] },
      cancellation,
    );
  const claims = (more: JsonObject = {}): JsonObject => ({
    iss: issuer,
    sub: 'orders',
    aud: 'api',
    iat: clock.seconds(),
    exp: clock.seconds() + 3_600,
    ...more,
  });
  /** Signed with `pair`, `first` unless said otherwise. */
  const token = (kid: string | null, more: JsonObject = {}, pair = first, header: JsonObject = {}) =>
    signToken('ES256', pair.privateKey, claims(more), { ...(kid === null ? {} : { kid }), ...header });
  /** Moves the clock to the next refresh, and waits for its end: keys are made ready on other threads. */
  const refresh = async (ms: number) => {
    const ended = new Promise<void>((resolve) => {
      const end = sets.onRefresh(() => {
        end();
        resolve();
      });
    });
    await made.scheduler.advance(ms);
    await ended;
  };
  return { ...made, keys, check, ask, claims, token, refresh };
};

/** `passed`, or why not. */
const told = (outcome: CheckOutcome): string => {
  if (outcome.kind === 'authenticated') return 'passed';
  return 'reason' in outcome ? outcome.reason : outcome.kind;
};

describe('OidcCheck', () => {
  it('accepts a token signed by a key of the provider, synchronously', async () => {
    const { ask, token, claims } = await checkWith();
    const outcome = ask(token('first', { scope: 'read' }));
    expect(outcome).not.toBeInstanceOf(Promise);
    expect(outcome).toEqual({
      kind: 'authenticated',
      prepared: preparedIdentity(
        { method: 'oidc', userId: 'orders', claims: claims({ scope: 'read' }), certificate: null },
        [],
      ),
    });
  });

  it.each<AsymmetricAlgorithm>(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES384', 'ES512', 'EdDSA'])(
    'accepts %s if the key allows it',
    async (algorithm) => {
      const pair = pairFor(algorithm);
      const { ask, claims } = await checkWith({}, [jwk(pair, 'one', { alg: algorithm })]);
      const token = signToken(algorithm, pair.privateKey, claims(), { kid: 'one' });
      expect(told(await ask(token))).toBe('passed');
    },
  );

  it('returns nothing without a bearer token', async () => {
    const { check } = await checkWith();
    const none = { apiKey: null, certificate: null, sessionCookies: [] };
    expect(await check.check({ ...none, authorization: null }, neverCancelled)).toEqual({ kind: 'absent' });
    const basic = parseAuthorization('Basic YTpi');
    expect(await check.check({ ...none, authorization: basic }, neverCancelled)).toEqual({ kind: 'absent' });
    const malformed = parseAuthorization('Bearer a b');
    expect(told(await check.check({ ...none, authorization: malformed }, neverCancelled))).toBe('malformed');
  });

  it.each<[string, JsonObject, string]>([
    ['of another issuer', { iss: 'https://id.example/' }, 'unknown_issuer'],
    ['of several issuers', { iss: [issuer] }, 'unknown_issuer'],
    ['for another audience', { aud: 'web' }, 'wrong_audience'],
    ['that has expired', { exp: 1_799_999_970 }, 'expired'],
    ['without an expiry that is a number', { exp: 'never' }, 'malformed'],
    ['that is not yet valid', { nbf: 1_800_000_031 }, 'not_yet_valid'],
    ['that was issued in the future', { iat: 1_800_000_031 }, 'issued_in_future'],
    ['without a subject', { sub: '' }, 'unusable_subject'],
  ])('refuses a token %s', async (_, more, reason) => {
    const { ask, token } = await checkWith();
    expect(told(await ask(token('first', more)))).toBe(reason);
  });

  it('tolerates the configured clock skew', async () => {
    const { ask, token, clock } = await checkWith({ clockSkewMs: 0 });
    expect(told(await ask(token('first', { exp: clock.seconds() })))).toBe('expired');
    const lenient = await checkWith({ clockSkewMs: 600_000 });
    expect(told(await lenient.ask(lenient.token('first', { exp: lenient.clock.seconds() - 599 })))).toBe('passed');
  });

  it('requires every scope, and names them if nothing else is missing', async () => {
    const { ask, token } = await checkWith({ requiredScopes: ['read', 'write'] });
    expect(told(await ask(token('first', { scope: 'write read' })))).toBe('passed');
    expect(told(await ask(token('first', { scp: ['read', 'write'] })))).toBe('passed');
    expect(await ask(token('first', { scope: 'read' }))).toEqual({
      kind: 'failed',
      reason: 'insufficient_scope',
      scope: 'read write',
    });
    expect(told(await ask(token('first', { scope: 'read', aud: 'web' })))).toBe('wrong_audience');
    expect(told(await ask(token('first', { scope: 'read' }, second)))).toBe('bad_signature');
  });
});

/** Claims with a member that stands there twice. */
const twice = Buffer.from(`{"iss":"${issuer}","sub":"ann","sub":"root"}`).toString('base64url');

describe('a token that attacks key selection', () => {
  it.each<[string, JsonObject, string]>([
    ['brings its own key', { jwk: publicJwk(second.publicKey) }, 'bad_signature'],
    ['points to its own key set', { jku: 'https://evil.example/keys' }, 'bad_signature'],
    ['points to its own certificate', { x5u: 'https://evil.example/certificate', x5c: ['MIIB'] }, 'bad_signature'],
    ['asks for an extension', { crit: ['b64'], b64: false }, 'critical_header'],
    ['is of another type', { typ: 'logout+jwt' }, 'wrong_type'],
    ['has a path for a kid', { kid: '../../../../dev/null' }, 'unknown_key'],
    ['has SQL for a kid', { kid: "first' OR '1'='1" }, 'unknown_key'],
    ['has the name of a member of objects for a kid', { kid: '__proto__' }, 'unknown_key'],
    ['has a kid that is no text', { kid: ['first'] }, 'malformed'],
    ['is signed under no algorithm', { alg: 'none' }, 'wrong_algorithm'],
    ['is signed under another algorithm of the same curve', { alg: 'ES256K' }, 'wrong_algorithm'],
    ['names the algorithm of another key', { alg: 'RS256' }, 'wrong_algorithm'],
  ])('is refused if it %s', async (_, header, reason) => {
    const { ask, token, source } = await checkWith();
    expect(told(await ask(token('first', {}, second, header)))).toBe(reason);
    expect(source.urls.every((url) => url === options.jwksUrl)).toBe(true);
  });

  it('is refused if it uses a public key as shared secret', async () => {
    const pair = rsaPair();
    const { ask, claims, source } = await checkWith({}, [jwk(pair, 'one')]);
    const spki = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(told(await ask(signToken('HS256', spki, claims(), { kid: 'one' })))).toBe('wrong_algorithm');
    expect(source.requests).toBe(1);
  });

  it('is refused if its algorithm is not one that the key allows', async () => {
    const pair = rsaPair();
    const { ask, claims, source } = await checkWith({}, [jwk(pair, 'one', { alg: 'RS256' })]);
    for (const algorithm of ['PS256', 'RS512'] as const) {
      const token = signToken(algorithm, pair.privateKey, claims(), { kid: 'one' });
      expect(told(await ask(token))).toBe('wrong_algorithm');
    }
    expect(source.requests).toBe(1);
  });

  it('is refused under a weak key, even a published one', async () => {
    const weak = rsaPair(1024);
    const { ask, claims } = await checkWith({}, [jwk(first, 'first'), jwk(weak, 'weak')]);
    expect(told(await ask(signToken('RS256', weak.privateKey, claims(), { kid: 'weak' })))).toBe('unknown_key');
  });

  it('is refused under a key that is not for signatures or has a duplicate name', async () => {
    const encrypting = jwk(second, 'second', { use: 'enc' });
    const { ask, token } = await checkWith({}, [jwk(first, 'first'), encrypting]);
    expect(told(await ask(token('second', {}, second)))).toBe('unknown_key');
    const shared = await checkWith({}, [jwk(first, 'one'), jwk(second, 'one'), jwk(ecPair(), 'two')]);
    expect(told(await shared.ask(shared.token('one')))).toBe('unknown_key');
    expect(told(await shared.ask(shared.token('one', {}, second)))).toBe('unknown_key');
  });

  it('is refused if it names no key and several match', async () => {
    const { ask, token } = await checkWith({}, [jwk(first, 'first'), jwk(second, 'second')]);
    expect(told(await ask(token(null)))).toBe('unknown_key');
    const single = await checkWith();
    expect(told(await single.ask(single.token(null)))).toBe('passed');
  });

  it.each<[string, (token: string) => string, string]>([
    ['too long', (token) => `${token}${'A'.repeat(16 * 1024)}`, 'too_large'],
    ['in four parts', (token) => `${token}.e30`, 'malformed'],
    ['without a signature', (token) => token.slice(0, token.lastIndexOf('.') + 1), 'bad_signature'],
    ['with a claim twice', (token) => token.replace(/\..*\./, `.${twice}.`), 'malformed'],
  ])('is refused if it is %s', async (_, spoil, reason) => {
    const { ask, token, source } = await checkWith();
    expect(told(await ask(spoil(token('first'))))).toBe(reason);
    expect(source.requests).toBe(1);
  });
});

describe('several providers', () => {
  it('vouch only for their own tokens', async () => {
    const made = testKeySets(new JoseVerificationKeys());
    const { sets, source, clock } = made;
    const providers: OidcProvider[] = [];
    for (const [index, pair] of [first, second].entries()) {
      // One kid for both: it says nothing without the issuer.
      source.publish(jwk(pair, 'same'));
      const keys = sets.acquire(keysAt(`https://id-${index}.example/keys`), hour).keys;
      await keys.firstLoad();
      providers.push({ options: { ...options, issuer: `https://id-${index}.example` }, keys });
    }
    const check = new OidcCheck({
      tokens: new ProviderTokens(providers, clock),
      reader: new TokenReader(),
      prepare: (identity) => preparedIdentity(identity, []),
      memory: new VerifiedTokenCache(clock, { maximumEntries: 0, maximumSize: 0 }),
      binding: new CertificateBinding(nodeCertificateFingerprints),
      proofs: { refusal: async () => null },
    });
    const ask = async (iss: string, pair: KeyPair) => {
      const claims = { iss, sub: 'ann', aud: 'api', exp: clock.seconds() + 60 };
      const token = signToken('ES256', pair.privateKey, claims, { kid: 'same' });
      return told(
        await check.check(
          { authorization: parseAuthorization(`Bearer ${token}`), apiKey: null, certificate: null, sessionCookies: [] },
          neverCancelled,
        ),
      );
    };
    expect(await ask('https://id-0.example', first)).toBe('passed');
    expect(await ask('https://id-1.example', second)).toBe('passed');
    expect(await ask('https://id-0.example', second)).toBe('bad_signature');
    expect(await ask('https://id-1.example', first)).toBe('bad_signature');
    expect(await ask('https://id-2.example', first)).toBe('unknown_issuer');
  });
});

describe('an unknown key', () => {
  it('is fetched when its first token arrives, and the token passes', async () => {
    const { ask, token, source } = await checkWith();
    source.publish(jwk(first, 'first'), jwk(second, 'second'));
    expect(told(await ask(token('second', {}, second)))).toBe('passed');
    expect(source.requests).toBe(2);
  });

  it('causes one fetch for a thousand tokens per second, each with its own kid', async () => {
    const { ask, claims, source, scheduler } = await checkWith();
    source.isHeld = true;
    const body = tokenPart(claims());
    const made = (kid: string) => `${tokenPart({ alg: 'ES256', kid })}.${body}.AAAA`;
    const answers: (CheckOutcome | Promise<CheckOutcome>)[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      answers.push(ask(made(`kid-${index}`)));
      if (index === 500) source.letGo();
      await scheduler.advance(1);
    }
    const outcomes = (await Promise.all(answers)).map(told);
    // So many wait for it; those that come while it lasts are not made to wait, those that come after it know.
    expect(new Set(outcomes.slice(0, maximumRefetchWaiters))).toEqual(new Set(['unknown_key']));
    expect(new Set(outcomes.slice(maximumRefetchWaiters, 501))).toEqual(new Set(['keys_unavailable']));
    expect(new Set(outcomes.slice(501))).toEqual(new Set(['unknown_key']));
    expect(source.requests).toBe(2);
    await scheduler.advance(28_999);
    expect(told(await ask(made('one-more')))).toBe('unknown_key');
    expect(source.requests).toBe(2);
    await scheduler.advance(1);
    expect(told(await ask(made('one-more')))).toBe('unknown_key');
    expect(source.requests).toBe(3);
  });

  it('does not delay tokens of known keys during the fetch', async () => {
    const { ask, token, source } = await checkWith();
    source.isHeld = true;
    const waiting = ask(token('second', {}, second));
    expect(ask(token('first'))).toMatchObject({ kind: 'authenticated' });
    source.letGo();
    expect(told(await waiting)).toBe('unknown_key');
  });

  it('delays a token at most 800 milliseconds, which is then undecided', async () => {
    const { ask, token, source, scheduler } = await checkWith();
    source.isHeld = true;
    let answer = 'none yet';
    void Promise.resolve(ask(token('second', {}, second))).then((outcome) => {
      answer = told(outcome);
    });
    await scheduler.advance(799);
    expect(answer).toBe('none yet');
    await scheduler.advance(1);
    expect(answer).toBe('keys_unavailable');
    source.publish(jwk(first, 'first'), jwk(second, 'second'));
    source.letGo();
    await eventually(() => told(ask(token('second', {}, second)) as CheckOutcome) === 'passed');
    expect(source.requests).toBe(2);
  });

  it('delays a token at most 800 milliseconds in total, over a running fetch and its own', async () => {
    const { ask, token, source, scheduler, clock } = await checkWith();
    source.isHeld = true;
    await scheduler.advance(options.jwksRefreshMs);
    const startMs = clock.monotonicMs();
    let endMs: number | null = null;
    const answer = Promise.resolve(ask(token('second', {}, second))).finally(() => {
      endMs = clock.monotonicMs();
    });
    await scheduler.advance(700);
    source.letGo();
    source.isHeld = true;
    await eventually(() => source.requests === 3);
    expect(endMs).toBeNull();
    await scheduler.advance(100);
    expect(told(await answer)).toBe('keys_unavailable');
    expect((endMs ?? 0) - startMs).toBe(keyWaitMs);
  });

  it('no longer delays a cancelled request', async () => {
    const { ask, token, source } = await checkWith();
    source.isHeld = true;
    const cancellation = new CancellationSource();
    const [given, other] = [ask(token('second', {}, second), cancellation), ask(token('second', {}, second))];
    cancellation.cancel();
    expect(await given).toEqual({ kind: 'cancelled' });
    source.publish(jwk(first, 'first'), jwk(second, 'second'));
    source.letGo();
    expect(told(await other)).toBe('passed');
  });

  it.each([
    ['EdDSA', 'Ed25519'],
    ['Ed25519', 'EdDSA'],
    ['Ed25519', 'Ed25519'],
  ])('with Ed25519 declared as %s verifies tokens that say %s', async (ofKey, ofToken) => {
    const pair = pairFor('EdDSA');
    const { ask, claims } = await checkWith({}, [jwk(pair, 'one', { alg: ofKey })]);
    const good = signToken('EdDSA', pair.privateKey, claims(), { kid: 'one', alg: ofToken });
    expect(told(await ask(good))).toBe('passed');
    const forged = signToken('EdDSA', pairFor('EdDSA').privateKey, claims(), { kid: 'one', alg: ofToken });
    expect(forged === good ? 'the same' : told(await ask(`${good.slice(0, -4)}AAAA`))).toBe('bad_signature');
  });

  it('causes a new fetch if the running one began too early to include it', async () => {
    const { ask, token, source, scheduler } = await checkWith();
    source.isHeld = true;
    await scheduler.advance(options.jwksRefreshMs);
    const answer = ask(token('second', {}, second));
    source.letGo();
    source.publish(jwk(first, 'first'), jwk(second, 'second'));
    expect(told(await answer)).toBe('passed');
    expect(source.requests).toBe(3);
  });
});

describe('a withdrawn key', () => {
  it('is refused immediately after the refresh, for cached tokens too', async () => {
    const { ask, token, source, refresh } = await checkWith();
    source.publish(jwk(first, 'first'), jwk(second, 'second'));
    await refresh(options.jwksRefreshMs);
    const [remembered, other] = [token('first'), token('second', {}, second)];
    expect(told(await ask(remembered))).toBe('passed');
    expect(told(await ask(remembered))).toBe('passed');
    expect(told(await ask(other))).toBe('passed');
    source.publish(jwk(second, 'second'));
    await refresh(options.jwksRefreshMs);
    expect(told(await ask(remembered))).toBe('unknown_key');
    expect(told(await ask(token('first', { jti: 'new' })))).toBe('unknown_key');
    expect(told(await ask(other))).toBe('passed');
  });

  it('is refused immediately if an unknown key triggered the fetch', async () => {
    const { ask, token, source } = await checkWith();
    const remembered = token('first');
    expect(told(await ask(remembered))).toBe('passed');
    source.publish(jwk(second, 'second'));
    expect(told(await ask(token('second', {}, second)))).toBe('passed');
    expect(told(await ask(remembered))).toBe('unknown_key');
  });

  it('is refused, for cached tokens too, if the provider publishes only unusable keys', async () => {
    const { ask, token, source, refresh, keys } = await checkWith();
    const remembered = token('first');
    expect(told(await ask(remembered))).toBe('passed');
    source.publish({ kty: 'AKP', kid: 'next', alg: 'ML-DSA-44', pub: 'AAAA' });
    await refresh(options.jwksRefreshMs);
    expect(keys.state()).toBe('stale');
    expect(told(await ask(remembered))).toBe('unknown_key');
    expect(told(await ask(token('first', { jti: 'new' })))).toBe('unknown_key');
  });

  it('does not validate its tokens if another key takes its kid', async () => {
    const { ask, token, source, refresh } = await checkWith();
    const remembered = token('first');
    expect(told(await ask(remembered))).toBe('passed');
    source.publish(jwk(second, 'first'));
    await refresh(options.jwksRefreshMs);
    expect(told(await ask(remembered))).toBe('bad_signature');
    expect(told(await ask(token('first', {}, second)))).toBe('passed');
  });
});

describe('an unavailable provider', () => {
  it('keeps tokens of known keys valid for at least ten minutes, while its keys are stale', async () => {
    const { ask, token, source, scheduler, keys } = await checkWith();
    const remembered = token('first');
    expect(told(await ask(remembered))).toBe('passed');
    source.goDown();
    await scheduler.advance(10 * minute);
    expect(keys.state()).toBe('stale');
    expect(told(await ask(remembered))).toBe('passed');
    expect(told(await ask(token('first', { jti: 'new' })))).toBe('passed');
    expect(told(await ask(token('second', {}, second)))).toBe('unknown_key');
    source.publish(jwk(first, 'first'));
    await scheduler.advance(5 * minute);
    expect(keys.state()).toBe('fresh');
  });

  it('leaves its tokens undecided until the first key set arrives', async () => {
    const { ask, token, source, refresh } = await checkWith({}, []);
    expect(await ask(token('first'))).toEqual({ kind: 'undecided', reason: 'keys_unavailable' });
    expect(await ask(token('second'))).toEqual({ kind: 'undecided', reason: 'keys_unavailable' });
    expect(source.requests).toBe(2);
    source.publish(jwk(first, 'first'));
    await refresh(10_000);
    expect(told(await ask(token('first')))).toBe('passed');
  });

  it('delays a token that comes before the first key set', async () => {
    const { ask, token, source, scheduler } = await checkWith({}, []);
    source.isHeld = true;
    source.publish(jwk(first, 'first'));
    await scheduler.advance(5_000);
    const answer = ask(token('first'));
    source.letGo();
    expect(told(await answer)).toBe('passed');
    expect(source.requests).toBe(2);
  });

  it('causes no fetch for a token of another issuer or without a valid form', async () => {
    const { ask, token, source } = await checkWith({}, []);
    expect(told(await ask(token('first', { iss: 'https://evil.example' })))).toBe('unknown_issuer');
    expect(told(await ask('no.token.atall'))).toBe('malformed');
    expect(source.requests).toBe(1);
  });
});
