import { expect } from 'vitest';
import { basicFor, basicOf, clientSecrets } from '../exchange-company.js';
import { anonymous, as, issued, type Row, refused } from './exchange-row.js';

/** How clients authenticate themselves. */
export const clientRows: readonly Row[] = [
  [
    'RFC 6749, 3.2.1',
    'a client that has credentials MUST authenticate',
    { call: anonymous },
    (answer) => {
      refused('invalid_client', 401)(answer);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="gateway"/);
    },
  ],
  [
    'RFC 6749, 5.2',
    'wrong credentials are invalid_client, with the scheme that was used',
    { call: as(basicOf('service-a', 'wrong')) },
    (answer) => {
      refused('invalid_client', 401)(answer);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="gateway"/);
    },
  ],
  [
    'RFC 6749, 5.2',
    'an unknown client is answered as one with wrong credentials',
    { call: as(basicOf('nobody', 'wrong')) },
    refused('invalid_client', 401),
  ],
  [
    'RFC 6749, 2.3.1',
    'id and secret are form-encoded in Basic',
    { call: as(basicFor('odd:client +%')) },
    issued((claims) => void expect(claims['client_id']).toBe('odd:client +%')),
  ],
  [
    'RFC 6749, 2.3.1',
    'credentials may be in the body',
    {
      fields: { client_id: 'service-b', client_secret: clientSecrets['service-b'], audience: 'service-c' },
      call: anonymous,
    },
    issued((claims) => void expect(claims['client_id']).toBe('service-b')),
  ],
  [
    'RFC 6749, 2.3',
    'a client MUST NOT use more than one method in a request',
    { fields: { client_id: 'service-a', client_secret: clientSecrets['service-a'] } },
    refused('invalid_request'),
  ],
  [
    'RFC 6749, 3.2.1',
    'client_id beside other credentials is that of the client',
    { fields: { client_id: 'service-b' } },
    refused('invalid_client', 401),
  ],

  [
    'RFC 6749, 5.2',
    'a client that may not use this grant is unauthorized_client',
    { call: as(basicFor('idle')) },
    refused('unauthorized_client'),
  ],
];
