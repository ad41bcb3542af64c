import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { NodeHttpEngine } from '../../../../../src/adapters/inbound/node-http-engine/node-http-engine.js';
import { defaultEngineLimits, type RequestHandler } from '../../../../../src/application/ports/http-engine.js';
import { plainTimeouts } from '../../../../support/plain-configurations.js';

it('a drain waits until a client has all of a response that is written', async () => {
  const length = 8_000_000;
  let written: () => void = () => undefined;
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const handler: RequestHandler = {
    admit: () => ({ kind: 'admitted', release: () => undefined }),
    reject: () => ({ status: 400, headers: [], body: '' }),
    handshakeFailed: () => undefined,
    handle: (_request, response) => {
      response.send(200, [], 'a'.repeat(length), true);
      written();
    },
  };
  const options = { limits: defaultEngineLimits, timeouts: plainTimeouts, tls: null };
  const listener = await new NodeHttpEngine().listen('main', { host: '127.0.0.1', port: 0 }, handler, options);
  const client = connect({ host: '127.0.0.1', port: listener.address().port });
  let octets = 0;
  client.pause();
  client.on('data', (piece) => {
    octets += piece.length;
  });
  client.pause();
  const ended = new Promise((resolve) => client.once('close', resolve));
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await isWritten;
  const drained = listener.drain(10_000);
  client.resume();
  await Promise.all([ended, drained]);
  expect(octets).toBeGreaterThan(length);
});
