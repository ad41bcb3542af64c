import { describe, expect, it } from 'vitest';
import { heldScopes, narrowScopes } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';
import { ownToken, verifiedToken } from '../../../../support/agent/asked-exchange.js';

describe('heldScopes', () => {
  it.each<[string, Claims, readonly string[]]>([
    ['text in scope', { scope: 'read write' }, ['read', 'write']],
    ['a list in scp', { scp: ['read', 'write'] }, ['read', 'write']],
    ['both', { scope: 'read', scp: ['write', 'read'] }, ['read', 'write']],
    ['superfluous spaces', { scope: '  read   ' }, ['read']],
    ['nothing in it', { scope: '' }, []],
    ['a null', { scope: null }, []],
    ['something else than scopes', { scp: { read: true } }, []],
    ['a number', { scope: 7n }, []],
  ])('reads scopes from %s', (_, claims, held) => {
    expect(heldScopes(verifiedToken(claims))).toEqual(held);
  });

  it('skips values that would read as another scope, or two, in a text', () => {
    const scp = ['read write', 'a"b', 'a\\b', 'tab\tbed', 'zwölf', '', 'line\nbreak', 'fine'];
    expect(heldScopes(verifiedToken({ scp }))).toEqual(['fine']);
  });

  it.each(['jwt', 'id_token', 'saml2'] as const)(
    'distinguishes a %s without scope claims from one with empty scopes',
    (kind) => {
      expect(heldScopes(verifiedToken({ sub: 'ann' }, { kind }))).toBeNull();
      if (kind !== 'saml2') expect(heldScopes(verifiedToken({ scope: '' }, { kind }))).toEqual([]);
    },
  );

  it('treats an access token without a scope as one with no scopes, for any issuer', () => {
    expect(heldScopes(verifiedToken())).toEqual([]);
    expect(heldScopes(verifiedToken({ client_id: 'web' }))).toEqual([]);
  });

  it.each<[string, Claims]>([
    ['the client that it was issued to', { client_id: 'web' }],
    ['a client without a name', { client_id: '' }],
    ["Amazon Cognito's token_use", { token_use: 'access' }],
    ["Keycloak's typ", { typ: 'Bearer', azp: 'web' }],
    ['a list that is empty', { scp: [] }],
  ])('treats a token with %s as an access token, for any declared type', (_, claims) => {
    for (const kind of ['jwt', 'id_token'] as const) expect(heldScopes(verifiedToken(claims, { kind }))).toEqual([]);
    // An attribute is no claim.
    expect(heldScopes(verifiedToken(claims, { kind: 'saml2' }))).toBeNull();
  });

  it('treats a token with an access token header as one, for any declared type', () => {
    const isTypedForAccess = true;
    expect(heldScopes(verifiedToken({}, { kind: 'jwt', isTypedForAccess }))).toEqual([]);
    expect(heldScopes(verifiedToken({ scope: 'read' }, { kind: 'jwt', isTypedForAccess }))).toEqual(['read']);
  });

  it.each<[string, Claims]>([
    ['token_use', { token_use: 'id' }],
    ['typ', { typ: 'JWT' }],
    ['azp', { azp: 'web' }],
  ])('does not treat another value of %s as an access token mark', (_, claims) => {
    expect(heldScopes(verifiedToken(claims, { kind: 'jwt' }))).toBeNull();
  });

  it('treats our own token without a scope as one with no scopes', () => {
    expect(heldScopes(ownToken({}, { kind: 'jwt' }))).toEqual([]);
  });

  it('reads no scope from an attribute of an assertion', () => {
    expect(heldScopes(verifiedToken({ scope: 'admin', scp: ['admin'] }, { kind: 'saml2' }))).toBeNull();
  });
});

describe('narrowScopes', () => {
  type Scopes = readonly string[] | null;
  const held = ['read', 'write', 'list'];
  it.each<[string, Scopes, Scopes, Scopes, Scopes]>([
    ['what is asked for, in its order', ['write', 'read'], held, null, ['write', 'read']],
    ['all that is held where nothing is asked for', null, held, null, held],
    ['what is allowed of that', null, held, ['list', 'admin', 'read'], ['read', 'list']],
    ['nothing where nothing of it is allowed', null, held, ['admin'], []],
    ['what is allowed where the token does not say', ['admin'], null, ['admin', 'read'], ['admin']],
    ['nothing without being asked where the token does not say', null, null, ['admin'], []],
    ['nothing where none is known at all', null, null, null, []],
    ['each scope once', ['read', 'read'], held, null, ['read']],
  ])('grants %s', (_, asked, of, allowed, granted) => {
    expect(narrowScopes(asked, of, allowed && new Set(allowed))).toEqual(granted);
  });

  it.each<[string, Scopes, Scopes, Scopes]>([
    ['that is not held', ['read', 'admin'], held, null],
    ['that is not held, though allowed', ['admin'], held, ['admin']],
    ['that is held, and not allowed', ['read', 'write'], held, ['read']],
    ['of a token that has none', ['read'], [], ['read']],
    ['where the token does not say, and none is allowed', ['read'], null, []],
    ['where the token does not say, and none is named', ['read'], null, null],
    ['in another case', ['Read'], held, null],
  ])('refuses a scope %s', (_, asked, of, allowed) => {
    expect(narrowScopes(asked, of, allowed && new Set(allowed))).toBeNull();
  });
});
