import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identityHeaders } from '../../../../../src/domain/agent/identity/identity-headers.js';
import { compileExpression } from '../../../../../src/domain/agent/policy/evaluate/compile-expression.js';
import {
  claimsRecord,
  gatewayPrincipal,
} from '../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { parseExpressionText } from '../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import type { Value } from '../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../src/domain/agent/policy/values/value-equality.js';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';

const names = { userId: 'X-User-Id', authMethod: 'X-Auth-Method' };
const least = -(2n ** 63n);
const greatest = 2n ** 63n - 1n;
const long = fc.oneof(
  fc.bigInt(least, greatest),
  fc.bigInt(-20n, 20n).map((offset) => 2n ** 53n + offset),
  fc.bigInt(-20n, 20n).map((offset) => -(2n ** 53n) + offset),
  fc.constantFrom(least, least + 1n, greatest - 1n, greatest, 10n ** 15n, 10n ** 15n - 1n),
);
const beyond = fc.oneof(
  fc.bigInt(greatest + 1n, 10n ** 300n),
  fc.bigInt(-(10n ** 300n), least - 1n),
  fc.constantFrom(greatest + 1n, least - 1n, 2n ** 64n - 1n, 2n ** 64n),
);

const claimsOf = (text: string): Claims => {
  const claims = parseClaims(`{"sub":"ann","it":${text}}`);
  if (claims === null) throw new Error(`refused: ${text}`);
  return claims;
};

const headerOf = (text: string): string | undefined => {
  const claims = claimsOf(text);
  const { operations } = identityHeaders({ method: 'jwt', userId: 'ann', claims, certificate: null }, names);
  const header = operations.find(({ name }) => name === 'X-Auth-Claim-it');
  return header?.kind === 'set' ? header.value : undefined;
};

const policyValue = (text: string): Value => claimsRecord(claimsOf(text)).attributes.get('it') as Value;

const isTold = (text: string, expression: string): unknown => {
  const identity = { method: 'jwt', userId: 'ann', claims: claimsOf(text), certificate: null } as const;
  const principal = gatewayPrincipal(identity, { principalClaim: 'sub', rolesClaim: null });
  const parsed = parseExpressionText(expression, 'extended');
  if (!principal.ok || !parsed.ok) throw new Error('no principal, or no expression');
  const facts = { method: 'GET', uri: '/', host: null, clientIp: '192.0.2.1', correlationId: 'c' };
  return compileExpression(parsed.value, 'extended')(gatewayRequest(principal.value, facts));
};

describe('a 64-bit integer in a token', () => {
  it('keeps its digits in the header', () => {
    fc.assert(
      fc.property(long, (integer) => {
        expect(headerOf(String(integer))).toBe(String(integer));
      }),
    );
  });

  it('is exactly that long in policies', () => {
    fc.assert(
      fc.property(long, long, (integer, other) => {
        const text = String(integer);
        expect(isTold(text, `context.claims.it == ${text}`)).toBe(true);
        expect(isTold(text, `context.claims.it == ${other}`)).toBe(integer === other);
        expect(isTold(text, `principal.claims.it < ${other}`)).toBe(integer < other);
        expect(equalValues(policyValue(text), policyValue(String(other)))).toBe(integer === other);
      }),
      { numRuns: 50 },
    );
  });

  it('does not equal its neighbour', () => {
    fc.assert(
      fc.property(fc.bigInt(2n ** 53n, greatest - 1n), (integer) => {
        expect(isTold(String(integer), `context.claims.it == ${integer + 1n}`)).toBe(false);
        expect(isTold(String(integer + 1n), `[${integer}].contains(context.claims.it)`)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('is recognised in every spelling', () => {
    const zeros = fc.nat(30).map((count) => '0'.repeat(count));
    fc.assert(
      fc.property(long, zeros, fc.nat(25), (integer, tail, shift) => {
        // JSON has no number with two zeros in front.
        const moved = integer === 0n ? 0 : shift;
        const spellings = [`${integer}.0${tail}`, `${integer}${'0'.repeat(moved)}e-${moved}`, `${integer}e0`];
        for (const text of spellings) expect(claimsOf(text)['it']).toBe(claimsOf(String(integer))['it']);
      }),
    );
  });
});

describe('an integer beyond 64 bits in a token', () => {
  it('differs from every other one in headers and policies', () => {
    fc.assert(
      fc.property(beyond, fc.bigInt(1n, 50n), (integer, distance) => {
        const [text, other] = [String(integer), String(integer + (integer < 0n ? -distance : distance))];
        expect(headerOf(text)).not.toBe(headerOf(other));
        expect(equalValues(policyValue(text), policyValue(other))).toBe(false);
        expect(typeof policyValue(text)).toBe('string');
      }),
    );
  });

  it('keeps its own digits', () => {
    fc.assert(
      fc.property(fc.bigInt(greatest + 1n, 10n ** 21n - 1n), (integer) => {
        expect(headerOf(String(integer))).toBe(String(integer));
        expect(policyValue(String(integer))).toBe(String(integer));
      }),
    );
  });
});

describe('any number in a token', () => {
  const digitsUpTo = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
  const digits = fc.oneof(digitsUpTo(4), digitsUpTo(12), digitsUpTo(40));
  const number = fc
    .tuple(fc.boolean(), digits, fc.option(digits), fc.option(fc.integer({ min: -330, max: 260 })))
    .map(([isNegative, whole, fraction, exponent]) => {
      const first = whole.replace(/^0+(?=\d)/, '');
      return `${isNegative ? '-' : ''}${first}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`;
    });
  /** Both as integers of one unit. */
  const equal = (one: string, other: string): boolean => {
    const scaled = (text: string): bigint => {
      const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
      const [whole = '', fraction = ''] = mantissa.split('.');
      return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length + 700);
    };
    return scaled(one) === scaled(other);
  };

  it('keeps its exact value', () => {
    fc.assert(
      fc.property(number, (text) => {
        const { it: value } = claimsOf(text);
        const header = headerOf(text) as string;
        expect(equal(text, header)).toBe(true);
        expect(equal(text, String(policyValue(text)))).toBe(true);
        if (typeof value === 'number' && Number.isInteger(value)) {
          expect(Number.isSafeInteger(value) || Math.abs(value) >= 2 ** 63).toBe(true);
        } else if (typeof value === 'bigint') {
          expect(value >= least && value <= greatest && !Number.isSafeInteger(Number(value))).toBe(true);
        } else if (value instanceof SpelledNumber) expect(value.text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
