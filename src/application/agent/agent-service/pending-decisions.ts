import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { CancellationSource } from '../../shared/cancellation/cancellation-source.js';

/** The pending decisions. Correlation ids are unique per connection. */
export class PendingDecisions {
  readonly #byConnection = new Map<symbol, TransientMap<CancellationSource>>();

  /** Registers a pending decision; `close` must follow. */
  open(correlationId: string, connection: symbol, decision: CancellationSource): void {
    let decisions = this.#byConnection.get(connection);
    if (decisions === undefined) {
      decisions = new TransientMap();
      this.#byConnection.set(connection, decisions);
    }
    decisions.set(correlationId, decision);
  }

  /** Removes an ended decision. */
  close(correlationId: string, connection: symbol, decision: CancellationSource): void {
    const decisions = this.#byConnection.get(connection);
    // After a cancellation, the id may belong to a new request.
    if (decisions?.get(correlationId) === decision) decisions.delete(correlationId);
  }

  cancel(correlationId: string, connection: symbol): void {
    this.#byConnection.get(connection)?.get(correlationId)?.cancel();
  }

  /** Cancels all decisions of a closed connection. */
  disconnected(connection: symbol): void {
    const decisions = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    for (const decision of decisions?.values() ?? []) decision.cancel();
  }
}
