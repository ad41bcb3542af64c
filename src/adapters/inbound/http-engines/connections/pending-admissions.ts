import type { Socket } from 'node:net';
import type { ConnectionAdmission } from '../../../../application/ports/gateway/http-engine.js';

/** Connections of one listener that wait to be let in, at the most. */
const maxWaiting = 1_024;

/** Connections on which nothing is spoken until it is known whether they are let in. Nobody reads them meanwhile. */
export class PendingAdmissions {
  /** By when they came, by the monotonic clock. */
  readonly #waiting = new Map<Socket, number>();

  /** `done` is called with what has become of a connection, unless that has ended by then. */
  take(raw: Socket, admission: Promise<ConnectionAdmission>, done: (admission: ConnectionAdmission) => void): void {
    const end = (): void => void raw.destroy();
    raw.on('error', end);
    // It comes where nothing else did: HTTP would wait for it in vain. Behind octets it is kept with them.
    raw.on('end', end);
    if (this.#waiting.size >= maxWaiting) end();
    else this.#waiting.set(raw, performance.now());
    void admission.then((settled) => {
      this.#waiting.delete(raw);
      if (!raw.destroyed) {
        raw.off('error', end).off('end', end);
        done(settled);
      } else if (settled.kind === 'admitted') settled.release();
    });
  }

  /** Ends those that came before that moment. */
  endWaiting(acceptedBeforeMs: number): void {
    for (const [raw, acceptedMs] of this.#waiting) if (acceptedMs <= acceptedBeforeMs) raw.destroy();
  }
}
