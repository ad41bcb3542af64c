import { ProcessSignals } from '../../adapters/inbound/process-signals/process-signals.js';

/** The signals of this process, from the first moment on. */
export interface WatchedSignals {
  /** Resolves with the signal that asks the program to end. */
  readonly ended: Promise<NodeJS.Signals>;
  /** What SIGHUP does from now on; does it at once where one has come already. */
  onReload(reload: () => void): void;
  /** The same for SIGUSR2. */
  onUpgrade(upgrade: () => void): void;
  /** What is done with either of them once the program drains, and they do nothing. */
  onIgnored(ignored: (signal: NodeJS.Signals) => void): void;
}

/** What a signal does, which may come before it is known. */
class AwaitedAction {
  #action: (() => void) | null = null;
  #isWanted = false;

  readonly run = (): void => {
    this.#isWanted = true;
    this.#action?.();
  };

  become(action: () => void): void {
    this.#action = action;
    if (this.#isWanted) action();
  }
}

/**
 * To be called before anything is served: a signal that nobody takes ends the process, SIGHUP too,
 * and whoever sees a program listen may send one. `endAtOnce`: what a second signal to end does.
 * SIGUSR2 is taken where the program `canUpgrade`.
 */
export const watchSignals = (endAtOnce: () => void, canUpgrade = false): WatchedSignals => {
  let ignored: (signal: NodeJS.Signals) => void = () => undefined;
  const reload = new AwaitedAction();
  const upgrade = new AwaitedAction();
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
    onReload: (action) => reload.become(action),
    onUpgrade: (action) => upgrade.become(action),
    onIgnored: (action) => {
      ignored = action;
    },
  };
};
