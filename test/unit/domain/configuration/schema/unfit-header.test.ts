import { expect, it } from 'vitest';
import { unfitHeader } from '../../../../../src/domain/configuration/schema/unfit-header.js';
import { claimedNames } from '../../../../../src/domain/http/field-traits.js';

it.each(claimedNames)('%s is no API key header, because the gateway removes it', (name) => {
  expect(unfitHeader('api-key-header', name)).not.toBeNull();
});

it('the header of omitted claims has no other use', () => {
  for (const option of ['user-id-header', 'auth-method-header', 'attribute-mapping', 'api-key-header'] as const) {
    expect(unfitHeader(option, 'x_auth_claims-omitted')).not.toBeNull();
  }
});
