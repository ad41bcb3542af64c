import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClientCredentials } from '../../../../../src/domain/agent/token-exchange/client-credentials.js';
import {
  readExchangeRequest,
  repeatableParameters,
} from '../../../../../src/domain/agent/token-exchange/read-exchange-request.js';
import { parseFormFields } from '../../../../../src/domain/shared/form-urlencoded.js';
import { fieldsOf, leastParameters, tokenTypeUris } from '../../../../support/agent/exchange-fields.js';

const scopeCharacters = Array.from({ length: 0x5e }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (character) => character !== '"' && character !== '\\',
);
const scope = fc.string({ unit: fc.constantFrom(...scopeCharacters), minLength: 1, maxLength: 6 });
const audience = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '&', '=', '+', '%', 'é', '😀'), minLength: 1 });
const resource = fc.webUrl();
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

describe('requests for an exchange', () => {
  it('parse as a standard client writes them, for any content', () => {
    const request = fc.record({
      subject_token: fc.string({ minLength: 1, unit: 'grapheme' }),
      subject_token_type: fc.constantFrom(...tokenTypeUris),
      audience: fc.uniqueArray(audience, { maxLength: 6 }),
      resource: fc.uniqueArray(resource, { maxLength: 6 }),
      scope: optional(fc.uniqueArray(scope, { minLength: 1, maxLength: 8 })),
    });
    fc.assert(
      fc.property(request, ({ audience: audiences, resource: resources, scope: scopes, ...token }) => {
        const written = new URLSearchParams({ ...leastParameters, ...token });
        for (const one of audiences) written.append('audience', one);
        for (const one of resources) written.append('resource', one);
        if (scopes !== undefined) written.append('scope', scopes.join(' '));
        const fields = parseFormFields(Buffer.from(written.toString()), { repeatable: repeatableParameters });
        const read = fields.ok ? readExchangeRequest(fields.value) : fields;
        expect(read).toMatchObject({
          ok: true,
          value: { subject: { token: token.subject_token }, audiences, resources, scopes: scopes ?? null },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('have the scopes between single spaces, or are refused', () => {
    const soup = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"', '\\', '\t', 'é', '\u00a0'), minLength: 1 });
    fc.assert(
      fc.property(soup, (text) => {
        const read = readExchangeRequest(fieldsOf({ ...leastParameters, scope: text }));
        const isList = /^[ab]+( [ab]+)*$/.test(text);
        expect(read.ok ? read.value.scopes : read.error).toEqual(
          isList ? [...new Set(text.split(' '))] : 'malformed_scope',
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('get a decision for any content', () => {
    const names = fc.constantFrom(...Object.keys(leastParameters), 'audience', 'resource', 'scope', 'actor_token', 'x');
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...Object.values(leastParameters), ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.array(value, { maxLength: 3 }))), (entries) => {
        const read = readExchangeRequest(new Map(entries));
        if (!read.ok) return;
        expect(read.value.subject.token).not.toBe('');
        expect(read.value.resources.every((one) => /^[A-Za-z][A-Za-z0-9+.-]*:[^#\s]*$/.test(one))).toBe(true);
        expect(read.value.audiences.some((one) => /[\0-\x1f\x7f]/.test(one))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('client credentials', () => {
  const id = fc.string({ minLength: 1, maxLength: 256, unit: 'grapheme-ascii' });
  const secret = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' });
  const escaped = (text: string): string => new URLSearchParams([[text, '']]).toString().slice(0, -1);

  it('are equal by Basic and in the form, for any id and any secret', () => {
    fc.assert(
      fc.property(id, secret, (clientId, text) => {
        const credentials = { kind: 'secret', clientId, secret: text };
        const encoded = Buffer.from(`${escaped(clientId)}:${escaped(text)}`).toString('base64');
        const byBasic = readClientCredentials(['authorization', `Basic ${encoded}`], fieldsOf({}));
        const posted = readClientCredentials([], fieldsOf({ client_id: clientId, client_secret: text }));
        expect([byBasic, posted]).toEqual([
          { ok: true, value: credentials },
          { ok: true, value: credentials },
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('by Basic accept only the exact spelling of the header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.constantFrom('', '=', ' ', '\n', 'A'), (octets, tail) => {
        const value = `Basic ${Buffer.from(octets).toString('base64')}${tail}`;
        const read = readClientCredentials(['authorization', value], fieldsOf({}));
        if (!read.ok) {
          expect(read.error).toBe('malformed_client_credentials');
          return;
        }
        expect(tail).toBe('');
        const text = Buffer.from(octets).toString('latin1');
        const colon = text.indexOf(':');
        const [half, other] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
          decodeURIComponent(part.replaceAll('+', ' ')),
        );
        expect(read.value).toEqual({ kind: 'secret', clientId: half, secret: other });
      }),
      { numRuns: 2000 },
    );
  });
});
