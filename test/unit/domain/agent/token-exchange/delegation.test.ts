import { describe, expect, it } from 'vitest';
import { actClaim, actorChain } from '../../../../../src/domain/agent/token-exchange/delegation.js';
import type { Actor } from '../../../../../src/domain/agent/token-exchange/exchange-policy.js';
import type { Claims, ClaimValue } from '../../../../../src/domain/agent/tokens/claims.js';
import { foreignIssuer, ownIssuer, ownToken, verifiedToken } from '../../../../support/agent/asked-exchange.js';

const subjectOf = (act: ClaimValue) => verifiedToken({ act });
const service = verifiedToken({}, { subject: 'svc-b', issuer: 'https://services.example' });
const error = (reason: string) => ({ ok: false, error: reason });
const chain = (value: readonly Actor[]) => ({ ok: true, value });
const nested = (depth: number): Claims => (depth === 1 ? { sub: 'a1' } : { sub: `a${depth}`, act: nested(depth - 1) });

describe('actorChain', () => {
  it('is empty without an actor', () => {
    expect(actorChain(verifiedToken(), null, 0)).toEqual(chain([]));
  });

  it("puts the actor token's party before prior actors", () => {
    const subject = subjectOf({ sub: 'svc-a', iss: 'https://a.example', act: { sub: 'web' } });
    expect(actorChain(subject, service, 3)).toEqual(
      chain([
        { issuer: 'https://services.example', subject: 'svc-b' },
        { issuer: 'https://a.example', subject: 'svc-a' },
        { issuer: foreignIssuer, subject: 'web' },
      ]),
    );
  });

  it('is unchanged without an actor token', () => {
    const subject = subjectOf({ iss: 'https://a.example', sub: 'svc-a', exp: 1, admin: true });
    expect(actorChain(subject, null, 1)).toEqual(chain([{ issuer: 'https://a.example', subject: 'svc-a' }]));
  });

  it('does not treat an actor without a known issuer as ours', () => {
    expect(actorChain(ownToken({ act: { sub: 'svc-a' } }), null, 4)).toEqual(
      chain([{ issuer: null, subject: 'svc-a' }]),
    );
  });

  it('reads no actor from an attribute of an assertion', () => {
    const subject = verifiedToken({ act: 'admin' }, { kind: 'saml2' });
    expect(actorChain(subject, verifiedToken({ act: 'admin' }, { kind: 'saml2' }), 4)).toMatchObject({ ok: true });
  });

  it.each<[string, ClaimValue]>([
    ['a text', 'svc-a'],
    ['null', null],
    ['a list', [{ sub: 'svc-a' }]],
    ['nobody', {}],
    ['no text for a subject', { sub: 7 }],
    ['an empty subject', { sub: '' }],
    ['a subject with white space around it', { sub: ' svc-a' }],
    ['half a surrogate pair', { sub: 'a\ud800' }],
    ['no text for an issuer', { sub: 'svc-a', iss: null }],
    ['an empty issuer', { sub: 'svc-a', iss: '' }],
    ['half a surrogate pair for an issuer', { sub: 'svc-a', iss: '\udc00' }],
    ['a broken one within a good one', { sub: 'svc-a', act: { iss: foreignIssuer } }],
    ['null within a good one', { sub: 'svc-a', act: null }],
  ])('refuses %s as an actor', (_, act) => {
    expect(actorChain(subjectOf(act), null, 16)).toEqual(error('malformed_act'));
    expect(actorChain(subjectOf(act), service, 16)).toEqual(error('malformed_act'));
  });

  it.each([{ sub: 'svc-a' }, null, 'x'])('refuses an actor that itself has an actor: %o', (act) => {
    expect(actorChain(verifiedToken(), verifiedToken({ act }), 4)).toEqual(error('delegated_actor_token'));
  });

  it('never exceeds the allowed length, from any source', () => {
    expect(actorChain(subjectOf(nested(2)), null, 2).ok).toBe(true);
    expect(actorChain(subjectOf(nested(3)), null, 2)).toEqual(error('too_many_actors'));
    expect(actorChain(subjectOf(nested(2)), service, 2)).toEqual(error('too_many_actors'));
    expect(actorChain(verifiedToken(), service, 0)).toEqual(error('too_many_actors'));
    expect(actorChain(subjectOf(nested(1)), null, 0)).toEqual(error('too_many_actors'));
  });

  it('reads at most sixteen actors', () => {
    expect(actorChain(subjectOf(nested(16)), null, 99)).toMatchObject({ ok: true });
    expect(actorChain(subjectOf(nested(17)), null, 99)).toEqual(error('too_many_actors'));
  });
});

describe('actClaim', () => {
  it('nests prior actors in the current one', () => {
    const actors = [
      { issuer: ownIssuer, subject: 'b' },
      { issuer: null, subject: 'a' },
      { issuer: foreignIssuer, subject: 'web' },
    ];
    expect(actClaim(actors)).toEqual({
      iss: ownIssuer,
      sub: 'b',
      act: { sub: 'a', act: { iss: foreignIssuer, sub: 'web' } },
    });
    expect(actClaim([])).toBeNull();
  });
});
