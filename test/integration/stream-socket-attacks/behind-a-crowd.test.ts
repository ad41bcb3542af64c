import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import {
  startInProcess,
  testConfiguration,
  testLimits,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

/** More than twice as many as may wait in a turn: some requests are written before the turn has read everything. */
const crowd = 150;
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const small = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
const large = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${'b'.repeat(20_000)}`;
const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL';

/** As many clients as upstream connections, all idle. */
const start = async (cleanUp: CleanUp) => {
  const { port, sockets } = await serverOf(cleanUp, (socket) => {
    let text = '';
    socket.on('data', (octets) => {
      text += octets.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      text = '';
      // Later than the requests of the others, so that each gets a connection of its own.
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), 100);
    });
  });
  const limits = { ...testLimits, maxConnectionsPerClient: 2 * crowd, maxIdleConnectionsPerUpstream: 2 * crowd };
  const upstream = testUpstream(port, { maxConnections: 2 * crowd, maxIdle: 2 * crowd });
  const gateway = await startInProcess(testConfiguration([upstream], { limits }));
  cleanUp.add(() => gateway.stop());
  const answers: string[] = [];
  const clients: Socket[] = [];
  for (let number = 0; number < crowd; number += 1) {
    const client = connect(gateway.address.port, '127.0.0.1');
    cleanUp.add(() => void client.destroy());
    client.on('error', () => undefined);
    answers.push('');
    client.on('data', (octets) => {
      answers[number] += octets.toString('latin1');
    });
    client.write(get);
    clients.push(client);
  }
  await eventually(() => answers.every((answer) => answer.includes('ok')));
  await sleep(50);
  answers.fill('');
  return { clients, answers, upstreams: [...sockets] };
};

describe('what idle upstreams send before the requests of a crowd', () => {
  it.for([
    ['GET', get],
    ['a small POST', small],
    ['a large POST', large],
  ] as const)('does not answer %s', async ([_, request], { cleanUp }) => {
    const { clients, answers, upstreams } = await start(cleanUp);
    // The gateway runs in this process, so it finds all of it in one turn.
    for (const client of clients) client.write(request);
    for (const upstream of upstreams) upstream.write(evil);
    await eventually(() => answers.every((answer) => /HTTP\/1\.1 \d/.test(answer)));
    expect(answers.filter((answer) => answer.includes('EVIL'))).toEqual([]);
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
  });

  it('being their end, fails no request', async ({ cleanUp }) => {
    const { clients, answers, upstreams } = await start(cleanUp);
    for (const client of clients) client.write(small);
    for (const upstream of upstreams) upstream.end();
    await eventually(() => answers.every((answer) => /HTTP\/1\.1 \d/.test(answer)));
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
  });
});
