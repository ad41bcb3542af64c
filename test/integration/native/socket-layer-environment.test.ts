import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';

const program = join(repositoryRoot, 'native/test/environment.mjs');

const run = (scenario: string) => {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, scenario], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  return { status, signal, stderr, lines: stdout.trimEnd().split('\n') };
};

describe('an environment with a socket layer', () => {
  it('ends while there is traffic: as a worker thread that is terminated, exits, throws or ends the layer', () => {
    const ends = ['terminate', 'terminate in a turn', 'exit', 'throw', 'end', 'terminate', 'exit'];
    const lines = ends.map((way) => `ended by ${way}`);
    lines.splice(3, 0, 'thrown in a worker');
    expect(run('workers')).toEqual({ status: 0, signal: null, stderr: '', lines });
  });

  it('reports an exception of onEvents as uncaught, and runs ticks and microtasks after a turn', () => {
    const turn = (number: number, ...between: string[]) => [`turn ${number}`, ...between, 'tick', 'microtask'];
    const lines = [...turn(1), ...turn(2, 'uncaught in onEvents'), ...turn(3)];
    expect(run('exceptions')).toEqual({ status: 0, signal: null, stderr: '', lines });
  });

  it('ends the layer when the arena was transferred to another thread', () => {
    expect(run('transfer')).toEqual({ status: 0, signal: null, stderr: '', lines: ['uncaught EFAULT'] });
  });

  it('ends by itself when the layer is not referenced', () => {
    expect(run('unref')).toEqual({ status: 0, signal: null, stderr: '', lines: ['unreferenced'] });
  });
});

const startEcho = async (cleanUp: CleanUp): Promise<{ echo: RunningProcess; port: number }> => {
  const limited = ['-c', 'ulimit -n 60 && exec "$0" "$@"', process.execPath, program, 'descriptors'];
  const echo = startProcess('sh', limited);
  cleanUp.add(() => echo.stop());
  const output = await echo.wrote(/port \d+\n/);
  return { echo, port: Number(/port (\d+)/.exec(output)?.[1]) };
};

/** A client that remembers what it got and whether it was closed. */
class EchoClient {
  readonly socket: Socket;
  received = '';
  isClosed = false;

  constructor(cleanUp: CleanUp, port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket
      .on('error', () => {})
      .on('data', (octets) => {
        this.received += octets.toString('latin1');
      });
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.write('hello');
    cleanUp.add(() => this.socket.destroy());
  }

  get isSettled(): boolean {
    return this.isClosed || this.received === 'hello';
  }
}

describe('a listener without free descriptors', () => {
  it('closes waiting connections at once, serves the accepted ones, and accepts again later', async ({ cleanUp }) => {
    const { echo, port } = await startEcho(cleanUp);
    const clients = Array.from({ length: 100 }, () => new EchoClient(cleanUp, port));
    await eventually(() => clients.every(({ isSettled }) => isSettled));
    expect(echo.output()).toContain(`accept failed ${constants.errno.EMFILE} slot -1\n`);
    const served = clients.filter(({ isClosed }) => !isClosed);
    expect(served.length).toBeGreaterThan(10);
    expect(served.length).toBeLessThan(60);
    for (const { socket } of served) socket.end();
    await eventually(() => served.every(({ isClosed }) => isClosed));
    const late = new EchoClient(cleanUp, port);
    await eventually(() => late.isSettled);
    expect(late.isClosed).toBe(false);
  });

  it('does not spin', async ({ cleanUp }) => {
    const { echo, port } = await startEcho(cleanUp);
    const clients = Array.from({ length: 100 }, () => new EchoClient(cleanUp, port));
    await eventually(() => clients.every(({ isSettled }) => isSettled));
    echo.signal('SIGTERM');
    await echo.exited;
    const [, turns, failures] = /turns (\d+) failures (\d+)/.exec(echo.output()) ?? [];
    expect(Number(failures)).toBeGreaterThan(0);
    // Each connection gives a turn or two: accepted with or without its octets, or refused.
    expect(Number(turns)).toBeLessThan(3 * clients.length);
  });
});
