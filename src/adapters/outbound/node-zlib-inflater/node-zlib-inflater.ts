import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { BodyInflater } from '../../../application/ports/gateway/body-inflater.js';
import type { ContentCoding } from '../../../domain/http/content-codings.js';
import { ZlibBody, type ZlibDecoder } from './zlib-body.js';

/** With what a stream holds back besides, a piece has at most 64 KiB. */
const options = { chunkSize: 32_768 };

/** `deflate` is the zlib format (RFC 9110, section 8.4.1.2); what some send in its place without the wrapper is refused. */
const decoders: Readonly<Record<ContentCoding, () => ZlibDecoder>> = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
};

/** Inflates with Node's own zlib, on its thread pool. */
export const nodeZlibInflater: BodyInflater = {
  inflate: (body, coding) => new ZlibBody(body, decoders[coding]()),
};
