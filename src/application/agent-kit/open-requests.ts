/** Requests that an agent may keep something for, by the connection that they came by. */
export class OpenRequests {
  readonly #byConnection = new Map<symbol, Set<string>>();

  add(id: string, connection: symbol): void {
    const open = this.#byConnection.get(connection);
    if (open === undefined) this.#byConnection.set(connection, new Set([id]));
    else open.add(id);
  }

  /** Nothing more comes for it. */
  delete(id: string, connection: symbol): void {
    this.#byConnection.get(connection)?.delete(id);
  }

  /** The connection has ended. Gives what was open on it. */
  take(connection: symbol): Iterable<string> {
    const open = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    return open ?? [];
  }
}
