import { expect } from 'vitest';
import { tokenType } from '../exchange-company.js';
import { issued, json, type Row, refused } from './exchange-row.js';

/** What an answer is. */
export const answerRows: readonly Row[] = [
  [
    'RFC 8693, 2.2.1',
    'access_token, issued_token_type and token_type are REQUIRED',
    {},
    (answer) => {
      const { access_token: token, ...rest } = json(answer);
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect(rest).toEqual({
        issued_token_type: tokenType('access_token'),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'orders:read orders:write profile',
      });
    },
  ],
  [
    'RFC 6749, 5.1',
    'the answer is JSON, and MUST be kept by no cache',
    {},
    ({ status, headers }) => {
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['pragma']).toBe('no-cache');
    },
  ],
  [
    'RFC 8693, 2.2.1',
    'scope is REQUIRED where it is not what was asked for',
    { fields: { scope: undefined } },
    (answer) => void expect(json(answer)['scope']).toBe('orders:read orders:write profile'),
  ],
  [
    'RFC 8693, 4.2',
    'scope is a text with spaces, in the answer and in the claim',
    { fields: { scope: 'orders:read profile' } },
    issued((claims, answer) => {
      expect(claims['scope']).toBe('orders:read profile');
      expect(json(answer)['scope']).toBe('orders:read profile');
    }),
  ],
  [
    'RFC 6749, 5.2',
    'a scope beyond what was granted is invalid_scope',
    { fields: { scope: 'orders:read admin' } },
    refused('invalid_scope'),
  ],
  [
    'RFC 6749, 3.3',
    'scopes are separated by one space',
    { fields: { scope: 'orders:read  profile' } },
    refused('invalid_scope'),
  ],
  ['RFC 6749, 3.3', 'a scope has no quotes', { fields: { scope: '"orders"' } }, refused('invalid_scope')],
  ['RFC 6749, 3.3', 'scopes are compared by case', { fields: { scope: 'Orders:read' } }, refused('invalid_scope')],
];
