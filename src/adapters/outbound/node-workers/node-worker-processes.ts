import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerProcess, WorkerProcesses } from '../../../application/ports/gateway/worker-processes.js';
import type { ProcessEnd } from '../../../domain/gateway/supervision/process-end.js';
import { IpcLink } from './ipc-link.js';

/** Resolves when it has ended, or could not be started. */
const endOf = (child: ChildProcess): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    child.on('error', () => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null });
    });
  });

/** Where this version of Node has it, the signal that opens the inspector does nothing before the program takes it. */
const withoutInspector = process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : [];

/** Workers as processes of Node. Each writes to the standard output and error of this process. */
export class NodeWorkerProcesses implements WorkerProcesses {
  readonly #program: string;
  /** Those that have not ended. */
  readonly #running = new Set<ChildProcess>();

  /** `program`: what a worker runs. */
  constructor(program: URL) {
    this.#program = fileURLToPath(program);
  }

  start(): WorkerProcess {
    const child = fork(this.#program, [], {
      // In a group of its own: what a terminal sends to this process's group is for this process.
      detached: true,
      execArgv: [...process.execArgv, ...withoutInspector],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const link = new IpcLink(child);
    this.#running.add(child);
    const ended = endOf(child);
    void ended.then(() => this.#running.delete(child));
    // A worker that can no longer be told anything is of no use.
    link.onClosed(() => child.kill('SIGKILL'));
    return { pid: child.pid ?? null, link, ended, kill: () => void child.kill('SIGKILL') };
  }

  /** Ends all of them at once, whatever they do and whoever waits for them. */
  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}
