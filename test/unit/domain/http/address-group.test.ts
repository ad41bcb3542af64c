import { describe, expect, it } from 'vitest';
import { addressGroup } from '../../../../src/domain/http/ip-address.js';

describe('the group of a client address', () => {
  it('is the address itself where it is of IPv4, however it is written', () => {
    expect(addressGroup('192.0.2.7')).toBe('192.0.2.7');
    expect(addressGroup('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(addressGroup('::FFFF:c000:207')).toBe('192.0.2.7');
    expect(addressGroup('192.0.2.8')).not.toBe(addressGroup('192.0.2.7'));
  });

  it('is the /64 where it is of IPv6', () => {
    expect(addressGroup('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
    expect(addressGroup('2001:DB8:1:2:ffff:ffff:ffff:ffff')).toBe('2001:db8:1:2::/64');
    expect(addressGroup('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(addressGroup('::1')).toBe('::/64');
  });

  it('is the text itself where that is no address', () => {
    expect(addressGroup('unknown')).toBe('unknown');
    expect(addressGroup('')).toBe('');
    expect(addressGroup('2001:db8::1%eth0')).toBe('2001:db8::1%eth0');
  });
});
