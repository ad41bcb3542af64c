import { type ChildProcess, spawn } from 'node:child_process';
import type {
  Successor,
  SuccessorLauncher,
  SuccessorOutcome,
} from '../../../application/ports/gateway/successor-launcher.js';
import { type Handover, handoverVariable, type SuccessionMessage, successionMessage } from './handover.js';

/** The input of the successor. */
export interface Inheritance {
  readonly sockets: Handover['sockets'];
  /** The current state to keep: plain data. */
  readonly state: unknown;
  /** Changes since `state`, when the successor takes over: plain data. */
  changes(): unknown;
  /** Environment variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** First descriptor after the standard streams and the channel. */
const firstDescriptor = 4;

const exitReason = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`;

/** Sends a message; ignores a closed channel, since the exit event follows. */
const sendMessage = (child: ChildProcess, message: SuccessionMessage): void => {
  if (child.connected) child.send(message, () => undefined);
};

const outcomeOf = (child: ChildProcess, changes: () => unknown): Promise<SuccessorOutcome> =>
  new Promise((resolve) => {
    const failed = (reason: string) => resolve({ kind: 'failed', reason });
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => failed(exitReason(code, signal)));
    child.on('message', (message) => {
      if (successionMessage(message)?.kind !== 'serving') return;
      // Sent in the turn in which this program starts to drain; later changes do not matter.
      sendMessage(child, { kind: 'changes', changes: changes() });
      // The successor now runs independently.
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
 * Kills a successor that hangs; otherwise it ends its workers itself when abandoned. It leads its
 * own process group. Its workers are in other groups and exit when their channel closes; a stopped
 * worker (SIGSTOP) stays until it continues.
 */
const killGroup = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has exited; its event is pending.
  }
};

/**
 * Starts the program again with the same arguments. Does not resolve its path: an upgrade may have
 * changed a link. The successor shares the standard streams and has its own session.
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
    sendMessage(child, { kind: 'state', state });
    // The child does not keep this process alive.
    child.unref();
    child.channel?.unref();
    return {
      pid: child.pid ?? 0,
      outcome,
      ended,
      abandon: () => {
        // This process waits for its exit.
        child.ref();
        sendMessage(child, { kind: 'abandoned' });
        child.kill('SIGTERM');
      },
      kill: () => killGroup(child),
    };
  }
}
