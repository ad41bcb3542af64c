import { describe, expect, it } from 'vitest';
import { readRevocationFile } from '../../../../../src/domain/agent/client-certificates/revocation-file.js';
import {
  maximumRevoked,
  readRevocationList,
} from '../../../../../src/domain/agent/client-certificates/revocation-list.js';
import {
  commonNameOf,
  der,
  entry,
  extension,
  generalizedTime,
  type MadeList,
  madeList,
  octets,
  sequence,
  utcTime,
} from '../../../../support/agent/made-revocation-lists.js';
import { named } from '../../../../support/shared/made-certificate.js';

const reading = (plan: MadeList = {}) => readRevocationList(madeList(plan));
const faultOf = (plan: MadeList): string => {
  const read = reading(plan);
  return read.ok ? 'none' : read.error;
};

describe('a certificate revocation list', () => {
  it('has an issuer, a period, serial numbers and a signature', () => {
    const read = reading({ entries: [entry('01'), entry('00ff'), entry('7fabcdef0123')] });
    expect(read).toEqual({
      ok: true,
      value: {
        issuer: named('authority'),
        thisUpdateMs: Date.UTC(2026, 0, 1),
        nextUpdateMs: Date.UTC(2026, 1, 1),
        serials: new Set(['01', '00ff', '7fabcdef0123']),
        signed: {
          algorithm: '1.2.840.10045.4.3.2',
          parameters: null,
          octets: expect.anything(),
          signature: expect.anything(),
        },
      },
    });
  });

  it('can revoke nothing, and can be of version 1', () => {
    expect(reading({ entries: null })).toMatchObject({ ok: true, value: { serials: new Set() } });
    expect(reading({ version: null })).toMatchObject({ ok: true });
  });

  it('can have harmless extensions, and a reason for each entry', () => {
    const reason = sequence(extension('551d15', false, octets('0a0101')));
    const extensions = [extension('551d14', false), extension('551d23', true), extension('2a0304', false)];
    expect(faultOf({ entries: [entry('01', reason)], extensions })).toBe('none');
  });

  it.each<readonly [string, MadeList, string]>([
    ['without nextUpdate', { nextUpdate: null }, 'no_next_update'],
    ['limited to a distribution point', { extensions: [extension('551d1c', true)] }, 'partial'],
    ['limited to one without marking it critical', { extensions: [extension('551d1c', false)] }, 'partial'],
    ['that changes another', { extensions: [extension('551d1b', true)] }, 'delta'],
    ['with an unknown critical extension', { extensions: [extension('2a0304', true)] }, 'unknown_critical'],
    ['with entries of another issuer', { entries: [entry('01', sequence(extension('551d1d', true)))] }, 'partial'],
    [
      'with an entry that has an unknown critical extension',
      { entries: [entry('01', sequence(extension('2a0304', true)))] },
      'unknown_critical',
    ],
    ['with an unknown version', { version: der(0x02, octets('02')) }, 'malformed'],
    ['with two signature algorithms', { outerAlgorithm: sequence(der(0x06, octets('2b6570'))) }, 'malformed'],
    ['without an issuer', { issuer: sequence() }, 'malformed'],
    ['with an empty relative name', { issuer: sequence(der(0x31)) }, 'malformed'],
    ['with a time without seconds', { thisUpdate: utcTime('2601010000Z') }, 'malformed'],
    ['with a time of another zone', { thisUpdate: utcTime('260101000000+0100') }, 'malformed'],
    ['with a day that does not exist', { thisUpdate: utcTime('260230000000Z') }, 'malformed'],
    ['with a fraction of a second', { nextUpdate: generalizedTime('20260201000000.5Z') }, 'malformed'],
    ['that ends before it begins', { nextUpdate: utcTime('251231000000Z') }, 'malformed'],
    ['with an extension twice', { extensions: [extension('2a0304', false), extension('2a0304', false)] }, 'malformed'],
    ['with a field that lists have not', { more: [der(0x04, octets('00'))] }, 'malformed'],
    ['with a serial number in a long form', { entries: [entry('0001')] }, 'malformed'],
    ['with an empty serial number', { entries: [entry('')] }, 'malformed'],
    ['with a serial number of 65 octets', { entries: [entry('01'.repeat(65))] }, 'malformed'],
    ['with an entry that has no date', { entries: [sequence(der(0x02, octets('01')))] }, 'malformed'],
    ['with unused bits in its signature', { signature: der(0x03, octets('01'), octets('ab')) }, 'malformed'],
  ])('is refused: %s', (_case, plan, fault) => {
    expect(faultOf(plan)).toBe(fault);
  });

  it('reads years of two and of four digits', () => {
    const read = reading({ thisUpdate: utcTime('500101000000Z'), nextUpdate: generalizedTime('20500101000000Z') });
    expect(read).toMatchObject({
      value: { thisUpdateMs: Date.UTC(1950, 0, 1), nextUpdateMs: Date.UTC(2050, 0, 1) },
    });
  });

  it('has a limit of entries', () => {
    const entries = Array.from({ length: maximumRevoked + 1 }, (_, index) =>
      entry(`01${index.toString(16).padStart(6, '0')}`),
    );
    const content = Buffer.concat(entries.slice(0, -1));
    const withinLimit = readRevocationList(madeList({ entries: [content] }));
    expect(withinLimit.ok && withinLimit.value.serials.size).toBe(maximumRevoked);
    expect(faultOf({ entries: [Buffer.concat(entries)] })).toBe('too_many');
  });
});

const pem = (list: Uint8Array): string =>
  `-----BEGIN X509 CRL-----\n${Buffer.from(list).toString('base64')}\n-----END X509 CRL-----\n`;
const fileOf = (content: string | Uint8Array) => {
  const read = readRevocationFile(Buffer.from(content));
  return read.ok ? read.value.length : read.error;
};

describe('a file with revocation lists', () => {
  it('holds one in DER, or several in PEM between other text', () => {
    expect(fileOf(madeList())).toBe(1);
    expect(fileOf(`0 first\n${pem(madeList())}second\r\n${pem(madeList({ issuer: commonNameOf('b') }))}`)).toBe(2);
  });

  it.each([
    ['nothing', '', 'holds no certificate revocation list'],
    ['other octets', octets('ff00ff'), 'is neither PEM nor DER'],
    ['octets behind the list', Buffer.concat([madeList(), octets('00')]), 'is not a DER certificate revocation list'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\n', 'holds a PEM block other than "X509 CRL"'],
    ['a key', '-----BEGIN EC PRIVATE KEY-----\n', 'holds a private key; remove it from this file'],
    ['no end', '-----BEGIN X509 CRL-----\nMAA=\n', 'holds a damaged list: number 1'],
    ['65 lists', pem(madeList()).repeat(65), 'holds more than 64 lists'],
    [
      'a delta list second',
      pem(madeList()) + pem(madeList({ extensions: [extension('551d1b', true)] })),
      'holds an unusable list: number 2 is a delta list; use a complete list',
    ],
  ])('is refused with %s', (_case, content, error) => {
    expect(fileOf(content)).toBe(error);
  });
});
