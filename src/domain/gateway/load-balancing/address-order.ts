/**
 * The order of connection attempts to the addresses of a name, from `first` on. The families take turns (RFC 8305,
 * section 4). Within a family, the order of the list continues after `first` and wraps around. So the other addresses
 * share the load of one that fails.
 *
 * @param addresses `first` is among them
 * @param isIpv6 the family of an address
 */
export const addressOrder = <Address>(
  addresses: readonly Address[],
  first: Address,
  isIpv6: (address: Address) => boolean,
): readonly Address[] => {
  const start = Math.max(0, addresses.indexOf(first));
  const rotated = [...addresses.slice(start), ...addresses.slice(0, start)];
  const family = isIpv6(first);
  const same = rotated.filter((address) => isIpv6(address) === family);
  const other = rotated.filter((address) => isIpv6(address) !== family);
  const order: Address[] = [];
  for (let index = 0; index < Math.max(same.length, other.length); index += 1) {
    for (const address of [same[index], other[index]]) if (address !== undefined) order.push(address);
  }
  return order;
};

/** Connection Attempt Delay: the time until the attempt to the next address begins (RFC 8305, section 5). */
const attemptDelayMs = 250;

/** Minimum Connection Attempt Delay (RFC 8305, section 8). */
const minDelayMs = 10;

/**
 * The delay until the attempt to the next address begins, in milliseconds.
 *
 * @param ageMs the age of the running attempt, which another request may have begun
 */
export const connectionAttemptDelayMs = (ageMs: number): number =>
  Math.min(attemptDelayMs, Math.max(minDelayMs, attemptDelayMs - ageMs));
