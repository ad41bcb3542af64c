import { createHmac } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import { nowSecs, partnerAudience, partnerIssuer, signedToken, tokenType } from '../exchange-company.js';
import { strangerKey } from '../saml-keys.js';
import { rsaPair, tokenPart } from '../test-tokens.js';
import { issued, json, type Row, refused } from './exchange-row.js';
import { withAssertionOfIdp, withIdToken, withProviderToken } from './shown-tokens.js';

const stranger = rsaPair();

/** Which subject and actor tokens are taken. */
export const tokenRows: readonly Row[] = [
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: signature',
    async () => ({
      fields: {
        subject_token: await signedToken(stranger.privateKey, 'RS256', {
          iss: partnerIssuer,
          aud: partnerAudience,
          sub: 'ada',
          exp: nowSecs() + 60,
        }),
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8725, 3.2',
    'a token without a signature is none',
    () => ({
      fields: {
        subject_token: `${tokenPart({ alg: 'none' })}.${tokenPart({ iss: partnerIssuer, aud: partnerAudience, sub: 'ada', exp: nowSecs() + 60 })}.`,
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8725, 3.1',
    'a public key is no shared secret',
    async (ground) => {
      const jwks = JSON.parse((await ground.stack.ask({ path: '/token/jwks' })).body) as {
        keys: { n: string; kid: string }[];
      };
      const [key] = jwks.keys;
      const input = `${tokenPart({ alg: 'HS256', kid: key?.kid, typ: 'at+jwt' })}.${tokenPart({ iss: ground.issuer, aud: 'service-a', sub: 'ada', exp: nowSecs() + 60 })}`;
      const mac = createHmac('sha256', Buffer.from(key?.n ?? '', 'base64url'))
        .update(input)
        .digest('base64url');
      return { fields: { subject_token: `${input}.${mac}` } };
    },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: expiry',
    async (ground) => ({ fields: { subject_token: await ground.partnerToken({ exp: nowSecs() - 60 }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: audience',
    async (ground) => ({ fields: { subject_token: await ground.partnerToken({ aud: 'somebody-else' }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'the subject token MUST be validated: issuer',
    async (ground) => ({
      fields: { subject_token: await ground.partnerToken({ iss: 'https://elsewhere.example' }) },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'validation is that of the indicated type: a JWT is no assertion',
    { fields: { subject_token_type: tokenType('saml2') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.2.2',
    'an actor token that is no good is invalid_request',
    { fields: { actor_token: 'e30.e30.e30', actor_token_type: tokenType('jwt') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8705, 3',
    'a token that is bound to a key is not made a bearer token',
    async (ground) => ({ fields: { subject_token: await ground.partnerToken({ cnf: { 'x5t#S256': 'x' } }) } }),
    refused('invalid_request'),
  ],

  ...(['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'client-authentication+jwt'] as const).map(
    (typ): Row => [
      'RFC 8725, 3.11',
      `a token that says it is something else is something else: ${typ}`,
      async (ground) => ({ fields: { subject_token: await ground.partnerToken({}, { typ }) } }),
      refused('invalid_request'),
    ],
  ),
  // ID tokens.
  [
    'RFC 8693, 3',
    'an ID token may be exchanged',
    (ground) => withIdToken(ground, { nonce: 'n', at_hash: 'h' }),
    issued((claims) => {
      expect(claims).toMatchObject({ sub: 'ada', client_id: 'service-a' });
      expect(claims).not.toHaveProperty('nonce');
      expect(claims).not.toHaveProperty('at_hash');
    }),
  ],
  [
    'OIDC Core, 2',
    'an ID token has iat',
    (ground) => withIdToken(ground, { iat: undefined }),
    refused('invalid_request'),
  ],
  [
    'OIDC Core, 3.1.3.7',
    'an ID token MUST name us as its audience',
    (ground) => withIdToken(ground, { aud: 'somebody-else' }),
    refused('invalid_request'),
  ],
  [
    'OIDC Core, 3.1.3.7',
    'an ID token of another party is not ours, although it names us',
    (ground) => withIdToken(ground, { aud: [partnerAudience, 'web'], azp: 'web' }),
    refused('invalid_request'),
  ],
  [
    'RFC 9068, 4',
    'an access token is no ID token',
    (ground) => withIdToken(ground, {}, { typ: 'at+jwt' }),
    refused('invalid_request'),
  ],
  [
    'OIDC Core, 3.1.3.6',
    'an ID token is no access token',
    async (ground) => ({
      fields: {
        subject_token: await ground.partnerToken({ at_hash: 'h' }),
        subject_token_type: tokenType('access_token'),
      },
    }),
    refused('invalid_request'),
  ],
  // SAML assertions.
  [
    'RFC 8693, 3',
    'a SAML assertion may be exchanged, and has no scope',
    withAssertionOfIdp,
    issued((claims, answer) => {
      expect(claims).toMatchObject({ sub: 'ada@example.com', aud: 'service-b', client_id: 'service-a' });
      expect(claims).not.toHaveProperty('scope');
      expect(json(answer)).not.toHaveProperty('scope');
    }),
  ],
  [
    'RFC 7522, 3',
    'the Recipient MUST be the token endpoint',
    (ground) => withAssertionOfIdp(ground, { recipient: `${ground.issuer}/saml/acs` }),
    refused('invalid_request'),
  ],
  [
    'RFC 7522, 3',
    'the assertion MUST be signed by the identity provider',
    (ground) => withAssertionOfIdp(ground, {}, { key: strangerKey() }),
    refused('invalid_request'),
  ],
  // Of a provider whose keys are fetched.
  [
    'RFC 8693, 2.1',
    'an access token of a provider is verified by the keys that it publishes',
    ({ provider }) => withProviderToken(provider),
    issued((claims) => void expect(claims).toMatchObject({ sub: 'orders-service', scope: 'read write' })),
  ],
  [
    'RFC 8693, 2.1',
    'an access token of a provider for another audience is not taken',
    ({ provider }) => withProviderToken(provider, { resource: 'urn:other' }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'an access token of a provider under a key that it does not publish is not taken',
    ({ provider }) =>
      withProviderToken(provider, {}, (token) => {
        const header = { ...decodeProtectedHeader(token) };
        return signedToken(stranger.privateKey, 'RS256', { ...decodeJwt(token) }, header);
      }),
    refused('invalid_request'),
  ],
];
