import type { HeaderOperation } from '../../agent-protocol/messages.js';

/** Maximum identity headers per request. */
export const maximumIdentityHeaders = 64;

/** Lower bound for the octets of all identity headers, even with short claims. */
const leastTotalOctets = 4096;

/** Limits of identity headers. */
export interface ClaimBounds {
  /** Maximum octets of the value of a claim. */
  readonly claimOctets: number;
  /** Maximum octets of the names and values of all identity headers. */
  readonly totalOctets: number;
}

/** @param maxClaimBytes maximum octets of a claim's value */
export const claimBounds = (maxClaimBytes: number): ClaimBounds => ({
  claimOctets: maxClaimBytes,
  totalOctets: Math.max(4 * maxClaimBytes, leastTotalOctets),
});

/** A claim that no header carries. */
export interface OmittedClaim {
  /** The path of the claim, the name of the attribute, or the header name of a certificate field. */
  readonly path: string;
  readonly reason: 'same_name' | 'over_limit' | 'unrepresentable';
}

/** Collects headers up to a limit. */
export class BoundedHeaders {
  readonly operations: HeaderOperation[] = [];
  readonly leftOut: OmittedClaim[] = [];
  readonly #bounds: ClaimBounds;
  #octets = 0;

  constructor(bounds: ClaimBounds) {
    this.#bounds = bounds;
  }

  /** Adds a mandatory header regardless of its size. */
  set(name: string, value: string): void {
    this.operations.push({ kind: 'set', name, value });
    this.#octets += name.length + value.length;
  }

  /** Adds the header of a claim if it fits. */
  setClaim(name: string, value: string, path: string): void {
    if (value.length > this.#bounds.claimOctets) this.leftOut.push({ path, reason: 'over_limit' });
    else this.setWithinLimits(name, value, path);
  }

  setWithinLimits(name: string, value: string, path: string): void {
    const octets = this.#octets + name.length + value.length;
    if (this.operations.length >= maximumIdentityHeaders || octets > this.#bounds.totalOctets) {
      this.leftOut.push({ path, reason: 'over_limit' });
    } else this.set(name, value);
  }
}
