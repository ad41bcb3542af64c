import { describe, expect, it } from 'vitest';
import {
  addressOrder,
  connectionAttemptDelayMs,
} from '../../../../../src/domain/gateway/load-balancing/address-order.js';

const isIpv6 = (address: string): boolean => address.includes(':');
const order = (first: string, ...addresses: string[]) => addressOrder(addresses, first, isIpv6);

describe('the order of the addresses of a name', () => {
  it('starts at the first address and wraps around', () => {
    expect(order('b', 'a', 'b', 'c')).toEqual(['b', 'c', 'a']);
  });

  it('alternates the families, beginning with that of the first address', () => {
    expect(order('::1', '1', '2', '3', '::1', '::2')).toEqual(['::1', '1', '::2', '2', '3']);
    expect(order('2', '1', '2', '3', '::1', '::2')).toEqual(['2', '::1', '3', '::2', '1']);
  });

  it('keeps a single address', () => {
    expect(order('a', 'a')).toEqual(['a']);
  });
});

describe('the delay until the next address', () => {
  it.each([
    [0, 250],
    [100, 150],
    [245, 10],
    [9_000, 10],
    [-5, 250],
  ])('is, at an age of %d ms, %d ms', (ageMs, delayMs) => {
    expect(connectionAttemptDelayMs(ageMs)).toBe(delayMs);
  });
});
