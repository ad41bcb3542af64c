import { describe, expect } from 'vitest';
import {
  endHeaders,
  endStream,
  fieldBlock,
  frame,
  frameTypes,
  getFields,
  getRequest,
} from '../../../../../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { writeOctetByOctet } from '../../../../../support/gateway/raw-http2-upstream.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** The client sends nothing of its own accord, not within a block that it has begun. */
const connected = async (cleanUp: CleanUp, changes: Parameters<typeof recordedListener>[2] = {}) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true, ...changes });
  const client = new RawHttp2Client(listener.address(), false);
  cleanUp.add(() => client.socket.destroy());
  return { client, handler };
};

const block = fieldBlock([...getFields, ['x-one', 'a'.repeat(40)]]);
/** A GET in three frames. */
const inFrames = (stream: number): Buffer =>
  Buffer.concat([
    frame(frameTypes.headers, endStream, stream, block.subarray(0, 20)),
    frame(frameTypes.continuation, 0, stream, block.subarray(20, 30)),
    frame(frameTypes.continuation, endHeaders, stream, block.subarray(30)),
  ]);

describe('a header block of a client', () => {
  it('is a request in pieces of any size', async ({ cleanUp }) => {
    const { client, handler } = await connected(cleanUp);
    await client.frame(frameTypes.settings, 0);
    await writeOctetByOctet(client.socket, Buffer.concat([inFrames(1), inFrames(3)]));
    await Promise.all([client.frame(frameTypes.headers, 1), client.frame(frameTypes.headers, 3)]);
    expect(handler.requests.map(({ headers }) => headers.slice(-2))).toEqual(
      Array.from({ length: 2 }, () => ['x-one', 'a'.repeat(40)]),
    );
  });

  it.for([
    ['without its last octet', inFrames(1).subarray(0, -1)],
    ['without its last frame', frame(frameTypes.headers, endStream, 1, block)],
    ['of which a frame has begun', inFrames(1).subarray(0, 4)],
  ] as const)('%s, then silence: the connection ends after the head timeout', async ([_, octets], { cleanUp }) => {
    const { client, handler } = await connected(cleanUp, { headMs: 120 });
    client.send(octets);
    await client.closed();
    expect(handler.requests).toEqual([]);
  });

  it('that is unfinished after a request: the connection ends after the idle time', async ({ cleanUp }) => {
    const { client, handler } = await connected(cleanUp, { idleMs: 120 });
    client.send(getRequest(1), inFrames(3).subarray(0, -1));
    await client.closed();
    expect(client.of(frameTypes.headers, 1)).toBeDefined();
    expect(handler.requests).toHaveLength(1);
  });
});
