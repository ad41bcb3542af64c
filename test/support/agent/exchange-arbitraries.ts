import fc from 'fast-check';
import type { VerifiedExchange } from '../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ExchangePolicy } from '../../../src/domain/agent/token-exchange/exchange-policy.js';
import { reservedClaims } from '../../../src/domain/agent/token-exchange/issued-claims.js';
import type { ExchangeRequest } from '../../../src/domain/agent/token-exchange/read-exchange-request.js';
import {
  type ExchangeTokenKind,
  issuedKinds,
  type SecurityToken,
  tokenKinds,
} from '../../../src/domain/agent/token-exchange/security-token.js';
import type { Claims, ClaimValue } from '../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../src/domain/agent/tokens/parse-claims.js';
import { exchangeNowMs, foreignIssuer, ownIssuer } from './asked-exchange.js';

const fewScopes = ['read', 'write', 'list', 'admin'];
const fewTargets = ['a', 'b', 'https://c.example/', 'urn:d'];
const fewParties = ['ann', 'svc', 'web', 'job'];
const fewIssuers = [ownIssuer, foreignIssuer, 'https://other.example'];

const some = (values: readonly string[]) => fc.subarray([...values]);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 2 });

/** Digits of any number that JSON has, and that is not minus zero, which has no digits of its own. */
const numberText = fc.oneof(
  fc.bigInt(-(2n ** 70n), 2n ** 70n).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value === 0 ? 0 : value)),
  fc.tuple(fc.bigInt(1n, 10n ** 30n), fc.integer({ min: -300, max: 200 })).map(([digits, tens]) => `${digits}e${tens}`),
);

/** Any value of a claim: what `parseClaims` makes of JSON. */
export const claimValue: fc.Arbitrary<ClaimValue> = fc
  .letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'claim' },
      fc.oneof(
        numberText,
        fc.constantFrom('null', 'true', 'false'),
        fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      ),
      fc.array(tie('json'), { maxLength: 3, depthIdentifier: 'claim' }).map((items) => `[${items.join(',')}]`),
      fc
        .dictionary(fc.oneof(fc.string(), fc.constantFrom('sub', 'iss', 'act', '__proto__')), tie('json'), {
          maxKeys: 3,
          depthIdentifier: 'claim',
        })
        .map((members) => `{${Object.entries(members).map(([name, json]) => `${JSON.stringify(name)}:${json}`)}}`),
    ),
  }))
  .json.map((json) => {
    const claims = parseClaims(`{"it":${json}}`);
    if (claims === null) throw new Error(`no claim: ${json}`);
    return claims['it'] as ClaimValue;
  });

/** Stands for a value that is made once for each token: values of all kinds are dear. */
const nonsense = Symbol('nonsense');

const often = <Value, Other>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other });
const orNonsense = <Value>(usual: fc.Arbitrary<Value>) => often(usual, fc.constant(nonsense));
/** Undefined: it is not there. */
const perhaps = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });
const seldom = <Value>(values: fc.Arbitrary<Value>) => often(fc.constant(undefined), values);

const scopeClaim = orNonsense(
  fc.oneof(
    some(fewScopes).map((scopes) => scopes.join(' ')),
    some([...fewScopes, 'read admin', 'a"b', '']),
  ),
);

const actClaim: fc.Arbitrary<Claims> = fc
  .array(fc.tuple(fc.constantFrom(...fewParties), fc.constantFrom(...fewIssuers, null)), { minLength: 1, maxLength: 5 })
  .map((actors) =>
    actors.reduce<Claims>(
      (act, [sub, iss]) => ({ sub, ...(iss === null ? {} : { iss }), ...('sub' in act ? { act } : {}) }),
      {},
    ),
  );

const mayActClaim = fc.record(
  { sub: fc.constant('svc'), iss: fc.constantFrom(...fewIssuers), client_id: fc.constantFrom('svc', 'web') },
  { requiredKeys: [] },
);

/** Any claim may be missing, and any of those that mean something may be nonsense. */
const claims: fc.Arbitrary<Claims> = fc
  .record({
    value: claimValue,
    scope: perhaps(scopeClaim),
    scp: seldom(scopeClaim),
    act: perhaps(orNonsense(actClaim)),
    may_act: seldom(orNonsense(mayActClaim)),
    cnf: seldom(fc.constant({})),
    aud: often(fc.constant('a'), some([...fewTargets, ...fewParties])),
    client_id: perhaps(fc.constantFrom(...fewParties, '', 'zwölf')),
    token_use: seldom(fc.constantFrom('access', 'id', 'Access')),
    typ: seldom(fc.constantFrom('Bearer', 'ID', 'bearer')),
    rest: fc.subarray(['roles', 'email', 'exp', 'nbf', 'iat', 'jti', 'nonce', 'azp', 'sid', '__proto__', 'x']),
  })
  .map(({ value, rest, ...named }) =>
    Object.fromEntries([
      ...rest.map((name) => [name, value] as const),
      ...Object.entries(named).flatMap(([name, claim]) =>
        claim === undefined ? [] : [[name, typeof claim === 'symbol' ? value : claim] as const],
      ),
    ]),
  );

