import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { expect } from 'vitest';
import { sideOfRequest, weightedSides } from '../../../src/domain/gateway/load-balancing/traffic-split.js';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import { documentationPage, fencedBlocks, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { builtProgram, startBuiltGateway } from '../../support/shared/running-gateway.js';

const page = 'docs/guides/canary.md';
const token = 'a-token-for-the-test';
const [functionText = '', loopText = ''] = fencedBlocks(documentationPage(page))
  .filter(({ info }) => info === 'sh')
  .map(({ text }) => text);

/** The side of a user that the guide promises. */
const promised = (user: string, canary: number): string => {
  const sides = [
    { upstream: 'stable', weight: 100 - canary },
    { upstream: 'canary', weight: canary },
  ];
  const key = { kind: 'cookie', name: 'uid' } as const;
  return sideOfRequest(weightedSides({ key, sides }), key, '127.0.0.1', ['Cookie', `uid=${user}`]).upstream;
};

const users = Array.from({ length: 80 }, (_, index) => `user-${index}`);

/** A request that began and ended under the same weights. */
interface Served {
  readonly user: string;
  readonly step: number;
  readonly canary: number;
  readonly side: string;
}

it('walks through the steps of the guide and back under load, with two workers: no request is lost, each user stays', async ({
  cleanUp,
  folder,
}) => {
  const ports: Record<string, number> = { 8080: await freePort(), 9090: await freePort() };
  for (const [documented, name] of [
    ['3001', 'stable'],
    ['3002', 'canary'],
  ] as const) {
    const upstream = new RecordingUpstream((request, response) => {
      request.resume().once('end', () => response.end(request.url === '/health' ? 'ok' : name));
    });
    ports[documented] = await upstream.listen();
    cleanUp.add(() => upstream.close());
  }
  const text = mainExample(page).replace(/127\.0\.0\.1:(\d+)/g, (_, port: string) => `127.0.0.1:${ports[port]}`);
  const file = folder.write('gateway.kdl', text);
  const env = { ADMIN_TOKEN: token, GATEWAY_WORKER_THREADS: '2' };
  const gateway = await startBuiltGateway(file, [ports[8080] ?? 0, ports[9090] ?? 0], env);
  cleanUp.add(() => gateway.stop());

  // The steps that the commands of the guide have taken. A reload changes both workers, one after the other, so that
  // between its begin and its end either weight may apply.
  let step = 0;
  let canary: number | null = 5;
  const served: Served[] = [];
  const faults: string[] = [];
  let isOver = false;
  const lane = async (index: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = index; !isOver; turn += 7) {
      const user = users[turn % users.length] as string;
      const before = [step, canary];
      const isUpload = turn % 3 === 0;
      try {
        const { status, body } = await call(ports[8080] ?? 0, {
          agent,
          headers: { Cookie: `theme=dark; uid=${user}` },
          ...(isUpload && { method: 'POST', body: 'x'.repeat(20_000) }),
        });
        if (status !== 200) faults.push(`${status} ${body}`);
        else if (before[0] === step && canary !== null && before[1] === canary) {
          served.push({ user, step, canary, side: body });
        }
      } catch (error) {
        faults.push(String(error));
      }
      // A new connection now and then, so that both workers serve.
      if (turn % 11 === 0) agent.destroy();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    agent.destroy();
  };
  const lanes = Array.from({ length: 8 }, (_, index) => lane(index));
  cleanUp.add(() => {
    isOver = true;
  });

  const stepsTaken: number[] = [];
  /** Every user has been served under the current weights, and many more than once. */
  const enough = async (): Promise<void> => {
    const now = step;
    const isServed = (): boolean => {
      const those = served.filter((each) => each.step === now);
      return those.length > 300 && new Set(those.map(({ user }) => user)).size === users.length;
    };
    await untilTrue('the load goes on', () => isServed() || faults.length > 0);
  };
  await enough();
  // The functions of the script tell this test when a reload begins and ends, and wait for it.
  const stubs = `
    gateway() { echo begin; '${process.execPath}' '${builtProgram('main-gateway')}' "$@" >&2 || return 1; echo "end $1"; read -r go; }
    sleep() { [ "$1" = 1800 ]; }`;
  const script = `${stubs}\n${functionText}\n${loopText}\nfor percent in 50 25 5 0 5; do canary "$percent"; done`;
  const shell = spawn('bash', ['--norc', '-euc', script], { cwd: folder.path, env: { ...process.env, ...env } });
  let complaints = '';
  shell.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complaints += piece;
  });
  const ended = once(shell, 'close');
  for await (const piece of shell.stdout.setEncoding('utf8')) {
    for (const line of String(piece).trim().split('\n')) {
      if (line === 'begin') {
        canary = null;
        step += 1;
      } else {
        const { route } = JSON.parse(
          `{"route":${(await call(ports[9090] ?? 0, { path: '/admin/routes', headers: { Authorization: `Bearer ${token}` } })).body}}`,
        ) as { route: readonly { split: { upstreams: readonly { weight: number }[] } }[] };
        canary = route[0]?.split.upstreams[1]?.weight ?? -1;
        stepsTaken.push(canary);
        await enough();
        shell.stdin.write('go\n');
      }
    }
  }
  expect([await ended, complaints.includes('error')]).toEqual([[0, null], false]);
  isOver = true;
  await Promise.all(lanes);

  expect(faults).toEqual([]);
  expect(stepsTaken).toEqual([5, 25, 50, 100, 50, 25, 5, 0, 5]);
  for (const { user, canary: percent, side } of served) expect(side).toBe(promised(user, percent));
  const onCanary = (percent: number): ReadonlySet<string> =>
    new Set(served.filter((each) => each.canary === percent && each.side === 'canary').map(({ user }) => user));
  const [few, some, half, all] = [5, 25, 50, 100].map(onCanary);
  expect([...(few ?? [])].every((user) => some?.has(user))).toBe(true);
  expect([...(some ?? [])].every((user) => half?.has(user))).toBe(true);
  expect(all?.size).toBe(users.length);
  expect(onCanary(0).size).toBe(0);
}, 120_000);
