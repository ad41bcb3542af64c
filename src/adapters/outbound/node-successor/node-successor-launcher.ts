import { type ChildProcess, spawn } from 'node:child_process';
import type {
  Successor,
  SuccessorLauncher,
  SuccessorOutcome,
} from '../../../application/ports/gateway/successor-launcher.js';
import { type Handover, handoverVariable, type SuccessionMessage, successionMessage } from './handover.js';

/** What the successor is started with. */
export interface Inheritance {
  readonly sockets: Handover['sockets'];
  /** What is kept over the change, as it is now: plain data. */
  readonly state: unknown;
  /** What has changed since, once the successor is in charge: plain data. */
  changes(): unknown;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Those of the standard streams, and that of the channel. */
const firstDescriptor = 4;

const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;

/** One that is gone does not hear it: its end says the rest. */
const tell = (child: ChildProcess, message: SuccessionMessage): void => {
  if (child.connected) child.send(message, () => undefined);
};

const outcomeOf = (child: ChildProcess, changes: () => unknown): Promise<SuccessorOutcome> =>
  new Promise((resolve) => {
    const failed = (reason: string) => resolve({ kind: 'failed', reason });
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => failed(exitReason(code, signal)));
    child.on('message', (message) => {
      if (successionMessage(message)?.kind !== 'serving') return;
      // In the turn in which this program leaves: what is changed here later was changed in one that drains.
      tell(child, { kind: 'changes', changes: changes() });
      // It goes on by itself, whatever was waited for.
      child.unref();
      resolve({ kind: 'serves' });
    });
  });

const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

/**
 * For one that hangs: otherwise it has ended its workers itself when it was abandoned. It leads a group of its own;
 * its workers are in others, and end when their channel to it closes. A worker that is stopped meanwhile (SIGSTOP)
 * stays until it goes on.
 */
const killGroup = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended, and nobody has said so yet.
  }
};

/**
 * Starts the program again by the words that it was started with. Its path is not resolved: an upgrade may have
 * changed where a link points to. The successor shares the standard streams, and is in a session of its own.
 */
export class NodeSuccessorLauncher implements SuccessorLauncher {
  readonly #inheritance: () => Inheritance;

  constructor(inheritance: () => Inheritance) {
    this.#inheritance = inheritance;
  }

  launch(): Successor {
    const { sockets, state, changes, env } = this.#inheritance();
    const handover: Handover = {
      predecessor: process.pid,
      sockets: sockets.map(({ key }, index) => ({ key, fd: firstDescriptor + index })),
    };
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      detached: true,
      env: { ...process.env, ...env, [handoverVariable]: JSON.stringify(handover) },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...sockets.map(({ fd }) => fd)],
    });
    const outcome = outcomeOf(child, changes);
    const ended = endOf(child);
    tell(child, { kind: 'state', state });
    // Whoever ends meanwhile waits for nobody.
    child.unref();
    child.channel?.unref();
    return {
      pid: child.pid ?? 0,
      outcome,
      ended,
      abandon: () => {
        // This program waits for its end.
        child.ref();
        tell(child, { kind: 'abandoned' });
        child.kill('SIGTERM');
      },
      kill: () => killGroup(child),
    };
  }
}
