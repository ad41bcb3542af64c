import { expect, it } from 'vitest';
import { unfitHeader } from '../../../../src/domain/configuration/unfit-header.js';
import { claimedNames } from '../../../../src/domain/http/field-traits.js';

it.each(claimedNames)('no key can come in %s: it is removed from what clients send', (name) => {
  expect(unfitHeader('api-key-header', name)).not.toBeNull();
});
