import { type SuccessionMessage, successionMessage } from './handover.js';

/** The part of `process` that the program before is reached by. */
export interface PredecessorChannel {
  readonly connected: boolean;
  send?(
    message: SuccessionMessage,
    handle: undefined,
    options: undefined,
    sent: (error: Error | null) => void,
  ): unknown;
  disconnect(): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** How long the program before has for an answer, in milliseconds. It gives it at once, or is gone. */
const answerMs = 10_000;

/** The program that this one is to succeed. One that is gone without a word has left its place. */
export class Predecessor {
  readonly #channel: PredecessorChannel;
  readonly #came = new Map<SuccessionMessage['kind'], SuccessionMessage>();
  readonly #waiting = new Map<SuccessionMessage['kind'], () => void>();
  #isGone: boolean;
  #abandoned: () => void = () => undefined;

  constructor(channel: PredecessorChannel) {
    this.#channel = channel;
    this.#isGone = !channel.connected;
    channel.on('message', (received) => {
      const message = successionMessage(received);
      if (message === null) return;
      this.#came.set(message.kind, message);
      if (message.kind === 'abandoned') this.#abandoned();
      this.#waiting.get(message.kind)?.();
    });
    channel.on('disconnect', () => {
      this.#isGone = true;
      for (const done of this.#waiting.values()) done();
    });
  }

  /** What is to be done where this program is not to take over; at once where that was said already. */
  onAbandoned(action: () => void): void {
    this.#abandoned = action;
    if (this.#came.has('abandoned')) action();
  }

  /** What it has kept for this one; null where it is gone. */
  async state(): Promise<unknown> {
    const message = await this.#message('state');
    return message?.kind === 'state' ? message.state : null;
  }

  /** Tells it that this program serves. Resolves with what has changed since `state`; null where it is gone. */
  async serving(): Promise<unknown> {
    if (this.#isGone) return null;
    this.#channel.send?.({ kind: 'serving' }, undefined, undefined, () => undefined);
    const message = await this.#message('changes');
    this.leave();
    return message?.kind === 'changes' ? message.changes : null;
  }

  /** Nothing more is said: an open channel would keep this process from its end. */
  leave(): void {
    if (this.#channel.connected) this.#channel.disconnect();
  }

  #message(kind: SuccessionMessage['kind']): Promise<SuccessionMessage | null> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(deadline);
        this.#waiting.delete(kind);
        resolve(this.#came.get(kind) ?? null);
      };
      const deadline = setTimeout(done, answerMs);
      this.#waiting.set(kind, done);
      if (this.#came.has(kind) || this.#isGone) done();
    });
  }
}
