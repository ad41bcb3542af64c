import { describe, expect } from 'vitest';
import { frame, frameTypes, postRequest } from '../../../../../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../../../../../support/gateway/raw-http2-client.js';
import { recordedListener } from '../../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const streamWindow = 262_144;
const sessionWindow = 4_194_304;
const piece = Buffer.alloc(16_384);
const flowControlError = 3;

/** A client that knows the settings, and a gateway that reads no body until told. */
const uploading = async (cleanUp: CleanUp) => {
  const { listener, handler } = await recordedListener(cleanUp, null, { http2: true });
  handler.held = true;
  const client = new RawHttp2Client(listener.address());
  cleanUp.add(() => client.socket.destroy());
  await client.frame(frameTypes.settings, 0);
  await client.seen();
  return { client, handler };
};

const data = (stream: number, octets: number): Buffer[] =>
  Array.from({ length: octets / piece.length }, () => frame(frameTypes.data, 0, stream, piece));

/** Octets that a client may send besides, as it was told. */
const granted = (client: RawHttp2Client, stream: number): number =>
  client.frames
    .filter((came) => came.type === frameTypes.windowUpdate && came.stream === stream)
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);

describe('the flow-control window before reads', () => {
  it('is announced with the initial SETTINGS and directly after', async ({ cleanUp }) => {
    const { client } = await uploading(cleanUp);
    const [settings] = client.frames;
    expect(settings).toMatchObject({ type: frameTypes.settings, flags: 0 });
    const payload = settings?.payload ?? Buffer.alloc(0);
    const values = new Map(
      Array.from({ length: payload.length / 6 }, (_, index) => [
        payload.readUInt16BE(6 * index),
        payload.readUInt32BE(6 * index + 2),
      ]),
    );
    expect(values.get(4)).toBe(streamWindow);
    expect(65_535 + granted(client, 0)).toBe(sessionWindow);
  });

  it('is full for each stream, and the connection limits none of them', async ({ cleanUp }) => {
    const { client, handler } = await uploading(cleanUp);
    const streams = [1, 3, 5, 7];
    for (const stream of streams) client.send(postRequest(stream), ...data(stream, streamWindow));
    await client.seen();
    expect(handler.requests).toHaveLength(4);
    for (const stream of streams) {
      expect(granted(client, stream)).toBe(0);
      expect(client.of(frameTypes.rstStream, stream)).toBeUndefined();
    }
    const [request] = handler.requests;
    let came = 0;
    while (came < streamWindow) came += (await request?.body?.read())?.length ?? 0;
    await eventually(() => granted(client, 1) >= streamWindow / 2);
    expect(granted(client, 3)).toBe(0);
  });

  it('bounds the buffered octets of one body', async ({ cleanUp }) => {
    const { client } = await uploading(cleanUp);
    client.send(postRequest(1), ...data(1, streamWindow), frame(frameTypes.data, 0, 1, Buffer.alloc(1)));
    await eventually(
      () => client.of(frameTypes.rstStream, 1) !== undefined || client.of(frameTypes.goaway, 0) !== undefined,
    );
    const reset = client.of(frameTypes.rstStream, 1)?.payload.readUInt32BE(0);
    const goaway = client.of(frameTypes.goaway, 0)?.payload.readUInt32BE(4);
    expect(reset ?? goaway).toBe(flowControlError);
  });
});

it('unread bodies are not a flood', async ({ cleanUp }) => {
  const { client, handler } = await uploading(cleanUp);
  // Beyond what a connection may send in vain.
  const streams = Array.from({ length: 48 }, (_, index) => 2 * index + 1);
  for (const stream of streams) {
    client.send(postRequest(stream), ...data(stream, streamWindow));
    await client.seen();
  }
  // The connection has been looked at by then: it is once in a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await client.seen();
  expect(client.of(frameTypes.goaway, 0)).toBeUndefined();
  expect(handler.requests).toHaveLength(48);
  // Nor are those of requests that were answered early.
  for (const response of handler.responses) response.send(413, [], null, false);
  await eventually(() => client.frames.filter(({ type }) => type === frameTypes.rstStream).length === 48);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await client.seen();
  expect(client.of(frameTypes.goaway, 0)).toBeUndefined();
});
