import { describe, expect, it } from 'vitest';
import { clientOfSubject } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import { verifiedToken } from '../../../../support/agent/asked-exchange.js';

describe('clientOfSubject', () => {
  it('is client_id, otherwise azp', () => {
    expect(clientOfSubject(verifiedToken({ client_id: 'web', azp: 'app' }))).toBe('web');
    expect(clientOfSubject(verifiedToken({ azp: 'app 1' }))).toBe('app 1');
    expect(clientOfSubject(verifiedToken({ client_id: '', azp: 'app' }))).toBe('app');
  });

  it.each(['', 'a'.repeat(257), 'zwölf', 'a\nb', 'a\n', 7, ['web'], null])('is not %o', (value) => {
    expect(clientOfSubject(verifiedToken({ client_id: value, azp: value }))).toBeNull();
  });

  it('is never an attribute of an assertion', () => {
    expect(clientOfSubject(verifiedToken({ client_id: 'web', azp: 'app' }, { kind: 'saml2' }))).toBeNull();
  });
});
