import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantExchange } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ExchangeGrant, ExchangePolicy } from '../../../../../src/domain/agent/token-exchange/exchange-policy.js';
import { issuedKinds, type SecurityToken } from '../../../../../src/domain/agent/token-exchange/security-token.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { exchangeNowMs } from '../../../../support/agent/asked-exchange.js';
import { anyActor, anyPolicy, anyRequest, anyToken } from '../../../../support/agent/exchange-arbitraries.js';

/** An issued token as it is when somebody shows it again: all of it is read from its claims. */
const shownAgain = (grant: ExchangeGrant): SecurityToken => {
  const claims = parseClaims(grant.payload);
  if (claims === null) throw new Error(`no claims: ${grant.payload}`);
  const { iss, sub, exp } = claims;
  return {
    kind: grant.issuedKind,
    issuer: String(iss),
    subject: String(sub),
    claims,
    expiresMs: Number(exp) * 1000,
    isOwn: true,
    isTypedForAccess: grant.type === 'at+jwt',
    oneTime: null,
  };
};

/** One exchange of a chain; every client has rules of its own, and time goes by. */
const anyStep = fc
  .tuple(anyPolicy, fc.option(anyActor, { freq: 2 }), fc.constantFrom(...issuedKinds))
  .chain(([policy, actor, issuedKind]) =>
    fc.record({
      policy: fc.constant({ ...policy, acceptedAudiences: null, allowedAudiences: null }),
      actor: fc.constant(actor),
      issuedKind: fc.constant(issuedKind),
      request: anyRequest(issuedKind, actor?.kind ?? null),
      afterMs: fc.integer({ min: 0, max: 400_000 }),
    }),
  );

interface Exchanged {
  readonly subject: SecurityToken;
  readonly policy: ExchangePolicy;
  readonly grant: ExchangeGrant;
}

const chain = fc.tuple(anyToken, fc.array(anyStep, { minLength: 2, maxLength: 6 })).map(([first, steps]) => {
  const exchanged: Exchanged[] = [];
  let subject = first;
  let nowMs = exchangeNowMs;
  for (const { policy, actor, issuedKind, request, afterMs } of steps) {
    nowMs += afterMs;
    const granted = grantExchange({
      request: { ...request, subject: { kind: subject.kind, token: 'subject' }, requestedKind: null },
      subject,
      actor,
      policy: { ...policy, allowedExchanges: [{ subjectKind: subject.kind, issuedKind }] },
      nowMs,
      jti: `jti-${exchanged.length}`,
    });
    // Whoever is refused tries again with another request.
    if (!granted.ok) continue;
    exchanged.push({ subject, policy, grant: granted.value });
    subject = shownAgain(granted.value);
  }
  return exchanged;
});

/** Runs `check` on each exchange of a chain after the first, with the first. */
const onChains = (check: (later: Exchanged, first: Exchanged) => void): void => {
  let count = 0;
  fc.assert(
    fc.property(chain, ([first, ...later]) => {
      for (const exchanged of later) {
        count += 1;
        check(exchanged, first as Exchanged);
      }
    }),
    { numRuns: 150 },
  );
  // Chains are drawn at random, and many end at their first exchange.
  expect(count).toBeGreaterThan(3);
};

describe('a chain of exchanges', () => {
  it('never extends the lifetime of our own token', () => {
    onChains(({ subject, grant }, first) => {
      const expiresMs = shownAgain(grant).expiresMs;
      expect(expiresMs).toBeLessThanOrEqual(subject.expiresMs);
      expect(expiresMs).toBeLessThanOrEqual(shownAgain(first.grant).expiresMs);
    });
  });

  it('never adds a scope that the previous token did not have', () => {
    onChains(({ subject, grant }, first) => {
      const held = String(subject.claims['scope'] ?? '').split(' ');
      expect(held).toEqual(expect.arrayContaining([...grant.scopes]));
      expect(first.grant.scopes).toEqual(expect.arrayContaining([...grant.scopes]));
    });
  });

  it('never drops or invents an actor, and has a maximum length', () => {
    onChains(({ subject, policy, grant }, first) => {
      const before = first.grant.actors;
      expect(before.length === 0 ? [] : grant.actors.slice(-before.length)).toEqual(before);
      expect(grant.actors.length).toBeLessThanOrEqual(policy.maximumActors);
      expect(grant.subject).toBe(first.subject.subject);
      expect(subject.isOwn).toBe(true);
    });
  });
});
