import type { Dispatcher } from 'undici';
import type { BodyReadError, BodySource } from '../../../../application/ports/body-source.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';

/** Octets that may wait for a reader before the upstream is held back. */
const highWaterOctets = 131_072;

/** The body of a response: undici pushes, the gateway pulls. */
export class ResponseBody implements BodySource {
  readonly #controller: Dispatcher.DispatchController;
  readonly #waitingChunks: Uint8Array[] = [];
  #waitingOctets = 0;
  #ended = false;
  #failure: BodyReadError | null = null;
  #trailers: HeaderList = noHeaders;
  #reader: { resolve: (chunk: Uint8Array | null) => void; reject: (error: Error) => void } | null = null;

  constructor(
    controller: Dispatcher.DispatchController,
    readonly declaredLength: number | null,
  ) {
    this.#controller = controller;
  }

  read(): Promise<Uint8Array | null> {
    const chunk = this.#waitingChunks.shift();
    if (chunk) {
      this.#waitingOctets -= chunk.length;
      if (this.#controller.paused && this.#waitingOctets === 0) this.#controller.resume();
      return Promise.resolve(chunk);
    }
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  trailers(): HeaderList {
    return this.#trailers;
  }

  cancel(): void {
    if (!this.#ended && !this.#failure) this.#controller.abort(new Error('the response is no longer wanted'));
  }

  push(chunk: Uint8Array): void {
    const reader = this.#reader;
    if (reader) {
      this.#reader = null;
      reader.resolve(chunk);
      return;
    }
    this.#waitingChunks.push(chunk);
    this.#waitingOctets += chunk.length;
    if (this.#waitingOctets >= highWaterOctets) this.#controller.pause();
  }

  end(trailers: HeaderList): void {
    this.#ended = true;
    this.#trailers = trailers;
    this.#reader?.resolve(null);
    this.#reader = null;
  }

  fail(error: BodyReadError): void {
    this.#failure = error;
    this.#reader?.reject(error);
    this.#reader = null;
  }
}
