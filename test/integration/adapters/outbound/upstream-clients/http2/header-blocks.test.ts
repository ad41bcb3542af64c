import { describe, expect } from 'vitest';
import {
  fieldBlock,
  frame,
  frameFlags,
  frameTypes,
  headers,
  startRawHttp2Upstream,
  writeOctetByOctet,
} from '../../../../../support/gateway/raw-http2-upstream.js';
import { bodyOctets } from '../../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

const { endHeaders, endStream } = frameFlags;
const block = fieldBlock([':status', '200'], ['x-one', 'a'.repeat(40)]);
const head = (stream: number): Buffer =>
  Buffer.concat([
    frame(frameTypes.headers, 0, stream, block.subarray(0, 9)),
    frame(frameTypes.continuation, 0, stream, block.subarray(9, 20)),
    frame(frameTypes.continuation, endHeaders, stream, block.subarray(20)),
  ]);

/** An upstream that answers a request with these octets, each in a turn of its own. */
const clientOf = async (cleanUp: CleanUp, answer: (stream: number) => Uint8Array) => {
  const upstream = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
    if (type === frameTypes.headers) void writeOctetByOctet(peer.socket, answer(stream));
  });
  return targetClient(upstream.port, cleanUp, { httpVersion: '2', readMs: 150 });
};

const get = { ...plainUpstreamRequest, method: 'GET' };

describe('a header block of an upstream', () => {
  it('is a response with trailers in pieces of any size', async ({ cleanUp }) => {
    const client = await clientOf(cleanUp, (stream) =>
      Buffer.concat([
        head(stream),
        frame(frameTypes.data, 0, stream, Buffer.from('hello')),
        headers(stream, [['x-sum', '1']], endHeaders + endStream),
      ]),
    );
    const outcome = await client.send(get).response;
    if (!outcome.ok) throw new Error(outcome.error.detail);
    const { status, headers: fields, body } = outcome.value;
    expect([status, fields]).toEqual([200, ['x-one', 'a'.repeat(40)]]);
    expect((await bodyOctets(body)).toString()).toBe('hello');
    expect(body?.trailers()).toEqual(['x-sum', '1']);
  });

  it.for([
    ['without its last octet', (stream: number) => head(stream).subarray(0, -1)],
    ['without its last frame', (stream: number) => frame(frameTypes.headers, 0, stream, block)],
  ] as const)('%s, then silence: the response times out', async ([_, answer], { cleanUp }) => {
    const outcome = await (await clientOf(cleanUp, answer)).send({ ...get, timeoutMs: 200, configuredTimeoutMs: 200 })
      .response;
    expect(outcome).toMatchObject({ ok: false, error: { code: 'timed_out' } });
  });
});
