import type { AgentConnector } from '../../../src/application/ports/gateway/agent-connector.js';
import type { AgentAnswer, AgentEvent } from '../../../src/domain/agent-protocol/messages.js';

/** An agent's end of one connection, whatever carries it. */
export interface HostileLine {
  /** An answer as it goes over the line, with its length in front. */
  answer(answer: AgentAnswer, correlationId: string): Buffer;
  /** Octets as a message of the line that answers with them, whatever they are; `length` is what it claims. */
  message(octets: Uint8Array, length?: number): Buffer;
  write(octets: Uint8Array): void;
  /** Sends nothing more, and goes on reading. */
  endHalf(): void;
  /** Ends it without a word. */
  cut(): void;
  /** Reads nothing more, until it does again. */
  stopReading(): void;
  readAgain(): void;
  readonly isOpen: boolean;
}

/** What an agent is asked about, as far as it matters to one that does harm. */
export interface HostileCall {
  readonly kind: AgentEvent['kind'];
  readonly id: string;
  readonly line: HostileLine;
  /** Of the chunk of a body. */
  readonly isLast: boolean;
  /** The value of the header `x-mark` of a request. */
  readonly mark: string | null;
}

/** Silence is noticed soon, so that no test has to wait for it. */
export const quickLimits = { pingIntervalMs: 100, handshakeTimeoutMs: 300 };

/** An agent that does with each call what the test says. */
export interface HostileAgent {
  /** What it does before it answers a handshake or a ping as it should; false: it does not answer. */
  greet: (line: HostileLine) => boolean;
  behave: (call: HostileCall) => void;
  /** Every connection that was ever made. */
  readonly lines: readonly HostileLine[];
  readonly connector: AgentConnector;
  close(): Promise<void>;
}

/** Cuts what comes into frames of a head and a body whose length stands at the end of the head. */
export class FrameCutter {
  readonly #headBytes: number;
  readonly #lengthAt: number;
  /** Octets of the head that the length counts. */
  readonly #counted: number;
  #rest = Buffer.alloc(0);

  constructor(headBytes: number, lengthAt: number, counted = 0) {
    this.#headBytes = headBytes;
    this.#lengthAt = lengthAt;
    this.#counted = counted;
  }

  push(chunk: Uint8Array): { readonly head: Buffer; readonly body: Buffer }[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: { readonly head: Buffer; readonly body: Buffer }[] = [];
    while (this.#rest.length >= this.#headBytes) {
      const end = this.#headBytes + this.#rest.readUInt32BE(this.#lengthAt) - this.#counted;
      if (this.#rest.length < end) break;
      frames.push({ head: this.#rest.subarray(0, this.#headBytes), body: this.#rest.subarray(this.#headBytes, end) });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}
