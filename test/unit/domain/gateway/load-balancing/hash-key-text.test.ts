import { describe, expect, it } from 'vitest';
import { hashKeyText } from '../../../../../src/domain/gateway/load-balancing/consistent-hash.js';

const client = '192.0.2.7';

describe('hashKeyText', () => {
  it('is the address of the client', () => {
    expect(hashKeyText({ kind: 'client_ip' }, client, ['X-User', 'ann'])).toBe(client);
  });

  it('is the value of the header, without regard to case', () => {
    expect(hashKeyText({ kind: 'header', name: 'x-user' }, client, ['X-User', 'ann', 'x-user', 'bob'])).toBe('ann');
  });

  it('is the value of the cookie', () => {
    const headers = ['cookie', 'a=1; session=abc; b=2'];
    expect(hashKeyText({ kind: 'cookie', name: 'session' }, client, headers)).toBe('abc');
  });

  it('is the client address if the header or cookie is missing or empty', () => {
    expect(hashKeyText({ kind: 'header', name: 'x-user' }, client, [])).toBe(client);
    expect(hashKeyText({ kind: 'header', name: 'x-user' }, client, ['x-user', ''])).toBe(client);
    expect(hashKeyText({ kind: 'cookie', name: 'session' }, client, ['cookie', 'other=1; Session=2'])).toBe(client);
  });
});
