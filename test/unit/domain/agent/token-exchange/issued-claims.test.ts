import { describe, expect, it } from 'vitest';
import {
  issuedClaims,
  maximumCopiedLength,
  maximumPayloadLength,
  reservedClaims,
  type TokenContents,
} from '../../../../../src/domain/agent/token-exchange/issued-claims.js';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { maximumTokenLength, parseCompactJws } from '../../../../../src/domain/agent/tokens/compact-jws.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { ownIssuer } from '../../../../support/agent/asked-exchange.js';

const token: TokenContents = {
  issuer: ownIssuer,
  subject: 'ann',
  audiences: ['api'],
  clientId: 'svc',
  scopes: [],
  actors: [],
  jti: 'the-jti',
  lifetimeSecs: 600,
  issuedAtSecs: 1_800_000_000,
};
const own = {
  iss: ownIssuer,
  sub: 'ann',
  aud: 'api',
  exp: 1_800_000_600,
  nbf: 1_800_000_000,
  iat: 1_800_000_000,
  jti: 'the-jti',
  client_id: 'svc',
};
const read = (changes: Partial<TokenContents>, subject: Claims = {}, copied: readonly string[] = []): Claims | null => {
  const payload = issuedClaims({ ...token, ...changes }, subject, copied);
  return payload === null ? null : parseClaims(payload);
};

describe('issuedClaims', () => {
  it('are those of an access token, and no others', () => {
    expect(read({}, { email: 'ann@example.com', admin: true })).toEqual(own);
  });

  it('have a list as audience if there are several', () => {
    expect(read({ audiences: ['a', 'b'] })).toEqual({ ...own, aud: ['a', 'b'] });
  });

  it('have scopes and actors if there are any', () => {
    expect(read({ scopes: ['read', 'write'], actors: [{ issuer: null, subject: 'b' }] })).toEqual({
      ...own,
      scope: 'read write',
      act: { sub: 'b' },
    });
  });

  it('copy claims by name, unchanged', () => {
    const subject = parseClaims('{"roles":["a"],"n":[9007199254740993,1.00000000000000000000001],"no":1,"x":null}');
    expect(read({}, subject ?? {}, ['roles', 'n', 'x', 'email'])).toEqual({
      ...own,
      roles: ['a'],
      n: [9007199254740993n, new SpelledNumber('1.00000000000000000000001')],
      x: null,
    });
  });

  it('copy no property inherited from Object, except a real claim of that name', () => {
    expect(read({}, {}, ['constructor', '__proto__', 'toString'])).toEqual(own);
    const subject = parseClaims('{"__proto__":{"sub":"eve"},"constructor":"x"}') as Claims;
    const payload = issuedClaims(token, subject, ['__proto__', 'constructor']) as string;
    const claims = parseClaims(payload) as Claims;
    expect(claims['sub']).toBe('ann');
    expect(Object.getOwnPropertyDescriptor(claims, '__proto__')?.value).toEqual({ sub: 'eve' });
    expect(claims['constructor']).toBe('x');
  });

  it.each(reservedClaims)('never copy %s', (name) => {
    expect(read({}, { [name]: 'planted' }, [name])).toEqual(own);
  });

  it('keep every value inside its claim', () => {
    const subject = { roles: '","sub":"eve","x":"', email: '\u0000\u2028\ud800"' };
    expect(read({ jti: '","admin":true,"y":"' }, subject, ['roles', 'email'])).toEqual({
      ...own,
      ...subject,
      jti: '","admin":true,"y":"',
    });
  });

  it('limit the copied claims', () => {
    const fitting = maximumCopiedLength - '{"roles":""}'.length;
    expect(read({}, { roles: 'a'.repeat(fitting) }, ['roles'])).not.toBeNull();
    expect(read({}, { roles: 'a'.repeat(fitting + 1) }, ['roles'])).toBeNull();
    expect(read({}, { roles: 'a'.repeat(fitting), email: '' }, ['roles', 'email'])).toBeNull();
  });

  it('limit all claims, so that this agent can read the token', () => {
    const withScope = (length: number) => issuedClaims({ ...token, scopes: ['s'.repeat(length)] }, {}, []);
    const room = maximumPayloadLength - (withScope(1)?.length ?? 0) + 1;
    expect(withScope(room + 1)).toBeNull();
    const payload = withScope(room) as string;
    expect(payload.length).toBe(maximumPayloadLength);
    // With the longest header and signature: of an RSA key of 8192 bits.
    const header = { alg: 'RS256', typ: 'at+jwt', kid: 'k'.repeat(64) };
    const parts = [JSON.stringify(header), payload, 's'.repeat(1024)];
    const jws = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
    expect(jws.length).toBeLessThan(maximumTokenLength);
    expect(parseCompactJws(jws).ok).toBe(true);
  });

  it('count octets, not characters', () => {
    const thrice = Math.ceil(maximumPayloadLength / 3);
    const scopes = ['a'.repeat(thrice)];
    expect(issuedClaims({ ...token, scopes }, { roles: '€'.repeat(thrice) }, ['roles'])).toBeNull();
    expect(issuedClaims({ ...token, scopes }, { roles: 'e'.repeat(thrice) }, ['roles'])).not.toBeNull();
  });
});
