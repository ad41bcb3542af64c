import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseKey, readKeySet } from '../../../../../src/domain/agent/tokens/key-set.js';
import { asymmetricAlgorithms } from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

const value = fc.constantFrom<JsonValue>('a', 'b', '', 7, null, 'sig', 'enc', ['verify'], ['sign'], { a: 'b' });
const jwk = fc.record(
  {
    kty: fc.constantFrom<JsonValue>('RSA', 'EC', 'OKP', 'oct', 7),
    crv: fc.constantFrom<JsonValue>('P-256', 'P-384', 'P-521', 'Ed25519', 'X25519', null),
    alg: fc.constantFrom<JsonValue>(...asymmetricAlgorithms, 'HS256', 'none', 7),
    kid: fc.constantFrom<JsonValue>('one', 'two', 'three', 7),
    use: value,
    key_ops: value,
    n: value,
    e: value,
    x: value,
    y: value,
    d: value,
    k: value,
  },
  { requiredKeys: ['kty'] },
);
const sound = fc.record(
  {
    kty: fc.constant('EC'),
    crv: fc.constantFrom('P-256', 'P-384'),
    x: fc.constantFrom('a', 'b', 'c'),
    y: fc.constantFrom('a', 'b'),
    kid: fc.constantFrom('one', 'two', 'three'),
  },
  { requiredKeys: ['kty', 'crv', 'x', 'y'] },
);
const member = fc.oneof({ weight: 3, arbitrary: sound }, { weight: 2, arbitrary: jwk }, value);

describe('readKeySet for any published document', () => {
  it('returns only public members, and names no key twice', () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), (members) => {
        // One that has the form of a key is what makes a set of it.
        const keys = [{ kty: 'oct' }, ...members];
        const read = readKeySet({ keys: keys as JsonValue[] });
        if (!read.ok) throw new Error(read.error);
        const names = read.value.keys
          .filter(({ kid }) => kid !== null)
          .map(({ kid, algorithm }) => `${algorithm} ${kid}`);
        expect(new Set(names).size).toBe(names.length);
        for (const key of read.value.keys) {
          expect(Object.keys(key.jwk).every((name) => ['kty', 'crv', 'n', 'e', 'x', 'y'].includes(name))).toBe(true);
          expect(asymmetricAlgorithms).toContain(key.algorithm);
        }
        expect(read.value.keys.length + read.value.refused.length).toBeLessThanOrEqual(keys.length);
      }),
      { numRuns: 500 },
    );
  });

  it('returns the same keys in any order of the document', () => {
    const shuffled = fc
      .array(member, { maxLength: 10 })
      .chain((keys) => fc.tuple(fc.constant(keys), fc.shuffledSubarray(keys, { minLength: keys.length })));
    const identities = (keys: readonly unknown[]) => {
      const read = readKeySet({ keys: keys as JsonValue[] });
      return read.ok ? read.value.keys.map(({ identity }) => identity).toSorted() : null;
    };
    fc.assert(
      fc.property(shuffled, ([keys, others]) => {
        expect(identities(others)).toEqual(identities(keys));
      }),
      { numRuns: 300 },
    );
  });

  it('handles any input without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => void readKeySet(json as JsonValue)),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(readKeySet({ keys: [{ kty: 'oct' }, json as JsonValue] }).ok).toBe(true);
      }),
    );
  });
});

describe('chooseKey', () => {
  const key = fc.record({
    kid: fc.option(fc.constantFrom('one', 'two', 'three'), { nil: null }),
    algorithm: fc.constantFrom('RS256', 'ES256'),
  });

  it('never returns a key with another algorithm or kid, nor one of two matching keys', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), key, (keys, { kid, algorithm }) => {
        const fitting = keys.filter((one) => one.algorithm === algorithm && (kid === null || one.kid === kid));
        expect(chooseKey(keys, kid, algorithm)).toBe(fitting.length === 1 ? fitting[0] : null);
      }),
    );
  });
});
