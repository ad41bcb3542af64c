import type { HeaderOperation } from '../agent-protocol/messages.js';

/** Identity headers of one request, at the most. */
export const maximumIdentityHeaders = 64;
/** Octets of their names and values together, at the most. */
export const maximumIdentityHeaderOctets = 4096;

/** What no header says anything of. */
export interface LeftOutClaim {
  /**
   * Of the claim; what is told of a certificate has the name of its header, an attribute of single sign-on its own
   * name.
   */
  readonly path: string;
  readonly reason: 'same_name' | 'over_limit' | 'unrepresentable';
}

/** Takes headers until a limit is reached. */
export class BoundedHeaders {
  readonly operations: HeaderOperation[] = [];
  readonly leftOut: LeftOutClaim[] = [];
  #octets = 0;

  /** For what has to be told, whatever its size. */
  set(name: string, value: string): void {
    this.operations.push({ kind: 'set', name, value });
    this.#octets += name.length + value.length;
  }

  setWithinLimits(name: string, value: string, path: string): void {
    const octets = this.#octets + name.length + value.length;
    if (this.operations.length >= maximumIdentityHeaders || octets > maximumIdentityHeaderOctets) {
      this.leftOut.push({ path, reason: 'over_limit' });
    } else this.set(name, value);
  }
}
