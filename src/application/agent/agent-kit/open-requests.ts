import { TransientMap } from '../../../domain/shared/transient-map.js';

/** Requests that an agent may keep something for, by the connection that they came by. */
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

  /** Nothing more comes for it. */
  delete(id: string, connection: symbol): void {
    this.#byConnection.get(connection)?.delete(id);
  }

  /** The connection has ended. Gives what was open on it. */
  take(connection: symbol): readonly string[] {
    const open = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    return open?.keys() ?? [];
  }
}
