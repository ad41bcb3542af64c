import { checkedText, type ScalarFault } from '../../configuration/schema/scalar-kind.js';

/** Why a text leads to no claim; null where it may lead to one. */
export const claimPathFault = (path: string): ScalarFault | null =>
  path.split('.').includes('')
    ? { message: `must have a name on either side of each dot, not "${path.slice(0, 80)}"` }
    : null;

/** The name of a claim, or names joined with dots that lead to one inside of objects: `realm_access.roles`. */
export const claimPath = checkedText('name, or names joined with dots', claimPathFault);
