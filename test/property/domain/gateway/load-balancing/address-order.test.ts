import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressOrder } from '../../../../../src/domain/gateway/load-balancing/address-order.js';

const isIpv6 = (address: number): boolean => address < 0;
const lists = fc.uniqueArray(
  fc.integer().filter((each) => each !== 0),
  { minLength: 1, maxLength: 30 },
);

it('holds every address once, the chosen one first', () => {
  fc.assert(
    fc.property(lists, fc.nat(), (addresses, which) => {
      const first = addresses[which % addresses.length] as number;
      const order = addressOrder(addresses, first, isIpv6);
      expect(order[0]).toBe(first);
      expect(order.toSorted()).toEqual(addresses.toSorted());
    }),
  );
});

it('alternates the families while both have addresses left', () => {
  fc.assert(
    fc.property(lists, fc.nat(), (addresses, which) => {
      const first = addresses[which % addresses.length] as number;
      const order = addressOrder(addresses, first, isIpv6);
      for (const [index, address] of order.entries()) {
        const rest = order.slice(index + 1);
        if (rest.some((other) => isIpv6(other) !== isIpv6(address))) {
          expect(isIpv6(rest[0] as number)).not.toBe(isIpv6(address));
        }
      }
    }),
  );
});
