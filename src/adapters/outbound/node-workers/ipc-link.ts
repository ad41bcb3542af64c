import type { LinkMessage, WorkerLink } from '../../../application/ports/shared/worker-link.js';

/**
 * What a process has of its parent, and of a child: `process`, and `ChildProcess`, of node:process and
 * node:child_process.
 */
export interface IpcEnd {
  readonly connected: boolean;
  send?(message: object, handle: object | undefined, options: object, sent: (error: Error | null) => void): boolean;
  disconnect?(): void;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

/** Messages that the other end has not taken: one that takes none any more costs no more memory than that. */
const maximumUnsent = 20_000;

const isMessage = (value: unknown): value is LinkMessage =>
  typeof value === 'object' && value !== null && 'topic' in value && typeof value.topic === 'string' && 'body' in value;

/** A link over Node's IPC channel, which has to be of the serialization `advanced`. */
export class IpcLink implements WorkerLink {
  readonly #end: IpcEnd;
  readonly #closed: Promise<void>;
  #isClosed: boolean;
  #unsent = 0;

  constructor(end: IpcEnd) {
    this.#end = end;
    this.#isClosed = !end.connected;
    this.#closed = end.connected
      ? new Promise((resolve) => {
          end.once('disconnect', () => {
            this.#isClosed = true;
            resolve();
          });
        })
      : Promise.resolve();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(message: LinkMessage, attachment: object | null): void {
    if (this.#isClosed || this.#end.send === undefined) return;
    if (this.#unsent >= maximumUnsent) {
      this.#close();
      return;
    }
    this.#unsent += 1;
    this.#end.send(message, attachment ?? undefined, { keepOpen: true }, () => {
      this.#unsent -= 1;
    });
  }

  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void {
    this.#end.on('message', (message, handle) => {
      if (isMessage(message)) listener(message, typeof handle === 'object' ? handle : null);
    });
  }

  onClosed(listener: () => void): void {
    if (this.#isClosed) listener();
    else void this.#closed.then(listener);
  }

  /** The other end sees that too, and ends. */
  #close(): void {
    if (this.#end.connected) this.#end.disconnect?.();
  }
}
