import { describe, expect, it } from 'vitest';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';
import { isMarkedAsAccessToken, isMarkedOtherwise } from '../../../../../src/domain/agent/tokens/token-marks.js';

describe('isMarkedOtherwise', () => {
  it.each<[string, Claims, { readonly access: boolean; readonly id: boolean }]>([
    ['nothing', {}, { access: false, id: false }],
    // Some providers have it in access tokens as well.
    ['a nonce', { nonce: 'n' }, { access: false, id: false }],
    ['the hash of an access token', { at_hash: 'h' }, { access: true, id: false }],
    ['the hash of a code', { c_hash: null }, { access: true, id: false }],
    ['token_use id', { token_use: 'id' }, { access: true, id: false }],
    ['token_use access', { token_use: 'access' }, { access: false, id: true }],
    ['typ ID', { typ: 'ID' }, { access: true, id: false }],
    ['typ Bearer', { typ: 'Bearer' }, { access: false, id: true }],
    ['typ DPoP', { typ: 'DPoP' }, { access: false, id: true }],
    ['a scope', { scope: '' }, { access: false, id: true }],
    ['scopes in a list', { scp: [] }, { access: false, id: true }],
    ['a client', { client_id: null }, { access: false, id: true }],
    ['a typ of its own', { typ: 'invoice' }, { access: false, id: false }],
    ['events', { events: {} }, { access: true, id: true }],
    ['a hash that an object has by nature', Object.create({ at_hash: 'h' }) as Claims, { access: false, id: false }],
  ])('is true for %s', (_, claims, marked) => {
    expect({ access: isMarkedOtherwise(claims, 'access'), id: isMarkedOtherwise(claims, 'id') }).toEqual(marked);
  });
});

describe('isMarkedAsAccessToken', () => {
  it.each<[string, Claims, boolean]>([
    ['nothing', {}, false],
    ['a scope', { scope: '' }, true],
    ['scopes in a list', { scp: [] }, true],
    ['a client', { client_id: null }, true],
    ['token_use access', { token_use: 'access' }, true],
    ['token_use id', { token_use: 'id' }, false],
    ['typ Bearer', { typ: 'Bearer' }, true],
    ['typ DPoP', { typ: 'DPoP' }, true],
    ['typ ID', { typ: 'ID' }, false],
    ['a scope that an object has by nature', Object.create({ scope: 'read' }) as Claims, false],
  ])('is true for %s', (_, claims, isOne) => {
    expect(isMarkedAsAccessToken(claims)).toBe(isOne);
  });
});
