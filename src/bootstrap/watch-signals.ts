import { ProcessSignals } from '../adapters/inbound/process-signals/process-signals.js';
import type { LogOutput } from '../adapters/outbound/pino-log/log-output.js';

/** The signals of this process, from the first moment on. */
export interface WatchedSignals {
  /** Resolves with the signal that asks the program to end. */
  readonly ended: Promise<NodeJS.Signals>;
  /** What SIGHUP does from now on; does it at once where one has come already. */
  onReload(reload: () => void): void;
}

/**
 * To be called before anything is served: a signal that nobody takes ends the process, SIGHUP too, and whoever sees a
 * program listen may send one. A second signal to end is obeyed at once.
 */
export const watchSignals = (output: LogOutput): WatchedSignals => {
  let reload: (() => void) | null = null;
  let isReloadWanted = false;
  const ended = new Promise<NodeJS.Signals>((resolve) => {
    new ProcessSignals(process, {
      drain: resolve,
      endAtOnce: () => {
        output.flushSync();
        process.exit(1);
      },
      reload: () => {
        isReloadWanted = true;
        reload?.();
      },
    }).listen();
  });
  return {
    ended,
    onReload(action) {
      reload = action;
      if (isReloadWanted) action();
    },
  };
};
