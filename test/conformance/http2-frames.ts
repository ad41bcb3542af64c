import { HeaderBlockScanner } from '../../src/adapters/wire/http2/header-block-scanner.js';
import { endHeaders, frame, frameTypes } from '../support/gateway/http2-frames.js';
import { RawHttp2Client } from '../support/gateway/raw-http2-client.js';
import type { Http2Server } from './http2-server.js';

/** A frame as octets in hexadecimal, and what it is; or the error codes of which one is due. */
export interface FrameCase {
  readonly wire: string;
  readonly error: readonly number[] | null;
  readonly frame: {
    readonly type: number;
    readonly flags: number;
    readonly stream_identifier: number;
    readonly frame_payload: { readonly error_code?: number; readonly last_stream_id?: number };
  } | null;
}

const pushPromise = 5;
const blockTypes: readonly number[] = [frameTypes.headers, pushPromise, frameTypes.continuation];

/**
 * The scanner passes on a valid frame as it came, with the rest of its header block; of a GOAWAY it tells what it
 * says. Whether node:http2 accepts the frame depends on the state of the connection, which the cases leave open.
 */
const validDifference = (
  { type, flags, stream_identifier, frame_payload }: NonNullable<FrameCase['frame']>,
  wire: Buffer,
) => {
  const passed: Uint8Array[] = [];
  const goaways: string[] = [];
  const scanner = new HeaderBlockScanner('server', {
    pass: (octets) => passed.push(octets),
    goaway: (code, lastStream) => goaways.push(`${code} ${lastStream}`),
  });
  const before = type === frameTypes.continuation ? frame(frameTypes.headers, 0, stream_identifier) : Buffer.alloc(0);
  const isBlockOpen = blockTypes.includes(type) && (flags & endHeaders) === 0;
  const after = isBlockOpen ? frame(frameTypes.continuation, endHeaders, stream_identifier) : Buffer.alloc(0);
  const octets = Buffer.concat([before, wire, after]);
  const fault = scanner.take(octets);
  if (fault !== null) return `refused: ${fault}`;
  if (type === frameTypes.goaway) {
    const expected = `${frame_payload.error_code} ${frame_payload.last_stream_id}`;
    return goaways.join() === expected && passed.length === 0 ? null : `told ${goaways.join()}; expected ${expected}`;
  }
  return octets.equals(Buffer.concat(passed)) ? null : 'not passed on as it came';
};

/** node:http2 names this code in its GOAWAY for some frames that nghttp2 refuses, whatever code nghttp2 would name. */
const internalError = 2;

/**
 * A connection or a stream ends with one of the codes, or the gate ends the connection before node:http2 reads the
 * frame.
 */
const errorDifference = async (codes: readonly number[], wire: Buffer, { address }: Http2Server) => {
  const client = new RawHttp2Client(address);
  client.send(wire);
  await client.seen();
  client.socket.destroy();
  const goaway = client.frames.find(({ type }) => type === frameTypes.goaway);
  const reset = client.frames.find(({ type }) => type === frameTypes.rstStream);
  const connectionCode = goaway?.payload.readUInt32BE(4);
  if (connectionCode === internalError) return null;
  const code = connectionCode ?? reset?.payload.readUInt32BE(0);
  if (code !== undefined) return codes.includes(code) ? null : `error ${code}; expected ${codes.join(' or ')}`;
  return client.isClosed ? null : `taken; expected error ${codes.join(' or ')}`;
};

/** What is wrong with how a frame is read; null: nothing. */
export const frameDifference = async (testCase: FrameCase, server: Http2Server): Promise<string | null> => {
  const wire = Buffer.from(testCase.wire, 'hex');
  if (testCase.frame !== null) return validDifference(testCase.frame, wire);
  return errorDifference(testCase.error ?? [], wire, server);
};
