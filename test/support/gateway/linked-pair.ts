import type { LinkMessage, WorkerLink } from '../../../src/application/ports/shared/worker-link.js';

/** One end of a link within a process. Messages are cloned, and come in a later turn, as between processes. */
export class PairedLink implements WorkerLink {
  isClosed = false;
  other: PairedLink | null = null;
  /** Every message that left here. */
  readonly sent: LinkMessage[] = [];
  #listener: ((message: LinkMessage, attachment: object | null) => void) | null = null;
  #closed: (() => void) | null = null;

  send(message: LinkMessage, attachment: object | null): void {
    if (this.isClosed) return;
    this.sent.push(message);
    const copy = structuredClone(message);
    queueMicrotask(() => {
      if (this.other?.isClosed === false) this.other.#listener?.(copy, attachment);
    });
  }

  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void {
    this.#listener = listener;
  }

  onClosed(listener: () => void): void {
    if (this.isClosed) listener();
    else this.#closed = listener;
  }

  /** Ends both ends, as the death of a process does. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#closed?.();
    this.other?.close();
  }
}

/** Both ends of a link: the supervisor's, and the worker's. */
export const linkedPair = (): readonly [PairedLink, PairedLink] => {
  const [one, other] = [new PairedLink(), new PairedLink()];
  one.other = other;
  other.other = one;
  return [one, other];
};
