import { ProcessSignals } from '../../adapters/inbound/process-signals/process-signals.js';

/** The signals of this process, handled from its start. */
export interface WatchedSignals {
  /** Resolves with the first SIGTERM or SIGINT. */
  readonly ended: Promise<NodeJS.Signals>;
  /** Sets the action of SIGHUP; runs it at once if one has arrived. */
  onReload(reload: () => void): void;
  /** Sets the action of SIGUSR2, likewise. */
  onUpgrade(upgrade: () => void): void;
  /** Sets the action for both during a drain, when they have no effect. */
  onIgnored(ignored: (signal: NodeJS.Signals) => void): void;
}

/** An action whose signal may arrive before it is set. */
class DeferredAction {
  #action: (() => void) | null = null;
  #isRequested = false;

  readonly run = (): void => {
    this.#isRequested = true;
    this.#action?.();
  };

  set(action: () => void): void {
    this.#action = action;
    if (this.#isRequested) action();
  }
}

/**
 * Handles signals. Call before serving: an unhandled signal ends the process, SIGHUP included.
 *
 * @param endAtOnce action of a second SIGTERM or SIGINT
 * @param canUpgrade whether to handle SIGUSR2
 */
export const watchSignals = (endAtOnce: () => void, canUpgrade = false): WatchedSignals => {
  let ignored: (signal: NodeJS.Signals) => void = () => undefined;
  const reload = new DeferredAction();
  const upgrade = new DeferredAction();
  const ended = new Promise<NodeJS.Signals>((resolve) => {
    new ProcessSignals(process, {
      drain: resolve,
      endAtOnce,
      ignored: (signal) => ignored(signal),
      reload: reload.run,
      ...(canUpgrade ? { upgrade: upgrade.run } : {}),
    }).listen();
  });
  return {
    ended,
    onReload: (action) => reload.set(action),
    onUpgrade: (action) => upgrade.set(action),
    onIgnored: (action) => {
      ignored = action;
    },
  };
};
