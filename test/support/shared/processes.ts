import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';

export interface ProcessExit {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that a test started. */
export interface RunningProcess {
  readonly pid: number;
  /** What it has written so far, to both of its outputs. */
  output(): string;
  /** Resolves with everything written so far once that matches; rejects when the program ends first. */
  wrote(pattern: RegExp): Promise<string>;
  readonly exited: Promise<ProcessExit>;
  signal(signal: NodeJS.Signals): void;
  /** Asks it to end, and makes it after the grace. */
  stop(graceMs?: number): Promise<ProcessExit>;
}

const startPatienceMs = 20_000;
const stopPatienceMs = 10_000;
const pollMs = 20;

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of this process; the program has them from 3 on. */
  readonly descriptors?: readonly number[];
}

/** Starts a program; its environment is that of the tests with `env` on top. */
export const startProcess = (
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): RunningProcess => {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.descriptors ?? [])],
  });
  // The streams are there: they are piped.
  const [stdout, stderr] = [child.stdout as Readable, child.stderr as Readable];
  let written = '';
  let hasExited = false;
  const watchers = new Set<() => void>();
  const announce = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const keep = (text: string): void => {
    written += text;
    announce();
  };
  stdout.setEncoding('utf8').on('data', keep);
  stderr.setEncoding('utf8').on('data', keep);

  const exited = new Promise<ProcessExit>((resolve) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
      hasExited = true;
      resolve({ code, signal });
      announce();
    };
    child.on('error', (error) => {
      written += `${command}: ${error.message}\n`;
      ended(127, null);
    });
    child.on('close', ended);
  });

  const wrote = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        settle();
        reject(new Error(`${command} ${why} before it wrote ${pattern}:\n${written}`));
      };
      const deadline = setTimeout(() => fail('ran out of time'), startPatienceMs);
      const settle = (): void => {
        clearTimeout(deadline);
        watchers.delete(look);
      };
      const look = (): void => {
        if (pattern.test(written)) {
          settle();
          resolve(written);
        } else if (hasExited) fail('ended');
      };
      watchers.add(look);
      look();
    });

  return {
    pid: child.pid ?? -1,
    output: () => written,
    wrote,
    exited,
    signal: (signal) => void child.kill(signal),
    async stop(graceMs = stopPatienceMs) {
      if (hasExited) return exited;
      // A stopped process takes no SIGTERM until it goes on.
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      const exit = await exited;
      clearTimeout(force);
      return exit;
    },
  };
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Resolves once a program takes connections on a port of 127.0.0.1; rejects when it ends before that. */
export const untilListening = async (started: RunningProcess, port: number): Promise<void> => {
  const givesUpMs = Date.now() + startPatienceMs;
  let ended = false;
  void started.exited.then(() => {
    ended = true;
  });
  while (!(await accepts(port))) {
    if (ended || Date.now() > givesUpMs) throw new Error(`nothing listens on port ${port}:\n${started.output()}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};
