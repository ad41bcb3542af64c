import { expect, it } from 'vitest';
import { exchangeFormOctets } from '../../../../../src/domain/agent/token-exchange/read-exchange-request.js';

it('forms are small where no assertion of SAML may be in them', () => {
  const exchange = (subjectKind: 'jwt' | 'access_token' | 'id_token' | 'saml2') =>
    ({ subjectKind, issuedKind: 'access_token' }) as const;
  const small = (['jwt', 'access_token', 'id_token'] as const).map(exchange);
  expect(exchangeFormOctets([])).toBe(65_536);
  expect(exchangeFormOctets(small)).toBe(65_536);
  expect(exchangeFormOctets([...small, exchange('saml2')])).toBe(1_048_576);
});
