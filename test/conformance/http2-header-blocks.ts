import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { HeaderBlockGate } from '../../src/adapters/http2-sockets/header-block-gate.js';
import { endHeaders, endStream, frame, frameTypes } from '../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../support/gateway/raw-http2-client.js';
import { startRawHttp2Upstream } from '../support/gateway/raw-http2-upstream.js';
import { CleanUp } from '../support/shared/clean-up.js';
import { eventually } from '../support/shared/eventually.js';
import type { CaseTally } from './case-tally.js';
import { type Http2Server, unlimited } from './http2-server.js';

/** Header blocks that one encoder wrote one after the other, and the fields of each. */
export interface BlockStory {
  readonly cases: readonly {
    /** Absent in the raw data that encoders start from. */
    readonly wire?: string;
    readonly headers: readonly Readonly<Record<string, string>>[];
  }[];
}

/** Octets of a header block in one frame: few, so that most blocks come in several frames. */
const shortPiece = 40;
/** Frames of one header block at most; the gate takes nine. */
const maxPieces = 8;

/** How long a server may take to answer a whole story, in milliseconds. */
const answerTimeoutMs = 20_000;

const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

const blockFrames = (block: Buffer, stream: number, firstFlags: number): readonly Buffer[] => {
  const pieceLength = Math.max(shortPiece, Math.ceil(block.length / maxPieces));
  const count = Math.max(1, Math.ceil(block.length / pieceLength));
  return Array.from({ length: count }, (_, index) => {
    const piece = block.subarray(index * pieceLength, (index + 1) * pieceLength);
    const flags = (index === 0 ? firstFlags : 0) | (index === count - 1 ? endHeaders : 0);
    return frame(index === 0 ? frameTypes.headers : frameTypes.continuation, flags, stream, piece);
  });
};

const fieldsOf = (headers: BlockStory['cases'][number]['headers']): readonly string[] =>
  headers.flatMap((field) => Object.entries(field).flat());

const streamOf = (index: number): number => 2 * index + 1;

/** The fields that were read of each stream; absent where the stream was reset, null where it got no answer. */
type ReadBlocks = ReadonlyMap<number, readonly string[] | null>;

/** Sends the blocks as requests over one connection. */
const sendAsRequests = async ({ cases }: BlockStory, server: Http2Server): Promise<ReadBlocks> => {
  const client = new RawHttp2Client(server.address);
  server.takeRequests();
  for (const [index, { wire = '' }] of cases.entries())
    client.send(...blockFrames(Buffer.from(wire, 'hex'), streamOf(index), endStream));
  // A PING is no mark here: nghttp2 acknowledges it before it sends the resets that wait.
  const isReset = (stream: number): boolean => client.of(frameTypes.rstStream, stream) !== undefined;
  const isAnswered = (stream: number): boolean => client.of(frameTypes.headers, stream) !== undefined;
  const streams = cases.map((_, index) => streamOf(index));
  const deadline = performance.now() + answerTimeoutMs;
  await eventually(
    () =>
      client.isClosed ||
      performance.now() > deadline ||
      streams.every((stream) => isReset(stream) || isAnswered(stream)),
  );
  client.socket.destroy();
  const requests = server.takeRequests();
  return new Map(
    streams
      .filter((stream) => requests.has(stream) || !isReset(stream))
      .map((stream) => [stream, requests.get(stream) ?? null]),
  );
};

/** Sends the blocks as responses to as many requests of one connection. */
const sendAsResponses = async ({ cases }: BlockStory): Promise<ReadBlocks> => {
  const cleanUp = new CleanUp();
  const upstream = await startRawHttp2Upstream(cleanUp, () => undefined);
  const gate = new HeaderBlockGate(connect(upstream.port, '127.0.0.1'), 'server', () => undefined);
  const session = connectHttp2('http://127.0.0.1', { createConnection: () => gate, ...unlimited });
  const read = new Map<number, readonly string[] | null>(cases.map((_, index) => [streamOf(index), null]));
  let closed = 0;
  let isClosed = false;
  session.on('error', () => undefined);
  session.on('close', () => {
    isClosed = true;
  });
  for (const index of cases.keys()) {
    const stream = streamOf(index);
    const request = session.request({ ':path': '/' }, { endStream: true });
    request.on('error', () => undefined);
    request.on('response', (_headers: unknown, _flags: number, fields?: readonly string[]) => {
      read.set(stream, fields ?? []);
      closed += 1;
    });
    request.on('close', () => {
      if (read.get(stream) !== null) return;
      closed += 1;
      read.delete(stream);
    });
  }
  const deadline = performance.now() + answerTimeoutMs;
  const isOver = (): boolean => isClosed || performance.now() > deadline;
  await eventually(() => isOver() || upstream.peers[0]?.of(frameTypes.headers).length === cases.length);
  for (const [index, { wire = '' }] of cases.entries())
    upstream.peers[0]?.write(...blockFrames(Buffer.from(wire, 'hex'), streamOf(index), 0));
  await eventually(() => isOver() || closed === cases.length);
  const blocks = new Map(read);
  session.destroy();
  await cleanUp.run();
  return blocks;
};

const hasConnectionFields = (headers: BlockStory['cases'][number]['headers']): boolean =>
  headers.some((field) => Object.keys(field).some((name) => connectionFields.has(name)));

const blockDifference = (
  headers: BlockStory['cases'][number]['headers'],
  actual: readonly string[] | null | undefined,
): string | null => {
  if (actual === null) return 'was not answered';
  if (hasConnectionFields(headers))
    return actual === undefined ? null : 'a message with fields of a connection was not reset';
  const [read, expected] = [JSON.stringify(actual), JSON.stringify(fieldsOf(headers))];
  return read === expected ? null : `${read ?? 'was reset'}; expected ${expected}`;
};

/**
 * Sends the blocks of a story over one connection: as requests, or as responses where they are those. A block with
 * fields of a connection is a malformed message (RFC 9113, section 8.2.2): its stream has to be reset, and later
 * blocks still have to decode. Raw data without blocks are no cases.
 */
export const compareStory = async (
  name: string,
  story: BlockStory,
  server: Http2Server,
  tally: CaseTally,
): Promise<void> => {
  if (story.cases.some(({ wire }) => wire === undefined)) return;
  const isOfResponses = story.cases.every(({ headers }) => fieldsOf(headers).includes(':status'));
  const read = await (isOfResponses ? sendAsResponses(story) : sendAsRequests(story, server));
  for (const [index, { headers }] of story.cases.entries())
    tally.count(`${name} block ${index}`, blockDifference(headers, read.get(streamOf(index))));
};
