import { expect, it } from 'vitest';
import { unmappedAddress } from '../../../../src/domain/http/ip-address.js';

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:0:1', '::ffff:0:1'],
  ['2001:db8::1', '2001:db8::1'],
  ['', ''],
])('%s is the address %s', (text, address) => {
  expect(unmappedAddress(text)).toBe(address);
});
