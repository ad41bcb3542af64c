import { describe, expect, it } from 'vitest';
import { ResponseHeadCache } from '../../../../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import { headWith, knowing, recalled, times } from '../../../../../support/gateway/coming-heads.js';

const namesForOne = [
  'Authentication-Info',
  'Authorization',
  'Content-Location',
  'Location',
  'Proxy-Authenticate',
  'Proxy-Authentication-Info',
  'Refresh',
  'Set-Cookie',
  'Set-Cookie2',
  'WWW-Authenticate',
];

/** Upper and lower case in turn. */
const mixed = (name: string): string =>
  [...name.toLowerCase()].map((letter, at) => (at % 2 === 0 ? letter : letter.toUpperCase())).join('');

const waysToWrite = (name: string): readonly string[] => [name, name.toLowerCase(), name.toUpperCase(), mixed(name)];

const long = (octets: number): string => headWith(`X-Long: ${'a'.repeat(octets - headWith('X-Long: ').length)}`);

const withFields = (count: number): string => headWith(...times(count, 'A: b'));

const known = headWith('X-Known: before');

/** It never comes to be known, and costs nothing; nor does it take the place of one that is known. */
const expectLeftOut = (text: string): void => {
  expect(recalled(new ResponseHeadCache(), times(60, text)), `${text} alone`).not.toContain(true);
  const repeated = knowing(known);
  expect(recalled(repeated, times(60, text)), `${text} behind another`).not.toContain(true);
  expect(recalled(repeated, [known]), `behind ${text}`).toEqual([true]);
};

describe('a head that is not remembered', () => {
  it.each(namesForOne)('is for one client: %s, at any place and in any case', (name) => {
    for (const written of waysToWrite(name)) {
      const line = `${written}: a`;
      expectLeftOut(headWith(line));
      expectLeftOut(headWith(`${written}:`));
      for (const place of [0, 1, 2, 50, 98, 99]) {
        expectLeftOut(headWith(...times(place, 'A: b'), line, ...times(99 - place, 'C: d')));
      }
    }
  });

  it.each([
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['HTTP/1.0 that stays', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n'],
    ['Connection: close', headWith('Connection: close', 'Content-Length: 5')],
    ['Connection: close among others', headWith('Connection: x-a, Close', 'Content-Length: 5')],
    ['101', 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])('is for no other response on its connection: %s', (_, text) => expectLeftOut(text));

  it('has more than 4 096 octets, or more than 100 fields', () => {
    expect(long(4_097)).toHaveLength(4_097);
    expectLeftOut(long(4_097));
    expectLeftOut(withFields(101));
    expect(recalled(new ResponseHeadCache(), times(4, long(4_096)))).toEqual([false, false, false, true]);
    expect(recalled(new ResponseHeadCache(), times(4, withFields(100)))).toEqual([false, false, false, true]);
  });
});

describe('a head that only looks like one that is for one client', () => {
  it.each([
    ['a name that is longer', headWith('Set-Cookie3: a=b')],
    ['a name that ends so', headWith('X-Set-Cookie: a=b')],
    ['a name that is as long', headWith('Lacation: /', 'Get-Cookie: a', 'Refrash: 1')],
    ['a value', headWith('Vary: Set-Cookie', 'X-A: Set-Cookie: a')],
    ['the reason', 'HTTP/1.1 200 Location: /\r\nContent-Length: 5\r\n\r\n'],
    ['no field at all', 'HTTP/1.1 200 X\r\n\r\n'],
    ['Connection: keep-alive', headWith('Connection: keep-alive')],
    ['the name of another field as connection option', headWith('Connection: x-close')],
  ])('is remembered: %s', (_, text) => {
    expect(recalled(new ResponseHeadCache(), times(4, text))).toEqual([false, false, false, true]);
  });

  it('is remembered behind heads that are for one client', () => {
    const repeated = new ResponseHeadCache();
    expect(recalled(repeated, times(4, headWith('A: b', 'Location: /')))).not.toContain(true);
    // Where the field of the other began, this one has the same in a value.
    const other = headWith('A: bcdLocation: /, and more');
    expect(other.indexOf('Location')).toBe(headWith('A: b', 'Location: /').indexOf('Location'));
    expect(recalled(repeated, times(4, other))).toEqual([false, false, false, true]);
  });
});
