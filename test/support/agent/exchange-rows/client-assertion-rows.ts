import { expect } from 'vitest';
import { nowSecs } from '../exchange-company.js';
import { ecPair, publicPem, signToken, tokenPart } from '../test-tokens.js';
import { assertionClaims, clientAssertion, shown, withAssertion } from './client-assertions.js';
import { issued, type Row, refused } from './exchange-row.js';

const stranger = ecPair();

/** How a client authenticates itself by a key (RFC 7521, RFC 7523). */
export const clientAssertionRows: readonly Row[] = [
  [
    'RFC 7523, 3',
    'a client may sign an assertion',
    withAssertion,
    issued((claims) => void expect(claims['client_id']).toBe('service-k')),
  ],
  [
    'RFC 7523, 3',
    'iss and sub MUST be the client',
    (ground) => withAssertion(ground, { sub: 'service-a' }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'aud MUST be the authorization server',
    (ground) => withAssertion(ground, { aud: 'https://other.example' }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'aud MUST be us alone',
    (ground) => withAssertion(ground, { aud: [ground.endpointUrl, 'https://other.example'] }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp is REQUIRED',
    (ground) => withAssertion(ground, { exp: undefined }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp MUST NOT be over',
    (ground) => withAssertion(ground, { exp: nowSecs() - 60 }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'exp MUST NOT be far away',
    (ground) => withAssertion(ground, { exp: nowSecs() + 3600 }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7521, 4.2',
    'the type of the assertion is this one',
    async (ground) => shown(await clientAssertion(ground), { client_assertion_type: 'urn:x' }),
    refused('invalid_client', 401),
  ],

  [
    'RFC 7523, 3',
    'aud MAY be the issuer as well as the endpoint',
    (ground) => withAssertion(ground, { aud: ground.issuer }),
    issued((claims) => void expect(claims['client_id']).toBe('service-k')),
  ],
  [
    'RFC 7523, 3',
    'nbf MUST NOT be ahead',
    (ground) => withAssertion(ground, { nbf: nowSecs() + 120, exp: nowSecs() + 180 }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'iat is not ahead, where it is given',
    (ground) => withAssertion(ground, { iat: nowSecs() + 120, exp: nowSecs() + 180 }),
    refused('invalid_client', 401),
  ],
  [
    'OIDC Core, 9',
    'jti is REQUIRED',
    (ground) => withAssertion(ground, { jti: undefined }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7523, 3',
    'the assertion MUST be signed by the client',
    (ground) => withAssertion(ground, {}, stranger.privateKey),
    refused('invalid_client', 401),
  ],
  [
    'RFC 8725, 3.2',
    'an assertion without a signature is none',
    (ground) => shown(`${tokenPart({ alg: 'none' })}.${tokenPart(assertionClaims(ground))}.`),
    refused('invalid_client', 401),
  ],
  [
    'RFC 8725, 3.1',
    'the public key of the client is no shared secret',
    (ground) => shown(signToken('HS256', publicPem(ground.clientKey.publicKey), assertionClaims(ground))),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7521, 4.2',
    'client_id beside an assertion MUST be its subject',
    async (ground) => shown(await clientAssertion(ground), { client_id: 'service-a' }),
    refused('invalid_client', 401),
  ],
  [
    'RFC 7521, 4.2',
    'client_id beside an assertion is unnecessary, but may be there',
    async (ground) => shown(await clientAssertion(ground), { client_id: 'service-k' }),
    issued((claims) => void expect(claims['client_id']).toBe('service-k')),
  ],
];
