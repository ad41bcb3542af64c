import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
const patienceMs = 60_000;
const pollMs = 25;

/** Where a program is installed; null where it is not. */
export const installed = (program: string): string | null => {
  for (const folder of folders) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** A program that runs on one core. */
export interface Started {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

interface Watched extends Started {
  readonly child: ChildProcess;
  output(): string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

/** Starts a program on a core of its own. `taskset` replaces itself by the program, so the pid is the program's. */
export const start = (
  name: string,
  core: number | string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Watched => {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-4_000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      running.delete(child);
      resolve();
    };
    child.on('error', finish);
    child.on('close', finish);
  });
  return {
    name,
    pid: child.pid ?? -1,
    child,
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(force);
    },
  };
};

const accepts = (where: { readonly port: number } | { readonly path: string }): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = 'port' in where ? connect(where.port, '127.0.0.1') : connect(where.path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Resolves once the program takes connections. */
export const untilReady = async (
  program: Watched,
  where: { readonly port: number } | { readonly path: string },
): Promise<void> => {
  const givesUpMs = Date.now() + patienceMs;
  while (!(await accepts(where))) {
    if (program.child.exitCode !== null || Date.now() > givesUpMs) {
      await program.stop();
      throw new Error(`${program.name} did not start:\n${program.output()}`);
    }
    await sleep(pollMs);
  }
};
