import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { call } from '../support/http-call.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../support/http-upstream.js';
import { type SupervisedProgram, startSupervisedProgram } from '../support/supervised-program.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.js';

const cleanUp = new CleanUp();
let folder: TemporaryFolder;
let upstream: HttpUpstream;
let port: number;
/** How the upstream answers. */
let answer: RequestListener;

const write = (more = '', path = '/'): string =>
  folder.write(
    'gateway.kdl',
    `listeners { listener "public" { address "127.0.0.1:${port}" } }
     routes { route "all" { matches { path-prefix "${path}" }; upstream "api" } }
     upstreams { upstream "api" { target "127.0.0.1:${upstream.port}" } }
     ${more}`,
  );

beforeEach(async () => {
  folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  answer = echo;
  upstream = await startHttpUpstream((request, response) => answer(request, response));
  cleanUp.add(() => upstream.close());
  port = await freePort();
});
afterEach(() => cleanUp.run());

/** Two workers that serve; `pids` by number. */
const started = async (...parameters: Parameters<typeof startSupervisedProgram>) => {
  const program = startSupervisedProgram(...parameters);
  cleanUp.add(() => program.process.stop());
  await program.logged('ready', 1);
  return { program, pids: program.lines().flatMap(({ message, pid }) => (message === 'worker' ? [Number(pid)] : [])) };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** New connections, so that each may go to another worker. */
const statuses = async (count: number): Promise<ReadonlySet<number>> =>
  new Set(await Promise.all(Array.from({ length: count }, async () => (await call(port, { path: '/' })).status)));

const reload = async ({ process, logged }: SupervisedProgram, outcome: 'success' | 'failure'): Promise<void> => {
  process.signal('SIGHUP');
  await logged(`reload: ${outcome}`, 1);
};

describe('workers under a supervisor', () => {
  it('serve together, are replaced when they die or hang, and say in every line who they are', async () => {
    const times = { heartbeatEveryMs: 100, heartbeatDeadlineMs: 1_500, lastQuestionMs: 500 };
    const { program, pids } = await started(write(), 2, times);
    expect(pids).toHaveLength(2);
    expect(await statuses(20)).toEqual(new Set([200]));
    const [first = 0, second = 0] = pids;
    process.kill(first, 'SIGKILL');
    const [replaced] = await program.logged('a new worker serves', 1);
    expect(replaced).toMatchObject({ worker: 1 });
    expect(await statuses(20)).toEqual(new Set([200]));
    process.kill(second, 'SIGSTOP');
    await program.logged('a worker does not answer and is killed', 1);
    const [, last] = await program.logged('a new worker serves', 2);
    expect(last).toMatchObject({ worker: 2 });
    expect(isAlive(second)).toBe(false);
    expect(await statuses(20)).toEqual(new Set([200]));
    const requests = program.lines().filter(({ message }) => message === 'request');
    expect(requests.every(({ worker }) => worker === 1 || worker === 2)).toBe(true);
    // What a terminal or a service manager sends to all is the supervisor's to obey.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)
      process.kill(Number(last?.['pid']), signal);
    expect(await statuses(20)).toEqual(new Set([200]));
    expect(isAlive(Number(last?.['pid']))).toBe(true);
  });

  it('take a new configuration all or none, and a drain lets requests finish', async () => {
    const { program, pids } = await started(write(), 2);
    write('', '/elsewhere');
    await reload(program, 'success');
    expect(await statuses(20)).toEqual(new Set([404]));
    write('admin { address "192.0.2.1:1"; insecure-no-token #true }');
    await reload(program, 'failure');
    expect(program.process.output()).toContain('cannot listen on 192.0.2.1:1: this machine does not have the address');
    expect(await statuses(20)).toEqual(new Set([404]));
    write();
    program.process.signal('SIGHUP');
    await program.logged('reload: success', 2);
    let release: () => void = () => undefined;
    answer = (_, response) => {
      release = () => void response.end('late');
    };
    const asked = new Promise<void>((resolve) => upstream.server.once('request', () => resolve()));
    const inFlight = call(port, { path: '/' });
    await asked;
    program.process.signal('SIGTERM');
    await eventually(() => pids.some((pid) => !isAlive(pid)));
    await expect(call(port, { path: '/' })).rejects.toThrow('ECONNREFUSED');
    release();
    expect(await inFlight).toMatchObject({ status: 200, body: 'late' });
    expect(await program.process.exited).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('end when the supervisor does, and none is left', async () => {
    const { program, pids } = await started(write(), 2);
    program.process.signal('SIGKILL');
    await program.process.exited;
    await eventually(() => !pids.some(isAlive));
    await expect(call(port, { path: '/' })).rejects.toThrow('ECONNREFUSED');
  });

  it('do not start where one of them cannot, with the words of a single process', async () => {
    const taken = await startHttpUpstream(echo);
    cleanUp.add(() => taken.close());
    port = taken.port;
    const program = startSupervisedProgram(write(), 2);
    cleanUp.add(() => program.process.stop());
    expect(await program.process.exited).toEqual({ code: 1, signal: null });
    expect(program.process.output()).toContain(
      `error: cannot listen on 127.0.0.1:${taken.port}: the port is taken by another program\n`,
    );
  });
});
