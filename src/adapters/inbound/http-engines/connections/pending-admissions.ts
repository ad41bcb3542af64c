import type { ConnectionAdmission } from '../../../../application/ports/gateway/http-engine.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';

/** Most connections of one listener that may await admission. */
const maxWaiting = 1_024;

/** Connections that await their admission decision. They are not read meanwhile. */
export class PendingAdmissions {
  /** Arrival times, monotonic clock. */
  readonly #waiting = new Map<StreamSocket, number>();

  /** Calls `done` with the decision, unless the connection has closed by then. */
  take(
    raw: StreamSocket,
    admission: Promise<ConnectionAdmission>,
    done: (admission: ConnectionAdmission) => void,
  ): void {
    const end = (): void => void raw.destroy();
    raw.on('error', end);
    // This event fires if nothing else arrived: HTTP would wait in vain. After data, the stream
    // keeps the end.
    raw.on('end', end);
    if (this.#waiting.size >= maxWaiting) end();
    else this.#waiting.set(raw, performance.now());
    void admission.then((settled) => {
      this.#waiting.delete(raw);
      if (!raw.destroyed) {
        raw.off('error', end);
        raw.off('end', end);
        done(settled);
      } else if (settled.kind === 'admitted') settled.release();
    });
  }

  /** Closes connections that arrived before `acceptedBeforeMs`. */
  endWaiting(acceptedBeforeMs: number): void {
    for (const [raw, acceptedMs] of this.#waiting) if (acceptedMs <= acceptedBeforeMs) raw.destroy();
  }
}