const tokenOf = (kind: fc.Arbitrary<ExchangeTokenKind>): fc.Arbitrary<SecurityToken> =>
  fc
    .tuple(
      kind,
      fc.constantFrom(...fewIssuers, null),
      fc.constantFrom(...fewParties),
      claims,
      fc.integer({ min: -5_000, max: 9_000_000 }),
      fc.boolean(),
    )
    .map(([of, issuer, subject, said, leftMs, isTyped]) => ({
      kind: of,
      issuer,
      subject,
      claims: { ...said, ...(issuer === null ? {} : { iss: issuer }), sub: subject },
      expiresMs: exchangeNowMs + leftMs,
      isOwn: of !== 'saml2' && issuer === ownIssuer,
      isTypedForAccess: of !== 'saml2' && isTyped,
      oneTime: null,
    }));

/** Access tokens more often than others, for which no exchange may be allowed. */
export const anyToken = tokenOf(fc.constantFrom('access_token', 'access_token', ...tokenKinds));
/** Few for whom others act, and more of a kind that may be taken. */
export const anyActor = tokenOf(fc.constantFrom('access_token', 'access_token', 'access_token', ...tokenKinds)).map(
  (actor) => ({
    ...actor,
    claims: Object.fromEntries(
      Object.entries(actor.claims).filter(([name]) => name !== 'act' || actor.subject === 'job'),
    ),
  }),
);

export const anyPolicy: fc.Arbitrary<ExchangePolicy> = fc.record({
  issuer: fc.constant(ownIssuer),
  tokenTtlMs: fc.integer({ min: 1, max: 7_200 }).map((seconds) => seconds * 1000),
  limitLifetimeToSubject: fc.boolean(),
  maximumActors: fc.constantFrom(0, 1, 2, 4, 4, 4, 16, 16),
  claimsCopied: some(['roles', 'email', 'nonce', '__proto__', 'constructor', 'x', ...reservedClaims]),
  defaultAudience: orNull(fc.constantFrom('a', 'default')),
  allowedExchanges: often(
    fc
      .array(fc.record({ subjectKind: fc.constantFrom(...tokenKinds), issuedKind: fc.constantFrom(...issuedKinds) }), {
        maxLength: 3,
      })
      .map((more) => [...more, { subjectKind: 'access_token', issuedKind: 'access_token' } as const]),
    fc.constant([]),
  ),
  allowedAudiences: orNull(some(fewTargets).map((targets) => new Set(['a', ...targets]))),
  allowedScopes: orNull(some(fewScopes).map((scopes) => new Set(scopes))),
  clientId: orNull(fc.constantFrom(...fewParties)),
  acceptedAudiences: orNull(some([...fewTargets, ...fewParties]).map((parties) => new Set(parties))),
});

export const anyRequest = (
  subject: ExchangeTokenKind,
  actor: ExchangeTokenKind | null,
): fc.Arbitrary<ExchangeRequest> =>
  fc.record({
    subject: fc.constant({ kind: subject, token: 'subject' }),
    actor: fc.constant(actor === null ? null : { kind: actor, token: 'actor' }),
    requestedKind: often(fc.constantFrom(null, 'access_token' as const), fc.constant('jwt' as const)),
    audiences: fc.oneof(fc.constant([]), fc.constant(['a']), some(fewTargets)),
    resources: fc.oneof(fc.constant([]), fc.constant(['a']), some(fewTargets)),
    scopes: fc.oneof(fc.constant(null), some(['read', 'list']), some(fewScopes)),
  });

const allowing = (policy: ExchangePolicy, { kind }: SecurityToken): ExchangePolicy => ({
  ...policy,
  allowedExchanges: [...policy.allowedExchanges, { subjectKind: kind, issuedKind: 'access_token' }],
});

/** Any exchange: many are allowed, and every rule refuses some. */
export const anyExchange: fc.Arbitrary<VerifiedExchange> = fc
  .tuple(anyToken, orNull(anyActor), anyPolicy)
  .chain(([subject, actor, policy]) =>
    fc.record({
      request: anyRequest(subject.kind, actor?.kind ?? null),
      subject: fc.constant(subject),
      actor: fc.constant(actor),
      policy: often(fc.constant(allowing(policy, subject)), fc.constant(policy)),
      nowMs: fc.integer({ min: 0, max: 2_000 }).map((later) => exchangeNowMs + later),
      jti: fc.uuid(),
    }),
  );
