import type { HeaderOperation } from '../../agent-protocol/messages.js';

/** Identity headers of one request, at most. */
export const maximumIdentityHeaders = 64;

/** Least octets that all identity headers of a request together may have, however short each claim must be. */
const leastTotalOctets = 4096;

/** How large identity headers may be. */
export interface ClaimBounds {
  /** Octets of the value that a claim becomes. */
  readonly claimOctets: number;
  /** Octets of the names and values of all identity headers together. */
  readonly totalOctets: number;
}

/** @param maxClaimBytes octets of one claim's value */
export const claimBounds = (maxClaimBytes: number): ClaimBounds => ({
  claimOctets: maxClaimBytes,
  totalOctets: Math.max(4 * maxClaimBytes, leastTotalOctets),
});

/** A claim that no header carries. */
export interface LeftOutClaim {
  /** Path of the claim, name of the attribute, or name of the header for what a certificate says. */
  readonly path: string;
  readonly reason: 'same_name' | 'over_limit' | 'unrepresentable';
}

/** Takes headers until a limit is reached. */
export class BoundedHeaders {
  readonly operations: HeaderOperation[] = [];
  readonly leftOut: LeftOutClaim[] = [];
  readonly #bounds: ClaimBounds;
  #octets = 0;

  constructor(bounds: ClaimBounds) {
    this.#bounds = bounds;
  }

  /** For headers that must be there, whatever their size. */
  set(name: string, value: string): void {
    this.operations.push({ kind: 'set', name, value });
    this.#octets += name.length + value.length;
  }

  /** For the value of one claim. */
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
