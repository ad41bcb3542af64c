import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CoreClient, coreClient } from '../../../../../support/gateway/core-client.js';
import { preparedTls, recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let identity: OpensslCertificate;

beforeAll(() => {
  identity = pki.server('a.example', { by: pki.authority('root'), names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

/** Longer than a test may take. */
const forever = 600_000;
const patient = { lingerMs: forever, maxLingerMs: forever };
const octets = 2_000_000;
const lastGet = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
/** The end of the connection is the gateway's wish. */
const keptGet = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const post = (fields: string): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`;
const large = 'x'.repeat(octets);

const start = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2], isSecure = false) => {
  const tls = isSecure ? preparedTls([identity]) : null;
  const { listener, handler } = await recordedListener(cleanUp, tls, changes);
  handler.held = true;
  const client = (allowHalfOpen = false): CoreClient => {
    if (!isSecure) return coreClient(cleanUp, listener, allowHalfOpen);
    const { host, port } = listener.address();
    // What is looked at here is the end alone.
    const socket = connectTls({ host, port, rejectUnauthorized: false });
    cleanUp.add(() => void socket.destroy());
    return new CoreClient(socket);
  };
  return { listener, handler, client };
};

describe.each([
  ['plain HTTP', false],
  ['TLS', true],
])('the last response of a connection, over %s', (_, isSecure) => {
  it('reaches a client that sent more than was read', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, patient, isSecure);
    const asked = client();
    asked.socket.pause();
    asked.send(keptGet);
    await eventually(() => handler.responses.length === 1);
    handler.responses[0]?.send(200, [], large, true);
    asked.send(large);
    asked.socket.resume();
    await asked.closed();
    expect(asked.isReset).toBe(false);
    expect(asked.text.endsWith(large)).toBe(true);
  });

  it('reaches a client that keeps sending a malformed chunked body', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, patient, isSecure);
    handler.handle = ({ body }, response) => {
      Promise.resolve(body?.read()).catch(() => response.send(400, [], large, true));
    };
    const asked = client();
    asked.socket.pause();
    asked.send(post('Transfer-Encoding: chunked')).send('zz\r\n');
    asked.send(large).send(large);
    await eventually(() => asked.socket.writableLength === 0);
    asked.socket.resume();
    await asked.closed();
    expect(asked.isReset).toBe(false);
    expect(asked.text.endsWith(large)).toBe(true);
  });

  it('is followed by a half-close at once, even within the request', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, patient, isSecure);
    const asked = client().send(post('Content-Length: 10'));
    await eventually(() => handler.responses.length === 1);
    handler.responses[0]?.send(413, [], 'no', true);
    await eventually(() => asked.isEnded);
    expect(asked.text.endsWith('no')).toBe(true);
    await asked.closed();
  });
});

describe('a client that asked for the end of its connection', () => {
  it('gets it with the response, without being awaited', async ({ cleanUp }) => {
    const { listener, handler, client } = await start(cleanUp, patient);
    const asked = client(true).send(lastGet);
    await eventually(() => handler.responses.length === 1);
    handler.responses[0]?.send(200, [], 'x', false);
    await eventually(() => asked.isEnded);
    expect(asked.text.endsWith('x')).toBe(true);
    // The client keeps its own side open.
    await eventually(() => listener.connections() === 0);
  });
});

describe('a client that does not close after the last response', () => {
  const left = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2]) => {
    const { listener, handler, client } = await start(cleanUp, changes);
    const asked = client(true).send(keptGet);
    await eventually(() => handler.responses.length === 1);
    handler.responses[0]?.send(200, [], 'x', true);
    await eventually(() => asked.isEnded);
    return { asked, listener };
  };

  it('is awaited until it is silent for the linger time', async ({ cleanUp }) => {
    const { listener } = await left(cleanUp, { lingerMs: 50, maxLingerMs: forever });
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('is awaited up to a total time, even while it sends', async ({ cleanUp }) => {
    const { asked, listener } = await left(cleanUp, { lingerMs: forever, maxLingerMs: 200 });
    const drip = setInterval(() => asked.send('x'), 20);
    cleanUp.add(() => clearInterval(drip));
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('is read up to a bound of octets', async ({ cleanUp }) => {
    const { asked, listener } = await left(cleanUp, { ...patient, maxLingerOctets: 1_000_000 });
    asked.send('x'.repeat(900_000));
    await eventually(() => asked.socket.writableLength === 0);
    expect(listener.connections()).toBe(1);
    asked.send('x'.repeat(200_000));
    await eventually(() => listener.connections() === 0);
  });

  it('is not awaited by a draining listener once it is idle', async ({ cleanUp }) => {
    const { listener } = await left(cleanUp, { ...patient, drainLingerMs: 50 });
    await listener.drain(forever);
    expect(listener.connections()).toBe(0);
  });
});

describe('a malformed head', () => {
  it('gets an answer with a date that later octets do not destroy', async ({ cleanUp }) => {
    const { handler, client } = await start(cleanUp, patient);
    const asked = client();
    asked.socket.pause();
    asked.send('GET / HTTP/9.9\r\n\r\n').send(large).send(large);
    await eventually(() => handler.rejections.length === 1 && asked.socket.writableLength === 0);
    asked.socket.resume();
    await asked.closed();
    expect(asked.isReset).toBe(false);
    expect(asked.text).toMatch(/^HTTP\/1\.1 400 (?:.*\r\n)*Date: [^\r]* GMT\r\n/);
  });
});
