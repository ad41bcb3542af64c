import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect } from 'vitest';
import { nowSecs } from '../exchange-company.js';
import { issued, json, type Row } from './exchange-row.js';

/** What an issued token says. */
export const issuedTokenRows: readonly Row[] = [
  [
    'RFC 9068, 2.1',
    'typ is at+jwt, and the token is signed by a key that its header names',
    {},
    async (answer, ground) => {
      const token = json(answer)['access_token'] as string;
      const jwks = JSON.parse((await ground.stack.ask({ path: '/token/jwks' })).body) as JSONWebKeySet;
      expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: jwks.keys[0]?.kid });
      const expected = { issuer: ground.issuer, audience: 'service-b', typ: 'at+jwt' };
      expect((await jwtVerify(token, createLocalJWKSet(jwks), expected)).payload.sub).toBe('ada');
    },
  ],
  [
    'RFC 9068, 2.2',
    'iss, exp, aud, sub, client_id, iat and jti are REQUIRED',
    {},
    issued((claims, _answer, { before, after }, ground) => {
      expect(claims).toEqual({
        iss: ground.issuer,
        sub: 'ada',
        aud: 'service-b',
        client_id: 'service-a',
        scope: 'orders:read orders:write profile',
        email: 'ada@example.com',
        roles: ['editor'],
        iat: expect.any(Number),
        nbf: claims['iat'],
        exp: (claims['iat'] as number) + 3600,
        jti: expect.stringMatching(/^.{20,}$/),
      });
      expect(claims['iat']).toBeGreaterThanOrEqual(before);
      expect(claims['iat']).toBeLessThanOrEqual(after);
    }),
  ],
  [
    'RFC 9068, 3',
    'without a target the token is for the default one',
    { fields: { audience: undefined } },
    issued((claims, _answer, _moments, { issuer }) => void expect(claims['aud']).toBe(issuer)),
  ],
  [
    'RFC 9068, 2.2.2',
    'what the subject token says is not taken over but for what is configured',
    async (ground) => ({
      fields: {
        subject_token: await ground.partnerToken({ admin: true, nbf: nowSecs() - 9, jti: 'theirs', groups: ['x'] }),
      },
    }),
    issued((claims) => {
      expect(claims).not.toHaveProperty('admin');
      expect(claims).not.toHaveProperty('groups');
      expect(claims['jti']).not.toBe('theirs');
      expect(claims['nbf']).toBe(claims['iat']);
    }),
  ],
];
