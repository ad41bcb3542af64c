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
  it('reads the keys that can be used, and says which cannot', () => {
    expect(read(formedJwk('one'), { kty: 'oct', kid: 'two', k: 'AAAA' }, formedJwk(null))).toEqual({
      kids: ['one', null],
      refused: [{ kid: 'two', reason: 'has secret members' }],
    });
  });

  it('does without the members that are no keys', () => {
    expect(read(formedJwk('one'), 'two', null, [], { kid: 7 })).toMatchObject({
      kids: ['one'],
      refused: [{ kid: null }, { kid: null }, { kid: null }, { kid: null }],
    });
  });

  it('uses neither of two keys with one kid and one algorithm', () => {
    expect(read(formedJwk('one', 'a'), formedJwk('two'), formedJwk('one', 'b'))).toEqual({
      kids: ['two'],
      refused: [
        { kid: 'one', reason: 'has the kid and the algorithm of another key' },
        { kid: 'one', reason: 'has the kid and the algorithm of another key' },
      ],
    });
  });

  it('takes one key that stands there twice for one, and one kid with two algorithms for two keys', () => {
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
  ])('takes no %s for a set', (_, json) => {
    expect(readKeySet(json)).toEqual({ ok: false, error: 'is not a JWK set' });
  });

  it.each<[string, JsonValue[]]>([
    ['nothing', []],
    ['nothing that has the form of a key', [{}, 'one', null, { kid: 'one' }, { kty: 7 }]],
  ])('takes %s for no set', (_, keys) => {
    expect(readKeySet({ keys })).toEqual({ ok: false, error: 'has no key' });
  });

  it('reads a set of keys none of which can be used', () => {
    expect(read({ kty: 'AKP', kid: 'one', alg: 'ML-DSA-44' })).toMatchObject({ kids: [], refused: [{ kid: 'one' }] });
  });

  it('takes one key for EdDSA and for Ed25519 for one key', () => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'one' };
    expect(read({ ...key, alg: 'EdDSA' }, { ...key, alg: 'Ed25519' })).toEqual({ kids: ['one'], refused: [] });
  });

  it('reads no set of more keys than any provider has', () => {
    const keys = Array.from({ length: maximumKeys + 1 }, (_, index) => formedJwk(`key-${index}`));
    expect(readKeySet({ keys }).ok).toBe(false);
    expect(read(...keys.slice(1)).kids).toHaveLength(maximumKeys);
  });
});

describe('chooseKey', () => {
  const key = (kid: string | null, algorithm = 'ES256') => ({ kid, algorithm });

  it('takes the key of the kid, and no key of another algorithm', () => {
    const keys = [key('one'), key('two'), key('one', 'RS256')];
    expect(chooseKey(keys, 'one', 'ES256')).toBe(keys[0]);
    expect(chooseKey(keys, 'one', 'RS256')).toBe(keys[2]);
    expect(chooseKey(keys, 'two', 'RS256')).toBeNull();
    expect(chooseKey(keys, 'two', 'none')).toBeNull();
    expect(chooseKey(keys, '', 'ES256')).toBeNull();
  });

  it('takes the only key of the algorithm where the token names none', () => {
    const keys = [key('one'), key('two', 'RS256'), key(null, 'ES384'), key('three', 'PS256'), key('four', 'PS256')];
    expect(chooseKey(keys, null, 'ES256')).toBe(keys[0]);
    expect(chooseKey(keys, null, 'ES384')).toBe(keys[2]);
    expect(chooseKey(keys, null, 'PS256')).toBeNull();
    expect(chooseKey(keys, null, 'EdDSA')).toBeNull();
  });

  it('does not take a key without kid for a token that names one', () => {
    expect(chooseKey([key(null)], 'one', 'ES256')).toBeNull();
  });
});
