import { expect } from 'vitest';
import { basicFor, exchangeGrant, tokenType } from '../exchange-company.js';
import { anonymous, issued, json, type Row, refused } from './exchange-row.js';
import { serviceToken } from './shown-tokens.js';

/** Parameters that may be there once; `audience` and `resource` may be there more often (RFC 8693, section 2.1). */
const repeatedOnce = [
  'grant_type',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'scope',
  'requested_token_type',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;

/** Octets of a form, at most, where SAML tokens are exchanged. */
const largestForm = 1024 * 1024;

/** What a request has to be. */
export const requestRows: readonly Row[] = [
  ['RFC 8693, 2.1', 'an exchange is a POST of a form to the token endpoint', {}, issued()],
  [
    'RFC 6749, 3.2',
    'the client MUST use POST',
    { call: { method: 'GET', body: '' } },
    (answer) => {
      refused('invalid_request', 405)(answer);
      expect(answer.headers['allow']).toBe('POST');
    },
  ],
  [
    'RFC 8693, 2.1',
    'parameters are sent as application/x-www-form-urlencoded',
    (ground) => ({
      call: {
        headers: { 'content-type': 'application/json', authorization: basicFor('service-a') },
        body: JSON.stringify({ grant_type: exchangeGrant, issuer: ground.issuer }),
      },
    }),
    refused('invalid_request'),
  ],
  ['RFC 8693, 2.1', 'grant_type is REQUIRED', { fields: { grant_type: undefined } }, refused('invalid_request')],
  [
    'RFC 6749, 5.2',
    'a grant type that is not supported has an error of its own',
    { fields: { grant_type: 'client_credentials' } },
    refused('unsupported_grant_type'),
  ],
  ['RFC 8693, 2.1', 'subject_token is REQUIRED', { fields: { subject_token: '' } }, refused('invalid_request')],
  [
    'RFC 8693, 2.1',
    'subject_token_type is REQUIRED',
    { fields: { subject_token_type: undefined } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 3',
    'a token type that is not known is refused',
    { fields: { subject_token_type: tokenType('refresh_token') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 3',
    'token types are URIs: their last part alone is none',
    { fields: { subject_token_type: 'jwt' } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'actor_token_type is REQUIRED with actor_token',
    async (ground) => ({ fields: { actor_token: await serviceToken(ground) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'actor_token_type MUST NOT be there without actor_token',
    { fields: { actor_token_type: tokenType('jwt') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'requested_token_type is OPTIONAL',
    { fields: { requested_token_type: undefined } },
    (answer) => void expect(json(answer)).toMatchObject({ issued_token_type: tokenType('access_token') }),
  ],
  [
    'RFC 8693, 2.1',
    'what is issued is what requested_token_type asks for',
    { fields: { requested_token_type: tokenType('jwt') } },
    (answer) => void expect(json(answer)).toMatchObject({ issued_token_type: tokenType('jwt'), token_type: 'Bearer' }),
  ],
  [
    'RFC 8693, 2.2.2',
    'a type that is not issued here is refused',
    { fields: { requested_token_type: tokenType('saml2') } },
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 2.1',
    'several audience parameters name several targets',
    { fields: { audience: ['service-b', 'orders'] } },
    issued((claims) => void expect(claims['aud']).toEqual(['service-b', 'orders'])),
  ],
  [
    'RFC 8693, 2.1',
    'resource is an absolute URI, and becomes an audience',
    { fields: { audience: undefined, resource: 'https://b.example/api' } },
    issued((claims) => void expect(claims['aud']).toBe('https://b.example/api')),
  ],
  [
    'RFC 8693, 2.1',
    'resource and audience may be used together',
    { fields: { resource: 'https://b.example/api' } },
    issued((claims) => void expect(claims['aud']).toEqual(['service-b', 'https://b.example/api'])),
  ],
  ['RFC 8693, 2.1', 'resource MUST be absolute', { fields: { resource: '/api' } }, refused('invalid_target')],
  [
    'RFC 8693, 2.1',
    'resource MAY have a query',
    { fields: { audience: undefined, resource: 'https://b.example/api?v=1' } },
    issued((claims) => void expect(claims['aud']).toBe('https://b.example/api?v=1')),
  ],
  [
    'RFC 8693, 2.1',
    'resource MUST NOT have a fragment',
    { fields: { resource: 'https://b.example/api#x' } },
    refused('invalid_target'),
  ],
  [
    'RFC 8693, 2.2.2',
    'a target for which no token is issued is invalid_target',
    { fields: { audience: 'payroll' } },
    refused('invalid_target'),
  ],
  [
    'RFC 8693, 2.2.2',
    'one such target among others is enough',
    { fields: { audience: ['service-b', 'payroll'] } },
    refused('invalid_target'),
  ],
  [
    'RFC 6749, 3.2',
    'a parameter without a value is as if it were not there',
    { fields: { scope: '', resource: '', actor_token: '', actor_token_type: '', requested_token_type: '' } },
    issued((claims) => void expect(claims).not.toHaveProperty('act')),
  ],
  [
    'RFC 6749, 3.2',
    'parameters that are not known MUST be ignored',
    { fields: { colour: 'blue', state: 'x' } },
    issued(),
  ],
  ...repeatedOnce.map(
    (name): Row => [
      'RFC 6749, 3.2',
      `parameters MUST NOT be there twice: ${name}`,
      { fields: { [name]: ['one', 'one'] } },
      (answer) => {
        refused('invalid_request')(answer);
        // Whatever else is wrong with the request is not what is said.
        expect(json(answer)['error_description']).toMatch(/repeated/);
      },
    ],
  ),
  [
    'RFC 6749, 2.3.1',
    'parameters MUST NOT be in the request URI',
    { call: { path: '/token/exchange?subject_token=x' } },
    refused('invalid_request'),
  ],
  ['RFC 3986, 2.1', 'a broken escape is no form', { call: { body: 'grant_type=%zz' } }, refused('invalid_request')],

  [
    'RFC 9110, 8.3.1',
    'a media type may have parameters, and is not told by case',
    {
      call: {
        headers: {
          'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8',
          authorization: basicFor('service-a'),
        },
      },
    },
    issued(),
  ],
  [
    'RFC 9110, 15.5.14',
    'a form that is too large is refused before it is here',
    { call: { headers: { ...anonymous.headers, 'content-length': largestForm + 1 }, body: '' } },
    refused('invalid_request', 413),
  ],
  [
    'RFC 9110, 15.5.14',
    'a form that turns out to be too large is refused',
    { call: { headers: { ...anonymous.headers, 'transfer-encoding': 'chunked' }, body: 'a'.repeat(largestForm + 1) } },
    ({ status }) => void expect(status).toBe(413),
  ],
];
