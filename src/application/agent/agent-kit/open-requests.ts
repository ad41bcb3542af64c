import { TransientMap } from '../../../domain/shared/transient-map.js';

/** The requests for which an agent may hold state, by connection. */
export class OpenRequests {
  readonly #byConnection = new Map<symbol, TransientMap<true>>();

  add(id: string, connection: symbol): void {
    let open = this.#byConnection.get(connection);
    if (open === undefined) {
      open = new TransientMap();
      this.#byConnection.set(connection, open);
    }
    open.set(id, true);
  }

  /** The request has no further events. */
  delete(id: string, connection: symbol): void {
    this.#byConnection.get(connection)?.delete(id);
  }

  /** Returns and removes the open requests of a closed connection. */
  take(connection: symbol): readonly string[] {
    const open = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    return open?.keys() ?? [];
  }
}
