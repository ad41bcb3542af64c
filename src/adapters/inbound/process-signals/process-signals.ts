/** What the signals of a process mean to the program. */
export interface SignalActions {
  /** SIGTERM or SIGINT: finish what is in flight, then end. Called once. */
  drain(signal: NodeJS.Signals): void;
  /** A second SIGTERM or SIGINT: whoever sends it does not want to wait. */
  endAtOnce(signal: NodeJS.Signals): void;
  /** SIGHUP: read the configuration again. */
  reload(): void;
  /** SIGUSR2: let the program on disk take over. Left to the system where nothing does. */
  readonly upgrade?: () => void;
  /** SIGHUP or SIGUSR2, which do nothing while the program drains. */
  readonly ignored?: (signal: NodeJS.Signals) => void;
}

/** The part of `process` that signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/**
 * Turns the signals of a process into calls. What comes while the program drains is not passed on, but for a wish to
 * end.
 */
export class ProcessSignals {
  readonly #source: SignalSource;
  readonly #actions: SignalActions;
  #draining = false;

  constructor(source: SignalSource, actions: SignalActions) {
    this.#source = source;
    this.#actions = actions;
  }

  listen(): void {
    this.#source.on('SIGTERM', this.#onEnd);
    this.#source.on('SIGINT', this.#onEnd);
    this.#source.on('SIGHUP', this.#onHangUp);
    if (this.#actions.upgrade) this.#source.on('SIGUSR2', this.#onUpgrade);
  }

  /** The signals do again what the system has them do. */
  stop(): void {
    this.#source.off('SIGTERM', this.#onEnd);
    this.#source.off('SIGINT', this.#onEnd);
    this.#source.off('SIGHUP', this.#onHangUp);
    this.#source.off('SIGUSR2', this.#onUpgrade);
  }

  readonly #onEnd = (signal: NodeJS.Signals): void => {
    if (this.#draining) {
      this.#actions.endAtOnce(signal);
      return;
    }
    this.#draining = true;
    this.#actions.drain(signal);
  };

  readonly #onHangUp = (signal: NodeJS.Signals): void => {
    if (this.#draining) this.#actions.ignored?.(signal);
    else this.#actions.reload();
  };

  readonly #onUpgrade = (signal: NodeJS.Signals): void => {
    if (this.#draining) this.#actions.ignored?.(signal);
    else this.#actions.upgrade?.();
  };
}
