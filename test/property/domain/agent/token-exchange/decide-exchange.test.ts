import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  grantExchange,
  requestFault,
  type VerifiedExchange,
} from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ExchangeGrant } from '../../../../../src/domain/agent/token-exchange/exchange-policy.js';
import { type Claims, type ClaimValue, isClaims } from '../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { anyExchange } from '../../../../support/agent/exchange-arbitraries.js';
import { naiveExchange } from '../../../../support/agent/naive-exchange.js';

/** Claims that a token of ours can have of itself; whatever else it has is copied. */
const issuedNames = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'client_id', 'scope', 'act'];
/** Claims that would say of the issued token what holds for another one. */
const foreignNames = ['scp', 'azp', 'may_act', 'cnf', 'nonce', 'sid', 'events', 'token_use', 'typ', 'at_hash'];

const depthOf = (act: ClaimValue | undefined): number => (isClaims(act) ? 1 + depthOf(act['act']) : 0);

const claimsOf = (grant: ExchangeGrant): Claims => {
  const claims = parseClaims(grant.payload);
  if (claims === null) throw new Error(`no claims: ${grant.payload}`);
  return claims;
};

/** Runs `check` on exchanges that are granted, and sees to it that there are enough of them to say something. */
const onGranted = (
  check: (asked: VerifiedExchange, grant: ExchangeGrant, claims: Claims) => void,
  numRuns = 300,
): void => {
  let count = 0;
  fc.assert(
    fc.property(anyExchange, (asked) => {
      const granted = grantExchange(asked);
      if (!granted.ok) return;
      count += 1;
      check(asked, granted.value, claimsOf(granted.value));
    }),
    { numRuns },
  );
  expect(count).toBeGreaterThan(numRuns / 20);
};

