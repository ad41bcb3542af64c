import { connect } from 'node:net';
import { afterEach, describe, expect } from 'vitest';
import { clientExchange } from '../../../../fuzz/gateway/client-exchange.js';
import { OctetRecorder, targetOf } from '../../../../fuzz/recorder/octet-recorder.js';
import { startInProcess, testConfiguration, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { chunked, last, smuggled } from '../../../support/gateway/smuggling/trick.js';
import { it } from '../../../support/shared/fixtures.js';

/** Sends a part of a request, and the rest once an answer has begun to come; gives all that came. */
const exchangeInTwo = (port: number, part: string, rest: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port });
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(part, 'latin1'));
    socket.on('data', (more: string) => {
      if (text === '') socket.write(rest, 'latin1');
      text += more;
    });
    // A gateway that wants no more of it may reset the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });

describe('an upstream that answers before a body arrives', () => {
  const recorder = new OctetRecorder();
  let port = 0;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const upstreamPort = await recorder.listen();
    cleanUp.add(() => recorder.close());
    const configuration = testConfiguration([testUpstream(upstreamPort)]);
    const gateway = await startInProcess(configuration, { engineLimits: { lingerMs: 50 } });
    cleanUp.add(() => gateway.stop());
    port = gateway.address.port;
    recorder.isEager = true;
  });
  afterEach(() => recorder.forget());

  const length = `Content-Length: ${'hello'.length + smuggled.length}`;
  const size = smuggled.length.toString(16);

  it.each([
    ['with a length', `POST /first HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\nhello`, `${smuggled}${last}`],
    [
      'in chunks',
      `POST /first HTTP/1.1\r\nHost: a\r\n${chunked}\r\n\r\n5\r\nhello\r\n`,
      `${size}\r\n${smuggled}\r\n0\r\n\r\n${last}`,
    ],
    [
      'that waits to be asked for',
      `POST /first HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${length}\r\n\r\n`,
      `hello${smuggled}${last}`,
    ],
  ])('never reads the rest of a body %s as a request', async (_, part, rest) => {
    const text = await exchangeInTwo(port, part, rest);
    expect(text).toMatch(/HTTP\/1\.1 200 /);
    expect(text).not.toContain('for /smuggled');

    const parts = [Buffer.from('GET /probe HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n')];
    const probe = await clientExchange(port, { parts, isOver: () => false, patienceMs: 20_000 });
    expect(probe.text.endsWith('\r\n\r\nfor /probe')).toBe(true);
    const complete = recorder.requests().flatMap((request) => (request.isComplete ? targetOf(request) : []));
    expect(complete).not.toContain('/smuggled');
    expect(complete.filter((target) => target === '/probe')).toHaveLength(1);
    expect(recorder.readings().flatMap(({ fault }) => fault ?? [])).toEqual([]);
  });
});
