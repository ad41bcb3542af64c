import { describe, expect, it } from 'vitest';
import { requestCredentials } from '../../../../src/domain/identity/request-credentials.js';

const authorization = (value: string) => {
  const read = requestCredentials(['authorization', value], 'x-api-key');
  return read.ok ? read.value.authorization : read.error;
};
const basic = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('requestCredentials', () => {
  it('reads a bearer token, whatever the case of its scheme', () => {
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
  ])('takes no bearer credential %s', (_, value) => {
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
  ])('takes no basic credential %s', (_, value) => {
    expect(authorization(value)).toEqual({ scheme: 'malformed', of: 'basic' });
  });

  it('leaves other schemes alone', () => {
    expect(authorization('Digest username="ann"')).toEqual({ scheme: 'other' });
    expect(authorization('')).toEqual({ scheme: 'other' });
    expect(authorization('Bearerx abc')).toEqual({ scheme: 'other' });
  });

  it('refuses a request that shows a credential twice', () => {
    for (const names of [
      ['authorization', 'authorization'],
      ['Authorization', 'aUTHORIZATION'],
      ['x-api-key', 'X-API-Key'],
    ]) {
      const headers = [names[0] as string, 'Bearer a', names[1] as string, 'Bearer a'];
      expect(requestCredentials(headers, 'x-api-key')).toEqual({ ok: false, error: 'ambiguous_credentials' });
    }
  });

  it('reads the key from the configured header alone', () => {
    const headers = ['x-key', 'one', 'x-api-key', 'two', 'x_key', 'three'];
    expect(requestCredentials(headers, 'x-key')).toEqual({ ok: true, value: { authorization: null, apiKey: 'one' } });
  });
});
