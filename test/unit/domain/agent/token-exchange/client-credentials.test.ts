import { describe, expect, it } from 'vitest';
import {
  jwtBearerAssertion,
  maximumSecretLength,
  readClientCredentials,
} from '../../../../../src/domain/agent/token-exchange/client-credentials.js';
import { maximumTokenLength } from '../../../../../src/domain/agent/tokens/compact-jws.js';
import { type ExchangeParameters, fieldsOf, leastParameters } from '../../../../support/agent/exchange-fields.js';

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const basic = (text: string): string[] => ['Authorization', `Basic ${base64(text)}`];

const read = (headers: readonly string[], parameters: ExchangeParameters = {}) => {
  const credentials = readClientCredentials(headers, fieldsOf({ ...leastParameters, ...parameters }));
  return credentials.ok ? credentials.value : credentials.error;
};

const shown = (clientId: string, secret: string) => ({ kind: 'secret', clientId, secret });
const assertion = { client_assertion_type: jwtBearerAssertion, client_assertion: 'a.b.c' };

describe('a client without credentials', () => {
  it('is not authenticated, even if it names itself', () => {
    expect(read([])).toEqual({ kind: 'none' });
    expect(read(['host', 'a', 'cookie', 'b'])).toEqual({ kind: 'none' });
    expect(read([], { client_id: 'a' })).toEqual({ kind: 'none' });
    expect(read([], { client_id: 'a', client_secret: '', client_assertion: '', client_assertion_type: '' })).toEqual({
      kind: 'none',
    });
  });
});

describe('client_secret_basic', () => {
  it('decodes both halves as form values (RFC 6749, section 2.3.1)', () => {
    expect(read(basic('orders:s3cret'))).toEqual(shown('orders', 's3cret'));
    expect(read(basic('a%3Ab+c:%C3%A9%25+%2B:x'))).toEqual(shown('a:b c', 'é% +:x'));
    expect(read(['AUTHORIZATION', `bAsIc  ${base64('a:b')}`])).toEqual(shown('a', 'b'));
  });

  it('accepts the client id in the form as well', () => {
    expect(read(basic('a:b'), { client_id: 'a' })).toEqual(shown('a', 'b'));
    expect(read(basic('a:b'), { client_id: '' })).toEqual(shown('a', 'b'));
    expect(read(basic('a:b'), { client_id: 'c' })).toBe('client_mismatch');
    expect(read(basic('a%3A:b'), { client_id: 'a%3A' })).toBe('client_mismatch');
  });

  it.each([
    ['nothing behind the scheme', 'Basic'],
    ['only spaces behind the scheme', 'Basic   '],
    ['no base64', 'Basic ????'],
    ['base64url', `Basic ${base64('a:b\xff\xff\xff').replaceAll('/', '_')}`],
    ['no padding', `Basic ${base64('a:bc').replaceAll('=', '')}`],
    ['something behind it', `Basic ${base64('a:b')} x`],
    ['two credentials', `Basic ${base64('a:b')}, Basic ${base64('a:b')}`],
    ['no colon', `Basic ${base64('orders')}`],
    ['no id', `Basic ${base64(':secret')}`],
    ['no secret', `Basic ${base64('orders:')}`],
    ['a broken escape', `Basic ${base64('orders:100%')}`],
    ['octets that are no UTF-8', `Basic ${base64('orders:%ff')}`],
    ['octets beyond ASCII that are not escaped', `Basic ${base64('orders:\xc3\xa9')}`],
    ['an id that nobody has', `Basic ${base64('%C3%A9:b')}`],
    ['a control character in the id', `Basic ${base64('a%0Ab:c')}`],
    ['an id that is too long', `Basic ${base64(`${'a'.repeat(257)}:b`)}`],
    ['a secret that is too long', `Basic ${base64(`a:${'b'.repeat(maximumSecretLength + 1)}`)}`],
    ['a tab instead of a space', `Basic\t${base64('a:b')}`],
    ['a bearer token', 'Bearer a.b.c'],
    ['another scheme', 'Negotiate abc'],
    ['an empty field', ''],
  ])('is malformed with %s', (_, value) => {
    expect(read(['authorization', value])).toBe('malformed_client_credentials');
  });
});

describe('client_secret_post', () => {
  it('is an id and a secret in the form', () => {
    expect(read([], { client_id: 'a', client_secret: 'b' })).toEqual(shown('a', 'b'));
    expect(read([], { client_id: 'a'.repeat(256), client_secret: 'é'.repeat(maximumSecretLength) })).toMatchObject({
      kind: 'secret',
    });
  });

  it('is malformed without an id, or with an impossible one', () => {
    expect(read([], { client_secret: 'b' })).toBe('malformed_client_credentials');
    expect(read([], { client_id: '', client_secret: 'b' })).toBe('malformed_client_credentials');
    expect(read([], { client_id: 'a'.repeat(257), client_secret: 'b' })).toBe('malformed_client_credentials');
    expect(read([], { client_id: 'a\n', client_secret: 'b' })).toBe('malformed_client_credentials');
    expect(read([], { client_id: 'a', client_secret: 'b'.repeat(maximumSecretLength + 1) })).toBe(
      'malformed_client_credentials',
    );
  });
});

describe('private_key_jwt', () => {
  it('is an assertion with its type, and an optional id beside it (RFC 7521, section 4.2)', () => {
    expect(read([], assertion)).toEqual({ kind: 'assertion', clientId: null, assertion: 'a.b.c' });
    expect(read([], { ...assertion, client_id: 'a' })).toEqual({
      kind: 'assertion',
      clientId: 'a',
      assertion: 'a.b.c',
    });
  });

  it.each<[string, ExchangeParameters]>([
    ['no type', { client_assertion_type: undefined }],
    ['an empty type', { client_assertion_type: '' }],
    ['the type of SAML', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ['a type that is nearly right', { client_assertion_type: jwtBearerAssertion.toUpperCase() }],
    ['no assertion', { client_assertion: undefined }],
    ['an assertion that is too long', { client_assertion: 'a'.repeat(maximumTokenLength + 1) }],
    ['an id that nobody has', { client_id: 'é' }],
  ])('is malformed with %s', (_, changes) => {
    expect(read([], { ...assertion, ...changes })).toBe('malformed_client_credentials');
  });
});

describe('a client with two authentication methods', () => {
  const secret = { client_id: 'a', client_secret: 'b' };

  it.each<[string, readonly string[], ExchangeParameters]>([
    ['Basic and a secret in the form, though they are the same', basic('a:b'), secret],
    ['Basic and an assertion', basic('a:b'), assertion],
    ['Basic and a type of an assertion alone', basic('a:b'), { client_assertion_type: jwtBearerAssertion }],
    ['a secret and an assertion in the form', [], { ...secret, ...assertion }],
    ['Basic twice', [...basic('a:b'), ...basic('a:b')], {}],
    ['Basic and a bearer token', [...basic('a:b'), 'authorization', 'Bearer x'], {}],
    ['a bearer token and a secret in the form', ['authorization', 'Bearer x'], secret],
    ['something malformed and a secret in the form', ['authorization', 'Basic ?'], secret],
    ['an empty field and a secret in the form', ['authorization', ''], secret],
  ])('is refused: %s', (_, headers, parameters) => {
    expect(read(headers, parameters)).toBe('several_client_credentials');
  });
});
