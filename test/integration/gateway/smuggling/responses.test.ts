import { afterEach, describe, expect } from 'vitest';
import { clientExchange } from '../../../../fuzz/gateway/client-exchange.js';
import { OctetRecorder, targetOf } from '../../../../fuzz/recorder/octet-recorder.js';
import { strictResponses } from '../../../../fuzz/recorder/strict-reading.js';
import { startInProcess, testConfiguration, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { responseTricks } from '../../../support/gateway/smuggling/response-tricks.js';
import { it } from '../../../support/shared/fixtures.js';

const patienceMs = 20_000;

describe('a malformed response', () => {
  const recorder = new OctetRecorder();
  let port = 0;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const upstreamPort = await recorder.listen();
    cleanUp.add(() => recorder.close());
    const configuration = testConfiguration([testUpstream(upstreamPort)]);
    const gateway = await startInProcess(configuration);
    cleanUp.add(() => gateway.stop());
    port = gateway.address.port;
  });
  afterEach(() => recorder.forget());

  const get = async (target: string) => {
    const octets = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const { text } = await clientExchange(port, { parts: [octets], isOver: () => false, patienceMs });
    return { text, ...strictResponses(text, []) };
  };

  it.each(responseTricks)('$name ($source) reaches only one client once', async (trick) => {
    const { status, body } = trick;
    recorder.answer = (request, _turn, socket) => {
      if (targetOf(request) !== '/bad') return 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood';
      socket.end(trick.octets, 'latin1');
      return null;
    };
    const { messages, fault } = await get('/bad');
    const [first, ...more] = messages;
    expect([fault, more]).toEqual([null, []]);
    expect(first?.hasExtensions ?? false).toBe(false);
    if (status === null) {
      // Either it was found out in time, or the response breaks off.
      expect(first === undefined || first.status === 502 || !first.isComplete).toBe(true);
    } else {
      expect(first?.status).toBe(status);
      expect(first?.isComplete).toBe(true);
      if (body !== null) expect(first?.body).toBe(body);
    }
    const next = await get('/good');
    expect(next.messages.map((response) => [response.status, response.body])).toEqual([[200, 'good']]);
  });
});
