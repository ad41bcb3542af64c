import { connectionsOver, maxAdminConnections } from '../../../domain/gateway/limits/connection-limits.js';
import type { ConnectionAdmission } from '../../ports/gateway/http-engine.js';
import type { ConnectionRefusalCounter } from './connection-refusal-counter.js';

/**
 * Lets connections to the admin address in, by a bound of their own: it has to answer while clients fill what is theirs,
 * and while memory is short.
 */
export class AdminConnectionAdmissions {
  readonly #refusals: ConnectionRefusalCounter;
  readonly #release = (): void => {
    this.#open -= 1;
  };
  #open = 0;

  constructor(refusals: ConnectionRefusalCounter) {
    this.#refusals = refusals;
  }

  admit(peerAddress: string): ConnectionAdmission {
    const violation = connectionsOver('max-admin-connections', maxAdminConnections, this.#open);
    if (violation !== null) return this.#refusals.refuse(violation, peerAddress);
    this.#open += 1;
    return { kind: 'admitted', release: this.#release };
  }
}
