import { type SuccessionMessage, successionMessage } from './handover.js';

/** The members of `process` for messages to the predecessor. */
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

/** Timeout for an answer of the predecessor, in milliseconds. It answers at once or is gone. */
const answerMs = 10_000;

/** The program that this one replaces. If it exits silently, this one takes over. */
export class Predecessor {
  readonly #channel: PredecessorChannel;
  readonly #received = new Map<SuccessionMessage['kind'], SuccessionMessage>();
  readonly #waiting = new Map<SuccessionMessage['kind'], () => void>();
  #isGone: boolean;
  #onAbandoned: () => void = () => undefined;

  constructor(channel: PredecessorChannel) {
    this.#channel = channel;
    this.#isGone = !channel.connected;
    channel.on('message', (received) => {
      const message = successionMessage(received);
      if (message === null) return;
      this.#received.set(message.kind, message);
      if (message.kind === 'abandoned') this.#onAbandoned();
      this.#waiting.get(message.kind)?.();
    });
    channel.on('disconnect', () => {
      this.#isGone = true;
      for (const done of this.#waiting.values()) done();
    });
  }

  /** Registers an action for `abandoned`; runs it at once if the message has arrived. */
  onAbandoned(action: () => void): void {
    this.#onAbandoned = action;
    if (this.#received.has('abandoned')) action();
  }

  /** The state from the predecessor; null if it is gone. */
  async state(): Promise<unknown> {
    const message = await this.#message('state');
    return message?.kind === 'state' ? message.state : null;
  }

  /**
   * Announces that this program serves. Resolves with the changes since `state`; null if the
   * predecessor is gone.
   */
  async serving(): Promise<unknown> {
    if (this.#isGone) return null;
    this.#channel.send?.({ kind: 'serving' }, undefined, undefined, () => undefined);
    const message = await this.#message('changes');
    this.leave();
    return message?.kind === 'changes' ? message.changes : null;
  }

  /** Closes the channel, which would keep this process alive. */
  leave(): void {
    if (this.#channel.connected) this.#channel.disconnect();
  }

  #message(kind: SuccessionMessage['kind']): Promise<SuccessionMessage | null> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(deadline);
        this.#waiting.delete(kind);
        resolve(this.#received.get(kind) ?? null);
      };
      const deadline = setTimeout(done, answerMs);
      this.#waiting.set(kind, done);
      if (this.#received.has(kind) || this.#isGone) done();
    });
  }
}
