import { describe, expect, it } from 'vitest';
import { maximumTokenLength, parseCompactJws } from '../../../../../src/domain/agent/tokens/compact-jws.js';

const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const header = encode('{"alg":"HS256"}');
const payload = encode('{"sub":"ann"}');

describe('parseCompactJws', () => {
  it('gives header and payload', () => {
    expect(parseCompactJws(`${header}.${payload}.c2ln`)).toEqual({
      ok: true,
      value: { header: { alg: 'HS256' }, payload: { sub: 'ann' } },
    });
  });

  it.each([
    ['two parts', `${header}.${payload}`],
    ['four parts', `${header}.${payload}.c2ln.c2ln`],
    ['a part behind a second dot', `${header}.${payload}..c2ln`],
    ['padding', `${header}.${payload}.c2lnbg==`],
    ['characters of the other alphabet', `${header}.${payload}.++//`],
    ['bits left over, a second spelling of the same octets', `${header}.${payload}.c2lnbh`],
    ['white space', `${header}.${payload}.c2ln\n`],
    ['a header that is an array', `${encode('[]')}.${payload}.c2ln`],
    ['a payload that is no JSON', `${header}.${encode('sub=ann')}.c2ln`],
    ['a payload that is no UTF-8', `${header}.${encode(Buffer.from('7b2273223a22ff227d', 'hex'))}.c2ln`],
    ['a repeated claim', `${header}.${encode('{"exp":9999999999,"exp":1}')}.c2ln`],
    ['a repeated algorithm', `${encode('{"alg":"none","alg":"HS256"}')}.${payload}.c2ln`],
    ['nothing', ''],
    ['dots alone', '..'],
  ])('refuses %s', (_, token) => {
    expect(parseCompactJws(token)).toEqual({ ok: false, error: 'malformed' });
  });

  it('skips a token over the limit', () => {
    expect(parseCompactJws('.'.repeat(maximumTokenLength + 1))).toEqual({ ok: false, error: 'too_large' });
  });
});
