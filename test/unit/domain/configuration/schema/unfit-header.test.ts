import { expect, it } from 'vitest';
import { unfitHeader } from '../../../../../src/domain/configuration/schema/unfit-header.js';
import { claimedNames } from '../../../../../src/domain/http/field-traits.js';

it.each(claimedNames)('no key can come in %s: it is removed from what clients send', (name) => {
  expect(unfitHeader('api-key-header', name)).not.toBeNull();
});

it('the header that names omitted claims can be no other header', () => {
  for (const option of ['user-id-header', 'auth-method-header', 'attribute-mapping', 'api-key-header'] as const) {
    expect(unfitHeader(option, 'x_auth_claims-omitted')).not.toBeNull();
  }
});
