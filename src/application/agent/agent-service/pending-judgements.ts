import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { CancellationSource } from '../../shared/cancellation/cancellation-source.js';

/** The pending decisions. Correlation ids are unique per connection. */
export class PendingJudgements {
  readonly #byConnection = new Map<symbol, TransientMap<CancellationSource>>();

  /** Registers a pending decision; `close` must follow. */
  open(correlationId: string, connection: symbol, judgement: CancellationSource): void {
    let judgements = this.#byConnection.get(connection);
    if (judgements === undefined) {
      judgements = new TransientMap();
      this.#byConnection.set(connection, judgements);
    }
    judgements.set(correlationId, judgement);
  }

  /** Removes an ended decision. */
  close(correlationId: string, connection: symbol, judgement: CancellationSource): void {
    const judgements = this.#byConnection.get(connection);
    // After a cancellation, the id may belong to a new request.
    if (judgements?.get(correlationId) === judgement) judgements.delete(correlationId);
  }

  cancel(correlationId: string, connection: symbol): void {
    this.#byConnection.get(connection)?.get(correlationId)?.cancel();
  }

  /** Cancels all decisions of a closed connection. */
  disconnected(connection: symbol): void {
    const judgements = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    for (const judgement of judgements?.values() ?? []) judgement.cancel();
  }
}
