import { expect, it } from 'vitest';
import { unfitHeader } from '../../../../../src/domain/configuration/schema/unfit-header.js';
import { claimedNames } from '../../../../../src/domain/http/field-traits.js';

it.each(claimedNames)('%s is no API key header, because the gateway removes it', (name) => {
  expect(unfitHeader('credential', name)).not.toBeNull();
});

it('the header of omitted claims has no other use', () => {
  for (const use of ['identity', 'attribute', 'credential'] as const) {
    expect(unfitHeader(use, 'x_auth_claims-omitted')).not.toBeNull();
  }
});
