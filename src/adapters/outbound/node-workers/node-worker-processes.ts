import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerProcess, WorkerProcesses } from '../../../application/ports/gateway/worker-processes.js';
import type { ProcessEnd } from '../../../domain/gateway/supervision/process-end.js';
import { IpcLink } from './ipc-link.js';

/** Resolves when the process has exited or failed to start. */
const endOf = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    child.on('error', () => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null });
    });
  });

/** If supported, disables the inspector signal (SIGUSR1) until the program handles it. */
const withoutInspector = process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : [];

/** Workers as Node processes. They share this process's standard output and error. */
export class NodeWorkerProcesses implements WorkerProcesses {
  readonly #program: string;
  /** Running workers. */
  readonly #running = new Set<ChildProcess>();

  /** @param program module that a worker runs */
  constructor(program: URL) {
    this.#program = fileURLToPath(program);
  }

  start(): WorkerProcess {
    const child = fork(this.#program, [], {
      // Own process group, so that terminal signals reach only the supervisor.
      detached: true,
      execArgv: [...process.execArgv, ...withoutInspector],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const link = new IpcLink(child);
    this.#running.add(child);
    const ended = endOf(child);
    void ended.then(() => this.#running.delete(child));
    // A worker without a channel is unreachable.
    link.onClosed(() => child.kill('SIGKILL'));
    return { pid: child.pid ?? null, link, ended, kill: () => void child.kill('SIGKILL') };
  }

  /** Kills all workers at once. */
  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}
