import { expect, it } from 'vitest';
import { exchangeFormOctets } from '../../../../../src/domain/agent/token-exchange/read-exchange-request.js';

it('forms are small if they cannot contain a SAML assertion', () => {
  const exchange = (subjectKind: 'jwt' | 'access_token' | 'id_token' | 'saml2') =>
    ({ subjectKind, issuedKind: 'access_token' }) as const;
  const small = (['jwt', 'access_token', 'id_token'] as const).map(exchange);
  expect(exchangeFormOctets([])).toBe(65_536);
  expect(exchangeFormOctets(small)).toBe(65_536);
  expect(exchangeFormOctets([...small, exchange('saml2')])).toBe(1_048_576);
});
