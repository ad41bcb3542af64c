import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseAllowedSan,
  prepareAllowedSans,
  sanAllowed,
} from '../../../../../src/domain/agent/client-certificates/allowed-san.js';
import type { SubjectAltName } from '../../../../../src/domain/shared/certificate.js';

const allows = (entry: string, kind: SubjectAltName['kind'], value: string): boolean => {
  const parsed = parseAllowedSan(entry);
  return parsed.ok && sanAllowed(prepareAllowedSans([parsed.value]), [{ kind, value }]);
};

const label = fc.constantFrom('a', 'b', 'A', 'a-b', 'example', '', '*', 'a*', '1a', '_a', 'é', '\0', '\u212a');
const dns = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

/** By the rules as one would say them: valid labels, one wildcard for one label, or the same text. */
const naive = (pattern: string, name: string): boolean => {
  const plain = (text: string): string => text.replace(/\.$/, '').toLowerCase();
  const isName = (text: string): boolean => /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/.test(text);
  if (isName(pattern)) return isName(name) && plain(pattern) === plain(name);
  if (!pattern.startsWith('*.') || !isName(pattern.slice(2))) return false;
  if (name.startsWith('*.')) return isName(name.slice(2)) && plain(pattern) === plain(name);
  if (!isName(name)) return false;
  const [, ...parent] = plain(name).split('.');
  return parent.join('.') === plain(pattern.slice(2));
};

describe('the allowed alternative names', () => {
  it('match DNS names as a naive model does', () => {
    let matched = 0;
    fc.assert(
      fc.property(dns, dns, fc.boolean(), fc.boolean(), (pattern, other, isNear, isDotted) => {
        // Half of the names are made of the pattern, or nothing would ever match.
        const near = isNear ? pattern.replace(/^\*/, 'b') : other;
        const name = isDotted ? `${near}.` : near;
        const expected = naive(pattern, name);
        matched += expected ? 1 : 0;
        expect(allows(`DNS:${pattern}`, 'dns', name)).toBe(expected);
      }),
      { numRuns: 4000 },
    );
    expect(matched).toBeGreaterThan(200);
  });

  it('never match a name with a character that names cannot contain', () => {
    const hostile = fc.constantFrom('\0', '\n', ' ', '\x7f', 'é', '\u212a', '\u3002', '\uff0e', '\u00ad', '\u202e');
    const honest: readonly (readonly [SubjectAltName['kind'], string])[] = [
      ['dns', 'api.example.com'],
      ['uri', 'spiffe://example.com/a'],
      ['email', 'user@example.com'],
      ['ip', '10.0.0.1'],
    ];
    const entries = honest.flatMap(([, value]) => {
      const parsed = parseAllowedSan(value);
      return parsed.ok ? [parsed.value] : [];
    });
    const wildcard = parseAllowedSan('*.example.com');
    expect(entries).toHaveLength(4);
    fc.assert(
      fc.property(fc.constantFrom(...honest), hostile, fc.nat(40), ([kind, value], character, at) => {
        const place = at % (value.length + 1);
        const bent = value.slice(0, place) + character + value.slice(place);
        const all = prepareAllowedSans(wildcard.ok ? [...entries, wildcard.value] : entries);
        expect(sanAllowed(all, [{ kind, value }])).toBe(true);
        expect(sanAllowed(all, [{ kind, value: bent }])).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  it('ignore case only where e-mail addresses and URIs ignore it', () => {
    const flip = (text: string, bits: number): string =>
      [...text]
        .map((letter, index) => ((bits >> (index % 30)) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
        .join('');
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (bits, more) => {
        expect(allows('user@example.com', 'email', `user@${flip('example.com', bits)}`)).toBe(true);
        const local = flip('user', bits);
        expect(allows('user@example.com', 'email', `${local}@example.com`)).toBe(local === 'user');
        const start = `${flip('https', bits)}://u@${flip('example.com:8443', more)}`;
        expect(allows('https://u@example.com:8443/path', 'uri', `${start}/path`)).toBe(true);
        const path = flip('/path', more);
        expect(allows('https://u@example.com:8443/path', 'uri', `${start}${path}`)).toBe(path === '/path');
      }),
      { numRuns: 800 },
    );
  });

  it('compare IP addresses by value', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), (left, right, bits) => {
        const word = (text: string): bigint => text.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
        const shift = BigInt(32 - bits);
        const expected = word(left) >> shift === word(right) >> shift;
        expect(allows(`${left}/${bits}`, 'ip', right)).toBe(expected);
        expect(allows(`${left}/${bits}`, 'ip', `::ffff:${right}`)).toBe(expected);
        expect(allows(left, 'ip', right)).toBe(word(left) === word(right));
      }),
      { numRuns: 1000 },
    );
  });

  it('match a list if any entry matches alone', () => {
    const entryText = fc.oneof(
      dns,
      fc.constantFrom('*.a.b', '*.example.a', 'spiffe://a/b', 'urn:x:y', 'a@b', 'A@b.a', '10.0.0.0/8', '10.1.0.0/16'),
      fc.constantFrom('10.1.2.3', '2001:db8::/32', '2001:db8::1', '::ffff:10.0.0.0/104'),
    );
    const value = fc.oneof(
      entryText,
      fc.constantFrom('x.a.b', 'SPIFFE://A/b', '10.1.9.9', '10.200.1.1', '2001:db8:5::'),
    );
    const name = fc.record({ kind: fc.constantFrom('dns', 'uri', 'email', 'ip'), value });
    const seen = { allowed: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(entryText, { maxLength: 8 }), fc.array(name, { maxLength: 4 }), (texts, names) => {
        const entries = texts.map(parseAllowedSan).flatMap((entry) => (entry.ok ? [entry.value] : []));
        const expected = entries.some((entry) => names.some((one) => sanAllowed(prepareAllowedSans([entry]), [one])));
        expect(sanAllowed(prepareAllowedSans(entries), names)).toBe(expected);
        seen[expected ? 'allowed' : 'refused'] += 1;
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(200);
  });

  it('accept or refuse any text, and compare accepted texts with any name', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('*', '.', 'a', ':', '/', '@', '1', 'DNS:', 'uri:', '://'), maxLength: 8 }),
    );
    fc.assert(
      fc.property(text, text, fc.constantFrom('dns', 'uri', 'email', 'ip'), (entry, value, kind) => {
        const parsed = parseAllowedSan(entry);
        if (parsed.ok) expect(typeof sanAllowed(prepareAllowedSans([parsed.value]), [{ kind, value }])).toBe('boolean');
        else expect(parsed.error).not.toBe('');
      }),
      { numRuns: 3000 },
    );
  });
});
