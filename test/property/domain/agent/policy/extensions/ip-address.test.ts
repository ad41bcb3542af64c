import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extensionFunction } from '../../../../../../src/domain/agent/policy/extensions/extension-functions.js';
import { parseIp } from '../../../../../../src/domain/agent/policy/extensions/ip-address.js';
import type { IpValue } from '../../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';
import { cedarConditions, cedarString } from '../../../../../support/agent/cedar-conditions.js';
import { many, nearMisses } from '../../../../../support/shared/near-misses.js';

const address4 = fc.oneof(
  fc.ipV4(),
  fc.constantFrom('127.0.0.1', '224.0.0.1', '10.0.0.0', '10.0.0.1', '0.0.0.0', '255.255.255.255'),
);
const hexGroups = fc.array(
  fc.oneof(
    fc.constant('0'),
    fc.constant('0000'),
    fc.nat({ max: 0xffff }).map((group) => group.toString(16)),
  ),
  { minLength: 0, maxLength: 8 },
);
const address6 = fc.oneof(
  fc.ipV6(),
  fc.constantFrom(
    '::',
    '::1',
    'ff00::',
    'FF02::1',
    '::ffff:7f00:1',
    '2001:db8::',
    '1:2:3:4:5:6:7:8',
    '::ffff:127.0.0.1',
  ),
  fc.tuple(hexGroups, hexGroups).map(([left, right]) => `${left.join(':')}::${right.join(':')}`),
);
const prefixed = (address: fc.Arbitrary<string>, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    address,
    fc.tuple(address, fc.nat({ max: max + 2 })).map(([host, length]) => `${host}/${length}`),
  );
const valid = fc.oneof(prefixed(address4, 32), prefixed(address6, 128));
const text = nearMisses(valid, '0129af:./% Gx');

/** Written out in full, made without the code under test. */
const canonical = ({ version, address, prefixLength }: IpValue): string => {
  const [groups, bits] = version === 4 ? [4, 8n] : [8, 16n];
  const parts = Array.from({ length: groups }, (_, index) => (address >> (BigInt(index) * bits)) & (2n ** bits - 1n));
  const written = parts.reverse().map((part) => part.toString(version === 4 ? 10 : 16));
  return `${written.join(version === 4 ? '.' : ':')}/${prefixLength}`;
};

/** Networks that are often inside each other. */
const network = fc
  .oneof(
    fc.tuple(fc.constantFrom('10.0.0.0', '10.0.0.1', '127.0.0.1', '224.0.0.9', '11.128.0.0'), fc.nat({ max: 32 })),
    fc.tuple(
      fc.constantFrom('::1', '::', 'ff00::', 'ff02::1', '2001:db8::', '2001:db8::1', '::a00:1'),
      fc.nat({ max: 128 }),
    ),
  )
  .map(([address, length]) => parseIp(`${address}/${length}`))
  .filter((value): value is IpValue => value !== null);

describe('addresses compared with the official implementation', () => {
  it('parse the same texts to the same values', () => {
    fc.assert(
      fc.property(many(text), (texts) => {
        const parsed = texts.map(parseIp);
        const conditions = texts.map((given, index) => {
          const value = parsed[index];
          return `ip(${cedarString(given)}) == ip("${value ? canonical(value) : '::'}")`;
        });
        expect(parsed.map((value) => (value === null ? 'error' : 'true'))).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 15 },
    );
  });

  it('give the same result for every method', () => {
    const literal = (value: IpValue): string => `ip("${canonical(value)}")`;
    const method = fc.constantFrom('isInRange', 'isInRange', '==', 'isLoopback', 'isMulticast', 'isIpv4', 'isIpv6');
    fc.assert(
      fc.property(many(fc.tuple(network, network, method)), (questions) => {
        const answers = questions.map(([a, b, name]) => {
          if (name === '==') return String(equalValues(a, b));
          return String(extensionFunction(name)?.(name === 'isInRange' ? [a, b] : [a]));
        });
        const conditions = questions.map(([a, b, name]) => {
          if (name === '==') return `${literal(a)} == ${literal(b)}`;
          return `${literal(a)}.${name}(${name === 'isInRange' ? literal(b) : ''})`;
        });
        expect(answers).toEqual(cedarConditions(conditions));
      }),
      { numRuns: 12 },
    );
  });
});
