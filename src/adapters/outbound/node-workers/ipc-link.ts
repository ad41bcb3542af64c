import type { LinkMessage, WorkerLink } from '../../../application/ports/shared/worker-link.js';

/**
 * One end of an IPC channel: `process` of node:process, or `ChildProcess` of node:child_process.
 */
export interface IpcEnd {
  readonly connected: boolean;
  send?(message: object, handle: object | undefined, options: object, sent: (error: Error | null) => void): boolean;
  disconnect?(): void;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

/** Maximum number of unsent messages; bounds memory if the other end stops reading. */
const maxUnsent = 20_000;

const isMessage = (value: unknown): value is LinkMessage =>
  typeof value === 'object' && value !== null && 'topic' in value && typeof value.topic === 'string' && 'body' in value;

/** A link over Node's IPC channel, with `advanced` serialization. */
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
    if (this.#unsent >= maxUnsent) {
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

  /** Closes the channel; the other process notices and exits. */
  #close(): void {
    if (this.#end.connected) this.#end.disconnect?.();
  }
}
