import { expect } from 'vitest';
import { partnerIssuer, tokenType } from '../exchange-company.js';
import { issued, type Row, refused } from './exchange-row.js';
import { serviceToken } from './shown-tokens.js';

/** Who acts for whom. */
export const delegationRows: readonly Row[] = [
  [
    'RFC 8693, 4.1',
    'act names who acts',
    async (ground) => ({ fields: { actor_token: await serviceToken(ground), actor_token_type: tokenType('jwt') } }),
    issued((claims) => void expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-a' })),
  ],
  [
    'RFC 8693, 4.1',
    'who acted before is nested in who acts now',
    async (ground) => ({
      fields: {
        subject_token: await ground.partnerToken({ act: { sub: 'svc-0' } }),
        actor_token: await serviceToken(ground),
        actor_token_type: tokenType('access_token'),
      },
    }),
    issued((claims) => {
      expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-a', act: { iss: partnerIssuer, sub: 'svc-0' } });
    }),
  ],
  [
    'RFC 8693, 4.1',
    'what act says besides who it is does not count',
    async (ground) => ({
      fields: { subject_token: await ground.partnerToken({ act: { sub: 'svc-0', exp: 1, aud: 'x' } }) },
    }),
    issued((claims) => void expect(claims['act']).toEqual({ iss: partnerIssuer, sub: 'svc-0' })),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: whom it names may act',
    async (ground) => ({
      fields: {
        subject_token: await ground.partnerToken({ may_act: { sub: 'svc-a' } }),
        actor_token: await serviceToken(ground),
        actor_token_type: tokenType('jwt'),
      },
    }),
    issued((claims) => {
      expect(claims['act']).toMatchObject({ sub: 'svc-a' });
      expect(claims).not.toHaveProperty('may_act');
    }),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: nobody else may',
    async (ground) => ({
      fields: {
        subject_token: await ground.partnerToken({ may_act: { sub: 'svc-z' } }),
        actor_token: await serviceToken(ground),
        actor_token_type: tokenType('jwt'),
      },
    }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: a client that is not named may not take the place of the subject',
    async (ground) => ({ fields: { subject_token: await ground.partnerToken({ may_act: { sub: 'service-b' } }) } }),
    refused('invalid_request'),
  ],
  [
    'RFC 8693, 4.4',
    'may_act: a client that is named may',
    async (ground) => ({
      fields: { subject_token: await ground.partnerToken({ may_act: { iss: ground.issuer, sub: 'service-a' } }) },
    }),
    issued(),
  ],
];
