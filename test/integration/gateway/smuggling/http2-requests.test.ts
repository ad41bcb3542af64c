import { afterEach, describe, expect } from 'vitest';
import { OctetRecorder, targetOf } from '../../../../fuzz/recorder/octet-recorder.js';
import { valuesIn } from '../../../../fuzz/recorder/strict-message.js';
import { endHeaders, endStream, fieldBlock, frame, frameTypes } from '../../../support/gateway/http2-frames.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../../support/gateway/in-process-gateway.js';
import { RawHttp2Client } from '../../../support/gateway/raw-http2-client.js';
import { http2Tricks } from '../../../support/gateway/smuggling/http2-tricks.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

/** `:status` as nghttp2 writes it first in a block (RFC 7541, appendices A and B). */
const statuses: readonly (readonly [string, number])[] = [
  ['88', 200],
  ['8c', 400],
  ['48826c01', 501],
];

const statusIn = (block: Buffer): number =>
  statuses.find(([begin]) => block.toString('hex').startsWith(begin))?.[1] ?? 0;

const probe = frame(
  frameTypes.headers,
  endHeaders + endStream,
  3,
  fieldBlock([
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/probe'],
    [':authority', 'other'],
  ]),
);

describe('the gateway with HTTP/2 clients', () => {
  const recorder = new OctetRecorder();
  const clients: RawHttp2Client[] = [];
  let gateway: InProcessGateway;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const upstreamPort = await recorder.listen();
    cleanUp.add(() => recorder.close());
    const configuration = testConfiguration([testUpstream(upstreamPort)]);
    const listeners = configuration.listeners.map((listener) => ({ ...listener, http2: true }));
    gateway = await startInProcess({ ...configuration, listeners });
    cleanUp.add(() => gateway.stop());
  });
  afterEach(() => {
    recorder.forget();
    for (const { socket } of clients.splice(0)) socket.destroy();
  });

  const connect = (): RawHttp2Client => {
    const client = new RawHttp2Client(gateway.address);
    clients.push(client);
    return client;
  };

  /** Status of the answer on a stream; null: it, or the connection, has ended without one. */
  const answer = async (client: RawHttp2Client, stream: number): Promise<number | null> => {
    const head = () => client.of(frameTypes.headers, stream);
    const isEnded = () => client.of(frameTypes.rstStream, stream) !== undefined || client.isClosed;
    await eventually(() => head() !== undefined || isEnded());
    const came = head();
    return came === undefined ? null : statusIn(came.payload);
  };

  describe.each(http2Tricks)('%s', (_, tricks) => {
    it.each(tricks)(
      'handles $name ($source) as specified',
      async ({ frames, status, out, body, host, without = [] }) => {
        const client = connect();
        client.send(...frames);
        expect(await answer(client, 1)).toBe(status);

        const next = client.isClosed ? connect() : client;
        next.send(probe);
        expect(await answer(next, 3)).toBe(200);

        expect(recorder.readings().flatMap(({ fault }) => fault ?? [])).toEqual([]);
        const requests = recorder.requests();
        const whole = requests.filter(({ isComplete }) => isComplete);
        expect(whole.map(targetOf)).toEqual([...out, '/probe']);
        // One whose body turns out not to be sound may have begun.
        expect(['', '/first']).toContain(
          requests.flatMap((request) => (request.isComplete ? [] : targetOf(request))).join(),
        );
        const [first] = whole;
        if (body !== undefined) expect(first?.body).toBe(body);
        if (host !== undefined) expect(first && valuesIn(first.fields, 'host')).toEqual([host]);
        for (const name of without) {
          expect(first?.fields.map(([own]) => own)).not.toContain(name);
          expect(first?.trailers.map(([own]) => own)).not.toContain(name);
        }
      },
    );
  });
});
