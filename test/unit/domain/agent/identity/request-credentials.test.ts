import { describe, expect, it } from 'vitest';
import { requestCredentials } from '../../../../../src/domain/agent/identity/request-credentials.js';

const names = { apiKey: 'x-api-key', certificate: null, sessionCookieNames: [] };
const authorization = (value: string) => {
  const read = requestCredentials(['authorization', value], names);
  return read.ok ? read.value.authorization : read.error;
};
const basic = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('requestCredentials', () => {
  it('reads a bearer token, with its scheme in any case', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(authorization(`${scheme} abc.def-_~+/==`)).toEqual({ scheme: 'bearer', token: 'abc.def-_~+/==' });
    }
  });

  it('reads user and password, split at the first colon, as UTF-8', () => {
    expect(authorization(`bAsIc ${basic('änn:pass:wörd')}`)).toEqual({
      scheme: 'basic',
      user: 'änn',
      password: 'pass:wörd',
    });
    expect(authorization(`Basic ${basic(':')}`)).toEqual({ scheme: 'basic', user: '', password: '' });
  });

  it.each([
    ['without a token', 'Bearer'],
    ['with an empty token', 'Bearer '],
    ['with two tokens', 'Bearer a b'],
    ['with two credentials in one field', 'Bearer a, Bearer b'],
    ['with a tab', 'Bearer \ta'],
    ['with something behind the padding', 'Bearer a=b'],
  ])('reads no bearer credential %s', (_, value) => {
    expect(authorization(value)).toEqual({ scheme: 'malformed', of: 'bearer' });
  });

  it.each([
    ['without padding', `Basic ${basic('ann:secret').replace(/=+$/, '')}`],
    ['with padding in the middle', `Basic ${basic('ann:s')}${basic('ann:s')}`],
    ['with bits left over', 'Basic YW5uOh=='],
    ['in the alphabet of URLs', 'Basic YTo_'],
    ['without a colon', `Basic ${basic('ann')}`],
    ['that is no UTF-8', `Basic ${basic(Buffer.from([0x61, 0x3a, 0xff]))}`],
    ['with a control character', `Basic ${basic('ann\r\nX-User-Id: root:pw')}`],
    ['with nothing', 'Basic'],
  ])('reads no basic credential %s', (_, value) => {
    expect(authorization(value)).toEqual({ scheme: 'malformed', of: 'basic' });
  });

  it('ignores other schemes', () => {
    expect(authorization('Digest username="ann"')).toEqual({ scheme: 'other' });
    expect(authorization('')).toEqual({ scheme: 'other' });
    expect(authorization('Bearerx abc')).toEqual({ scheme: 'other' });
  });

  it('refuses a request with a duplicate credential', () => {
    for (const [first, second] of [
      ['authorization', 'authorization'],
      ['Authorization', 'aUTHORIZATION'],
      ['x-api-key', 'X-API-Key'],
      ['client-cert', 'Client-Cert'],
    ] as const) {
      const headers = [first, 'Bearer a', second, 'Bearer a'];
      expect(requestCredentials(headers, { ...names, certificate: 'client-cert' })).toEqual({
        ok: false,
        error: 'ambiguous_credentials',
      });
    }
  });

  it('reads the key only from the configured header', () => {
    const headers = ['x-key', 'one', 'x-api-key', 'two', 'x_key', 'three'];
    expect(requestCredentials(headers, { ...names, apiKey: 'x-key' })).toEqual({
      ok: true,
      value: { authorization: null, apiKey: 'one', certificate: null, sessionCookies: [] },
    });
  });

  it('reads no key if no header is configured, and accepts repetitions', () => {
    expect(requestCredentials(['x-api-key', 'one', 'x-api-key', 'two'], { ...names, apiKey: null })).toEqual({
      ok: true,
      value: { authorization: null, apiKey: null, certificate: null, sessionCookies: [] },
    });
  });

  it('normalises user and password to one Unicode form', () => {
    expect(authorization(`Basic ${basic('jo\u0308rg:pa\u030a')}`)).toEqual({
      scheme: 'basic',
      user: 'j\u00f6rg',
      password: 'p\u00e5',
    });
  });

  describe('client certificates', () => {
    const headers = [
      'X-Client-Cert',
      'one',
      'client-cert',
      ':two:',
      'Client-Cert-Chain',
      ':three:',
      'x_client_cert',
      'x',
    ];
    const certificate = (name: string | null) => {
      const read = requestCredentials(headers, { ...names, certificate: name });
      return read.ok ? read.value.certificate : read.error;
    };

    it('are read only from the configured header, in its encoding', () => {
      expect(certificate('x-client-cert')).toEqual({ value: 'one', chain: null });
      expect(certificate('x-other')).toBeNull();
      expect(certificate(null)).toBeNull();
    });

    it('have a chain only beside Client-Cert', () => {
      expect(certificate('client-cert')).toEqual({ value: ':two:', chain: ':three:' });
    });

    it('have a chain over several lines: it is a list', () => {
      const lines = ['Client-Cert', ':a:', 'Client-Cert-Chain', ':b:', 'CLIENT-CERT-CHAIN', ':c:, :d:'];
      const read = requestCredentials(lines, { ...names, certificate: 'client-cert' });
      expect(read.ok && read.value.certificate).toEqual({ value: ':a:', chain: ':b:, :c:, :d:' });
      expect(requestCredentials([...lines, 'client-cert', ':a:'], { ...names, certificate: 'client-cert' })).toEqual({
        ok: false,
        error: 'ambiguous_credentials',
      });
    });

    it('can be repeated in headers that are not read', () => {
      const twice = ['x-client-cert', 'a', 'x-client-cert', 'b', 'client-cert-chain', 'a', 'client-cert-chain', 'b'];
      expect(requestCredentials(twice, names).ok).toBe(true);
    });
  });

  describe('session cookies', () => {
    const cookies = (headers: readonly string[], sessionCookieNames: readonly string[] = ['session']) => {
      const read = requestCredentials(headers, { ...names, sessionCookieNames });
      return read.ok ? read.value.sessionCookies : read.error;
    };

    it('are those with the configured name, in its exact spelling, from every field', () => {
      const headers = ['cookie', 'a=1; session=one', 'Cookie', 'Session=two; session=three; my_session=four'];
      expect(cookies(headers)).toEqual(['one', 'three']);
      expect(cookies(headers, ['other'])).toEqual([]);
    });

    it('are those of the first name that the request has', () => {
      const names = ['session', 'former', 'oldest'];
      expect(cookies(['cookie', 'oldest=3; former=2; former=4'], names)).toEqual(['2', '4']);
      expect(cookies(['cookie', 'oldest=3; former=2; session=1'], names)).toEqual(['1']);
      expect(cookies(['cookie', 'oldest=3; session='], names)).toEqual(['']);
    });

    it('are not read if no method reads them', () => {
      expect(cookies(['cookie', 'session=one'], [])).toEqual([]);
    });
  });
});
