import { describe, expect, it } from 'vitest';
import { chooseKey, maximumKeys, readKeySet } from '../../../../../src/domain/agent/tokens/key-set.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';
import { formedJwk } from '../../../../support/agent/test-key-sets.js';

const read = (...keys: readonly JsonValue[]) => {
  const set = readKeySet({ keys });
  if (!set.ok) throw new Error(set.error);
  return { kids: set.value.keys.map(({ kid }) => kid), refused: set.value.refused };
};

describe('readKeySet', () => {
  it('reads the usable keys, and reports the others', () => {
    expect(read(formedJwk('one'), { kty: 'oct', kid: 'two', k: 'AAAA' }, formedJwk(null))).toEqual({
      kids: ['one', null],
      refused: [{ kid: 'two', reason: 'has secret members' }],
    });
  });

  it('skips members that are not keys', () => {
    expect(read(formedJwk('one'), 'two', null, [], { kid: 7 })).toMatchObject({
      kids: ['one'],
      refused: [{ kid: null }, { kid: null }, { kid: null }, { kid: null }],
    });
  });

  it('skips both keys with one kid and one algorithm', () => {
    expect(read(formedJwk('one', 'a'), formedJwk('two'), formedJwk('one', 'b'))).toEqual({
      kids: ['two'],
      refused: [
        { kid: 'one', reason: 'has the kid and the algorithm of another key' },
        { kid: 'one', reason: 'has the kid and the algorithm of another key' },
      ],
    });
  });

  it('merges identical keys, and keeps one kid with two algorithms as two keys', () => {
    expect(read(formedJwk('one'), { ...formedJwk('one'), use: 'sig' })).toEqual({ kids: ['one'], refused: [] });
    expect(read(formedJwk('one'), { kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'one' }).kids).toEqual(['one', 'one']);
  });

  it.each<[string, JsonValue]>([
    ['null', null],
    ['a list', [formedJwk('one')]],
    ['text', 'keys'],
    ['one key', formedJwk('one')],
    ['an object whose keys are no list', { keys: { one: formedJwk('one') } }],
    ['an error', { error: 'not_found' }],
  ])('refuses %s as a set', (_, json) => {
    expect(readKeySet(json)).toEqual({ ok: false, error: 'is not a JWK set' });
  });

  it.each<[string, JsonValue[]]>([
    ['nothing', []],
    ['nothing that has the form of a key', [{}, 'one', null, { kid: 'one' }, { kty: 7 }]],
  ])('refuses the set %s', (_, keys) => {
    expect(readKeySet({ keys })).toEqual({ ok: false, error: 'has no key' });
  });

  it('reads a set without usable keys', () => {
    expect(read({ kty: 'AKP', kid: 'one', alg: 'ML-DSA-44' })).toMatchObject({ kids: [], refused: [{ kid: 'one' }] });
  });

  it('treats a key for EdDSA and for Ed25519 as one key', () => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'one' };
    expect(read({ ...key, alg: 'EdDSA' }, { ...key, alg: 'Ed25519' })).toEqual({ kids: ['one'], refused: [] });
  });

  it('refuses a set with more keys than any provider has', () => {
    const keys = Array.from({ length: maximumKeys + 1 }, (_, index) => formedJwk(`key-${index}`));
    expect(readKeySet({ keys }).ok).toBe(false);
    expect(read(...keys.slice(1)).kids).toHaveLength(maximumKeys);
  });
});

describe('chooseKey', () => {
  const key = (kid: string | null, algorithm = 'ES256') => ({ kid, algorithm });

  it('chooses the key of the kid, and no key of another algorithm', () => {
    const keys = [key('one'), key('two'), key('one', 'RS256')];
    expect(chooseKey(keys, 'one', 'ES256')).toBe(keys[0]);
    expect(chooseKey(keys, 'one', 'RS256')).toBe(keys[2]);
    expect(chooseKey(keys, 'two', 'RS256')).toBeNull();
    expect(chooseKey(keys, 'two', 'none')).toBeNull();
    expect(chooseKey(keys, '', 'ES256')).toBeNull();
  });

  it('chooses the only key of the algorithm if the token has no kid', () => {
    const keys = [key('one'), key('two', 'RS256'), key(null, 'ES384'), key('three', 'PS256'), key('four', 'PS256')];
    expect(chooseKey(keys, null, 'ES256')).toBe(keys[0]);
    expect(chooseKey(keys, null, 'ES384')).toBe(keys[2]);
    expect(chooseKey(keys, null, 'PS256')).toBeNull();
    expect(chooseKey(keys, null, 'EdDSA')).toBeNull();
  });

  it('does not choose a key without kid for a token with one', () => {
    expect(chooseKey([key(null)], 'one', 'ES256')).toBeNull();
  });
});
