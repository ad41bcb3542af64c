import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { CancellationSource } from '../../shared/cancellation/cancellation-source.js';

/** The judgements that are under way. A connection has its own set of correlation ids. */
export class PendingJudgements {
  readonly #byConnection = new Map<symbol, TransientMap<CancellationSource>>();

  /** One is waited for; `close` has to follow. */
  open(correlationId: string, connection: symbol, judgement: CancellationSource): void {
    let judgements = this.#byConnection.get(connection);
    if (judgements === undefined) {
      judgements = new TransientMap();
      this.#byConnection.set(connection, judgements);
    }
    judgements.set(correlationId, judgement);
  }

  /** It has ended. */
  close(correlationId: string, connection: symbol, judgement: CancellationSource): void {
    const judgements = this.#byConnection.get(connection);
    // One that was cancelled may have a successor by its id.
    if (judgements?.get(correlationId) === judgement) judgements.delete(correlationId);
  }

  cancel(correlationId: string, connection: symbol): void {
    this.#byConnection.get(connection)?.get(correlationId)?.cancel();
  }

  /** The connection has ended, and every judgement of it with it. */
  disconnected(connection: symbol): void {
    const judgements = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    for (const judgement of judgements?.values() ?? []) judgement.cancel();
  }
}
