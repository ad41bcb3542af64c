import { describe, expect, it } from 'vitest';
import {
  isInRange,
  isLoopbackRange,
  isMulticast,
  parseIp,
} from '../../../../../../src/domain/agent/policy/extensions/ip-address.js';
import type { IpValue } from '../../../../../../src/domain/agent/policy/values/value.js';

const ip = (text: string): IpValue => {
  const value = parseIp(text);
  if (value === null) throw new Error(`the test has an address that cannot be read: ${text}`);
  return value;
};
const within = (text: string, range: string): boolean => isInRange(ip(text), ip(range));

describe('parseIp', () => {
  it('reads addresses of both versions, with an optional prefix length', () => {
    expect(ip('10.0.0.1')).toEqual({ kind: 'ip', version: 4, address: 0x0a00_0001n, prefixLength: 32 });
    expect(ip('10.0.0.1/8')).toEqual({ kind: 'ip', version: 4, address: 0x0a00_0001n, prefixLength: 8 });
    expect(ip('0.0.0.0/0')).toEqual({ kind: 'ip', version: 4, address: 0n, prefixLength: 0 });
    expect(ip('::')).toEqual({ kind: 'ip', version: 6, address: 0n, prefixLength: 128 });
    expect(ip('2001:DB8::1/64').address).toBe(0x2001_0db8_0000_0000_0000_0000_0000_0001n);
    expect(ip('1:2:3:4:5:6:7::').address).toBe(0x0001_0002_0003_0004_0005_0006_0007_0000n);
    expect(ip('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128').address).toBe(2n ** 128n - 1n);
  });

  it('keeps an IPv4-mapped address in hexadecimal as IPv6', () => {
    expect(ip('::ffff:7f00:1')).toEqual({ kind: 'ip', version: 6, address: 0xffff_7f00_0001n, prefixLength: 128 });
    expect(ip('::FFFF:0:0/96')).toEqual({ kind: 'ip', version: 6, address: 0xffff_0000_0000n, prefixLength: 96 });
  });

  it('refuses every other form', () => {
    for (const text of [
      '',
      '/',
      '10.0.0',
      '10.0.0.256',
      '10.0.0.01',
      '010.0.0.1',
      '10.0.0.1.',
      '10.0.0.1/',
      '10.0.0.1/33',
      '10.0.0.1/08',
      '10.0.0.1/00',
      '10.0.0.1/+8',
      '10.0.0.1/8/8',
      '10.0.0.1:80',
      '10.0.0.1 ',
      '0x0a.0.0.1',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '64:ff9b::1.2.3.4/96',
      '1:2:3:4:5:6:7:8::',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7',
      '1::2::3',
      ':::',
      ':1::',
      '12345::',
      '::g',
      '::/129',
      '::/0128',
      '[::1]',
      'fe80::1%eth0',
      '١.1.1.1',
      `${'0'.repeat(40)}::/0`,
    ]) {
      expect(parseIp(text), text).toBeNull();
    }
  });
});

describe('isInRange', () => {
  it('requires every address of a network', () => {
    expect(within('10.1.2.3', '10.0.0.0/8')).toBe(true);
    expect(within('10.1.2.3', '10.255.255.255/8')).toBe(true);
    expect(within('11.1.2.3', '10.0.0.0/8')).toBe(false);
    expect(within('10.0.0.0/9', '10.0.0.0/8')).toBe(true);
    expect(within('10.0.0.0/8', '10.0.0.0/8')).toBe(true);
    expect(within('10.0.0.0/7', '10.0.0.0/8')).toBe(false);
    expect(within('10.0.0.0/8', '10.0.0.0')).toBe(false);
    expect(within('255.255.255.255', '0.0.0.0/0')).toBe(true);
    expect(within('2001:db8::5', '2001:db8::/32')).toBe(true);
    expect(within('2001:db9::5', '2001:db8::/32')).toBe(false);
    expect(within('ff::/0', '::/0')).toBe(true);
  });

  it('is false across versions, even for the whole range', () => {
    expect(within('10.0.0.1', '::/0')).toBe(false);
    expect(within('::ffff:a00:1', '10.0.0.0/8')).toBe(false);
    expect(within('::1', '0.0.0.0/0')).toBe(false);
  });
});

describe('isLoopback and isMulticast', () => {
  it('require every address of a network', () => {
    const loopback = ['127.0.0.1', '127.255.255.255', '127.0.0.0/8', '::1', '::1/128'];
    const notLoopback = ['128.0.0.1', '127.0.0.0/7', '::2', '::1/127', '::', '::ffff:7f00:1', '10.0.0.1'];
    for (const text of loopback) expect(isLoopbackRange(ip(text)), text).toBe(true);
    for (const text of notLoopback) expect(isLoopbackRange(ip(text)), text).toBe(false);
    const multicast = ['224.0.0.1', '239.255.255.255', '224.0.0.0/4', 'ff00::/8', 'ff02::1'];
    const notMulticast = ['240.0.0.1', '223.255.255.255', '224.0.0.0/3', 'ff00::/7', 'fe80::1', '::e000:1'];
    for (const text of multicast) expect(isMulticast(ip(text)), text).toBe(true);
    for (const text of notMulticast) expect(isMulticast(ip(text)), text).toBe(false);
  });
});
