import { type ChildProcess, spawn } from 'node:child_process';
import type { Successor, SuccessorLauncher, SuccessorOutcome } from '../../../application/ports/successor-launcher.js';
import { type Handover, handoverVariable } from './handover.js';

/** What the successor is started with. */
export interface Inheritance {
  readonly sockets: Handover['sockets'];
  /** See `Handover`. */
  readonly state: unknown;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a successor says of itself once it serves. */
const serving = 'serving';
/** Those of the standard streams, and that of the channel. */
const firstDescriptor = 4;

const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;

const outcomeOf = (child: ChildProcess): Promise<SuccessorOutcome> =>
  new Promise((resolve) => {
    const failed = (reason: string) => resolve({ kind: 'failed', reason });
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => failed(exitReason(code, signal)));
    child.on('message', (message) => {
      if (message === serving) resolve({ kind: 'serves' });
    });
  });

/**
 * Starts the program again by the words that it was started with. Its path is not resolved: an upgrade may have changed where
 * a link points to. The successor shares the standard streams, and is in a session of its own.
 */
export class NodeSuccessorLauncher implements SuccessorLauncher {
  readonly #inheritance: () => Inheritance;

  constructor(inheritance: () => Inheritance) {
    this.#inheritance = inheritance;
  }

  launch(): Successor {
    const { sockets, state, env } = this.#inheritance();
    const handover: Handover = {
      predecessor: process.pid,
      sockets: sockets.map(({ key }, index) => ({ key, fd: firstDescriptor + index })),
      state,
    };
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      detached: true,
      env: { ...process.env, ...env, [handoverVariable]: JSON.stringify(handover) },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...sockets.map(({ fd }) => fd)],
    });
    const outcome = outcomeOf(child);
    // Whoever ends meanwhile waits for nobody.
    child.unref();
    child.channel?.unref();
    return {
      pid: child.pid ?? 0,
      outcome,
      end: () => void child.kill('SIGTERM'),
      kill: () => void child.kill('SIGKILL'),
    };
  }
}

/** Tells the program before that this one serves, where there is one that waits for it. */
export const tellPredecessor = (): void => {
  // It may have gone meanwhile: the sockets are this one's, whatever became of it.
  process.send?.(serving, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
};
