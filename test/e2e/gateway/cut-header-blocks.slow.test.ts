import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { fieldBlock, frame, frameTypes, getRequest, postRequest } from '../../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../../support/gateway/raw-http2-client.js';
import { headers, startRawHttp2Upstream } from '../../support/gateway/raw-http2-upstream.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import type { ProcessExit } from '../../support/shared/processes.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';

/** Has a program collect its garbage all the time, and say so: what lives on by mistake would end it then. */
const collecting = `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => { collect(); process.stderr.write('collected\\n'); }, 50).unref();
`;

const fields: readonly (readonly [string, string])[] = [
  ['x-one', 'a'.repeat(50)],
  ['x-two', 'b'.repeat(50)],
];
const goaway = frame(frameTypes.goaway, 0, 0, Buffer.alloc(8));
const lasts = [
  [frame(frameTypes.headers, 1, 1, fieldBlock(fields))],
  [goaway, getRequest(3)],
  [goaway, frame(frameTypes.headers, 1, 1, fieldBlock(fields))],
];

it('survives truncated header blocks from clients and upstreams', async ({ cleanUp, folder }) => {
  const answers = [
    (stream: number) => [headers(stream, [[':status', '200'], ...fields], 0)],
    (stream: number) => [goaway, headers(stream, [[':status', '200']]), headers(stream, fields, 1)],
  ];
  let asked = 0;
  const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
    if (type !== frameTypes.headers) return;
    asked += 1;
    peer.write(...(answers[asked % answers.length]?.(stream) ?? []));
    setTimeout(() => peer.socket.destroy(), 5);
  });
  const port = await freePort();
  const file = folder.write(
    'gateway.kdl',
    `listeners { listener "main" { address "127.0.0.1:${port}"; http2 #true } }
     routes { route "all" { matches { path-prefix "/" }; upstream "raw" } }
     upstreams { upstream "raw" { http-version "2"; target "127.0.0.1:${upstream.port}"; timeouts { request-secs 1 } } }`,
  );
  const imported = `--import=data:text/javascript,${encodeURIComponent(collecting)}`;
  const gateway = await startBuiltGateway(file, [port], { NODE_OPTIONS: imported });
  cleanUp.add(() => gateway.stop(500));

  const cutBlock = async (index: number): Promise<void> => {
    const client = new RawHttp2Client({ host: '127.0.0.1', port });
    client.send(postRequest(1), ...(lasts[index % lasts.length] ?? []));
    // Nothing tells that a part of a block has been read.
    await delay(5);
    client.socket.end();
    await client.closed();
  };
  for (let round = 0; round < 8; round += 1) {
    const clients = Array.from({ length: 12 }, (_, index) => cutBlock(index));
    await Promise.all([...clients, ...Array.from({ length: 4 }, () => call(port).catch(() => null))]);
  }
  expect(asked).toBeGreaterThan(20);
  const collections = (): number => gateway.output().split('collected').length;
  const before = collections();
  let ended: ProcessExit | null = null;
  void gateway.exited.then((exit) => {
    ended = exit;
  });
  await eventually(() => ended !== null || collections() > before + 3);
  expect(ended).toBeNull();
});