describe('an issued token', () => {
  it('never has more scope than the subject token and the configuration allow, nor than requested', () => {
    onGranted(({ request, subject, policy }, grant, claims) => {
      const { scopes } = grant;
      expect(claims['scope']).toBe(scopes.length === 0 ? undefined : scopes.join(' '));
      const issued = typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : [];
      if (policy.allowedScopes !== null) expect([...policy.allowedScopes]).toEqual(expect.arrayContaining(issued));
      if (request.scopes !== null) expect(issued.toSorted()).toEqual(request.scopes.toSorted());
      const said = subject.kind === 'saml2' ? [] : [subject.claims['scope'], subject.claims['scp']];
      const isForAccess =
        subject.isOwn ||
        subject.isTypedForAccess ||
        subject.kind === 'access_token' ||
        Object.hasOwn(subject.claims, 'client_id') ||
        subject.claims['token_use'] === 'access' ||
        subject.claims['typ'] === 'Bearer';
      const isUnsaid = said.every((value) => value === undefined) && (subject.kind === 'saml2' || !isForAccess);
      for (const scope of issued) {
        const isHeld = said.some((value) =>
          typeof value === 'string'
            ? ` ${value} `.includes(` ${scope} `)
            : Array.isArray(value) && value.includes(scope),
        );
        expect(isHeld || (isUnsaid && policy.allowedScopes !== null && request.scopes !== null)).toBe(true);
      }
    });
  });

  it('has only requested and allowed audiences, or the default audience', () => {
    onGranted(({ request, policy }, grant, claims) => {
      const { aud } = claims;
      const issued = Array.isArray(aud) ? aud : [aud];
      expect(issued).toEqual(grant.audiences);
      const named = [...request.audiences, ...request.resources];
      if (named.length === 0) expect(issued).toEqual([policy.defaultAudience ?? policy.issuer]);
      else {
        expect(new Set(issued)).toEqual(new Set(named));
        expect([...(policy.allowedAudiences ?? named)]).toEqual(expect.arrayContaining(issued));
      }
    });
  });

  it('never outlives the configured lifetime, nor its subject token where that applies', () => {
    onGranted(({ subject, policy, nowMs }, grant, claims) => {
      const [expires, issuedAt] = [Number(claims['exp']), Number(claims['iat'])];
      expect(issuedAt).toBe(Math.floor(nowMs / 1000));
      expect(claims['nbf']).toBe(issuedAt);
      expect(expires - issuedAt).toBe(grant.lifetimeSecs);
      expect(grant.lifetimeSecs).toBeGreaterThanOrEqual(1);
      expect(grant.lifetimeSecs * 1000).toBeLessThanOrEqual(policy.tokenTtlMs);
      if (policy.limitLifetimeToSubject || subject.isOwn) expect(expires * 1000).toBeLessThanOrEqual(subject.expiresMs);
    });
  });

  it('never has more actors than configured, and loses none', () => {
    onGranted(({ subject, actor, policy }, grant, claims) => {
      const before = subject.kind === 'saml2' ? 0 : depthOf(subject.claims['act']);
      expect(depthOf(claims['act'])).toBe(grant.actors.length);
      expect(grant.actors.length).toBe(before + (actor === null ? 0 : 1));
      expect(grant.actors.length).toBeLessThanOrEqual(policy.maximumActors);
      if (actor !== null) expect(claims['act']).toMatchObject({ sub: actor.subject });
    });
  });

  it('keeps the claims set here over any copied claims', () => {
    onGranted(({ subject, policy, jti }, grant, claims) => {
      expect(claims).toMatchObject({ iss: policy.issuer, sub: subject.subject, jti, client_id: grant.clientId });
      if (policy.clientId !== null) expect(grant.clientId).toBe(policy.clientId);
      for (const name of foreignNames) expect(Object.hasOwn(claims, name)).toBe(false);
      for (const name of Object.keys(claims).filter((key) => !issuedNames.includes(key))) {
        expect(policy.claimsCopied).toContain(name);
        expect(Object.getOwnPropertyDescriptor(claims, name)?.value).toEqual(
          Object.getOwnPropertyDescriptor(subject.claims, name)?.value,
        );
      }
    });
  });

  it('is never issued for an expired token, nor for an actor of a refused type', () => {
    onGranted(({ subject, actor, policy, nowMs }) => {
      for (const token of [subject, ...(actor === null ? [] : [actor])]) {
        expect(token.expiresMs).toBeGreaterThan(nowMs);
        expect(policy.allowedExchanges.map(({ subjectKind }) => subjectKind)).toContain(token.kind);
      }
    });
  });

  it('has a type that is allowed for its subject token and was requested', () => {
    onGranted(({ request, subject, policy }, { issuedKind, type }) => {
      expect(policy.allowedExchanges).toContainEqual({ subjectKind: subject.kind, issuedKind });
      expect(request.requestedKind ?? issuedKind).toBe(issuedKind);
      expect(type).toBe(issuedKind === 'access_token' ? 'at+jwt' : 'JWT');
    });
  });

  it('is never issued for a token bound to a key, nor for our own token meant for others', () => {
    onGranted(({ subject, actor, policy: { acceptedAudiences } }) => {
      for (const token of [subject, actor]) {
        if (token === null || token.kind === 'saml2') continue;
        expect(token.claims).not.toHaveProperty('cnf');
        if (!token.isOwn || acceptedAudiences === null) continue;
        const { aud } = token.claims;
        expect([...acceptedAudiences].some((name) => aud === name || (Array.isArray(aud) && aud.includes(name)))).toBe(
          true,
        );
      }
    });
  });
});

describe('an exchange', () => {
  it('has the scope and audience that the RFCs prescribe, or is refused', () => {
    let [granted, scopeRefused, targetRefused] = [0, 0, 0];
    fc.assert(
      fc.property(anyExchange, (asked) => {
        const expected = naiveExchange(asked.request, asked.subject, asked.policy);
        const decided = grantExchange(asked);
        if (decided.ok) {
          granted += 1;
          expect(decided.value.scopes.toSorted().join(' ')).toBe(expected.scope);
          expect(decided.value.audiences.toSorted().join(' ')).toBe(expected.audience);
        } else if (decided.error === 'scope_not_allowed') {
          scopeRefused += 1;
          expect(expected.scope).toBe('refused');
        } else if (decided.error === 'target_not_allowed') {
          targetRefused += 1;
          expect(expected.audience).toBe('refused');
        }
      }),
      { numRuns: 800 },
    );
    for (const count of [granted, scopeRefused, targetRefused]) expect(count).toBeGreaterThan(20);
  });

  it('is never refused early for something that the rules would grant', () => {
    fc.assert(
      fc.property(anyExchange, (asked) => {
        const fault = requestFault(asked.request, asked.policy);
        const decided = grantExchange(asked);
        if (fault !== null) expect(decided).toEqual({ ok: false, error: fault });
      }),
      { numRuns: 300 },
    );
  });
});
