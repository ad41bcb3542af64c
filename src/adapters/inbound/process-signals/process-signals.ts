/** The program's reactions to signals. */
export interface SignalActions {
  /** SIGTERM or SIGINT: drain, then exit. Called once. */
  drain(signal: NodeJS.Signals): void;
  /** A second SIGTERM or SIGINT: exit without draining. */
  endAtOnce(signal: NodeJS.Signals): void;
  /** SIGHUP: read the configuration again. */
  reload(): void;
  /** SIGUSR2: hand over to the program on disk. If absent, the system's default applies. */
  readonly upgrade?: () => void;
  /** SIGHUP or SIGUSR2 during a drain; they have no effect. */
  readonly ignored?: (signal: NodeJS.Signals) => void;
}

/** The part of `process` that signals come from. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** Translates signals into calls. During a drain only SIGTERM and SIGINT have an effect. */
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

  /** Restores the system's default signal handling. */
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
