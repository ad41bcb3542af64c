import { describe, expect, it } from 'vitest';
import { mayActFault } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import { type Claims, type ClaimValue, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { foreignIssuer, openPolicy, ownIssuer, verifiedToken } from '../../../../support/agent/asked-exchange.js';

const subjectOf = (mayAct: ClaimValue) => verifiedToken({ may_act: mayAct });
const actorClaims = {
  iss: foreignIssuer,
  sub: 'svc',
  client_id: 'svc-client',
  email: 'svc@example.com',
  email_verified: true,
  groups: ['a', { b: 9007199254740993n }],
};
const actor = verifiedToken(actorClaims, { subject: 'svc' });
const stranger = verifiedToken(
  { ...actorClaims, iss: 'https://evil.example' },
  { subject: 'svc', issuer: 'https://evil.example' },
);
const anonymous = openPolicy();
const client = openPolicy({ clientId: 'svc' });

describe('mayActFault', () => {
  it('is null if the token has no may_act', () => {
    expect(mayActFault(verifiedToken(), actor, anonymous)).toBeNull();
    expect(mayActFault(verifiedToken(), null, anonymous)).toBeNull();
    expect(mayActFault(verifiedToken({ may_act: 'x' }, { kind: 'saml2' }), null, anonymous)).toBeNull();
  });

  it.each<ClaimValue>([{}, [], [{ sub: 'svc' }], 'svc', null, true, 7, new SpelledNumber('1e-400')])(
    'refuses the unreadable %o',
    (mayAct) => {
      expect(mayActFault(subjectOf(mayAct), actor, client)).toBe('malformed_act');
      expect(mayActFault(subjectOf(mayAct), null, client)).toBe('malformed_act');
    },
  );
});

describe('may_act with an actor token', () => {
  it.each<Claims>([
    { sub: 'svc' },
    { sub: 'svc', iss: foreignIssuer },
    { client_id: 'svc-client' },
    { sub: 'svc', email: 'svc@example.com', iss: foreignIssuer },
    { sub: 'svc', groups: ['a', { b: 9007199254740993n }] },
  ])('allows the named party: %o', (mayAct) => {
    expect(mayActFault(subjectOf(mayAct), actor, anonymous)).toBeNull();
    // Whoever sends it.
    expect(mayActFault(subjectOf(mayAct), actor, openPolicy({ clientId: 'other' }))).toBeNull();
  });

  it.each<[string, Claims]>([
    ['another subject', { sub: 'other' }],
    ['the same subject in other words', { sub: ['svc'] }],
    ['another client', { sub: 'svc', client_id: 'other' }],
    ['a member that the actor does not have', { sub: 'svc', azp: 'svc-client' }],
    ['a null where the actor has nothing', { sub: 'svc', azp: null }],
    ['another issuer', { sub: 'svc', iss: ownIssuer }],
    ['no issuer', { sub: 'svc', iss: null }],
    ['several issuers', { sub: 'svc', iss: [foreignIssuer] }],
    ['everybody of the issuer', { iss: foreignIssuer }],
    ['whoever has an address', { email: 'svc@example.com', iss: foreignIssuer }],
    ['another address', { sub: 'svc', email: 'boss@example.com' }],
    ['everybody of a group', { groups: ['a', { b: 9007199254740993n }] }],
    ['a group with a number next to it', { sub: 'svc', groups: ['a', { b: 9007199254740992 }] }],
    ['a member of every object', { sub: 'svc', constructor: 'Object' }],
    ['a validity of its own', { sub: 'svc', exp: 1_900_000_000 }],
  ])('refuses the actor for %s', (_, mayAct) => {
    expect(mayActFault(subjectOf(mayAct), actor, anonymous)).toBe('actor_not_allowed');
    // The client that sends the actor token is not the party.
    expect(mayActFault(subjectOf(mayAct), actor, client)).toBe('actor_not_allowed');
  });

  it('distinguishes parties of one name with different issuers', () => {
    expect(mayActFault(subjectOf({ sub: 'svc' }), stranger, anonymous)).toBe('actor_not_allowed');
    expect(mayActFault(subjectOf({ sub: 'svc', iss: 'https://evil.example' }), stranger, anonymous)).toBeNull();
  });

  it('does not treat an unknown issuer as the named one', () => {
    const unknown = verifiedToken(actorClaims, { subject: 'svc', issuer: null });
    expect(mayActFault(subjectOf({ sub: 'svc', iss: null }), unknown, anonymous)).toBe('actor_not_allowed');
    expect(mayActFault(subjectOf({ sub: 'svc' }), unknown, anonymous)).toBe('actor_not_allowed');
  });

  it.each<[string, Claims]>([
    ['not verified', { email_verified: false }],
    ['not known to be verified', {}],
    ['verified in other words', { email_verified: 'true' }],
  ])('ignores an address that is %s', (_, said) => {
    const { email_verified: _verified, ...claims } = actorClaims;
    const unsure = verifiedToken({ ...claims, ...said }, { subject: 'svc' });
    expect(mayActFault(subjectOf({ sub: 'svc', email: 'svc@example.com' }), unsure, anonymous)).toBe(
      'actor_not_allowed',
    );
    expect(mayActFault(subjectOf({ sub: 'svc' }), unsure, anonymous)).toBeNull();
  });

  it("compares the actor's subject, not its claim of that name", () => {
    const actor = verifiedToken({ sub: 'boss' }, { subject: 'svc' });
    expect(mayActFault(subjectOf({ sub: 'boss' }), actor, anonymous)).toBe('actor_not_allowed');
    expect(mayActFault(subjectOf({ sub: 'svc' }), actor, anonymous)).toBeNull();
  });

  it('does not treat an attribute of an assertion as a claim', () => {
    const attributes = { client_id: 'svc-client', azp: 'svc-client', email: 'svc@example.com', email_verified: true };
    const assertion = verifiedToken(attributes, { kind: 'saml2', subject: 'svc' });
    for (const [name, value] of Object.entries(attributes)) {
      expect(mayActFault(subjectOf({ sub: 'svc', [name]: value }), assertion, anonymous)).toBe('actor_not_allowed');
      expect(mayActFault(subjectOf({ [name]: value }), assertion, anonymous)).toBe('actor_not_allowed');
    }
    expect(mayActFault(subjectOf({ sub: 'svc', iss: foreignIssuer }), assertion, anonymous)).toBeNull();
  });
});

describe('may_act without an actor token', () => {
  it.each<Claims>([{ client_id: 'svc' }, { sub: 'svc' }, { sub: 'svc', client_id: 'svc', iss: ownIssuer }])(
    'allows the named client: %o',
    (mayAct) => {
      expect(mayActFault(subjectOf(mayAct), null, client)).toBeNull();
    },
  );

  it.each<Claims>([
    { client_id: 'other' },
    { sub: 'svc', client_id: 'other' },
    { sub: 'svc', iss: foreignIssuer },
    { sub: 'svc', iss: null },
    { iss: ownIssuer },
    { azp: 'svc' },
    { sub: 'svc', email: 'svc@example.com' },
    { sub: 'svc', exp: 1_900_000_000 },
    { sub: null },
  ])('refuses a client by %o', (mayAct) => {
    expect(mayActFault(subjectOf(mayAct), null, client)).toBe('actor_not_allowed');
  });

  it('refuses everything if the client is unknown', () => {
    for (const mayAct of [{ client_id: 'svc' }, { sub: 'svc' }, { client_id: null }]) {
      expect(mayActFault(subjectOf(mayAct), null, anonymous)).toBe('actor_not_allowed');
    }
  });
});
