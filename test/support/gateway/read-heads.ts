import { ReadAheadBudget } from '../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { isConnect, RequestHeads, readRequest } from '../../../src/adapters/inbound/http-engines/core/request-heads.js';
import { faultOf } from '../../../src/adapters/wire/http1/head-fault.js';
import { requestHead } from '../../../src/adapters/wire/http1/read-request-head.js';
import { RequestLines } from '../../../src/adapters/wire/http1/request-lines.js';
import type { ClientConnection, ClientRequest } from '../../../src/application/ports/gateway/http-exchange.js';

const connection: ClientConnection = {
  listener: 'main',
  peerAddress: '192.0.2.1',
  peerPort: 50_000,
  isUnnamed: false,
  scheme: 'http',
  tls: null,
  known: null,
};

/** What was made of a head, or why it was refused. */
export interface HeadRead {
  readonly request: ClientRequest | null;
  /** All that users of a head go by, but whether its lines came before. */
  readonly facts: unknown;
  readonly isKnown: boolean;
}

const lineFacts = (lines: RequestLines): unknown => {
  const { text, start, octets, fields, traits, longestName, hostAt, lengthAt } = lines;
  const ends: number[] = [];
  for (let entries = 0; entries <= fields.length; entries += 2) ends.push(lines.endOf(entries) - start);
  const own = text.slice(start, start + octets);
  return { own, octets, fields: [...fields], traits, longestName, hostAt, lengthAt, ends };
};

/** The head that was read last, as a connection takes it: framing first. */
const taken = (heads: RequestHeads): HeadRead => {
  const { contentLength, isChunked, expectsContinue, isPersistent, minorVersion } = requestHead;
  const isKnown = heads.known !== null;
  const forTunnel = isConnect(heads.text);
  const request = readRequest(heads, null, connection);
  const { headers, received, connection: _, ...rest } = request;
  const lines = received instanceof RequestLines ? received : null;
  const facts = {
    framing: { contentLength, isChunked, expectsContinue, isPersistent, minorVersion, forTunnel },
    rest,
    headers: [...headers],
    isOfHeaders: received === null || received.fields === headers,
    lines: lines === null ? null : lineFacts(lines),
  };
  return { request, facts, isKnown };
};

const lastChunk = 5;

/**
 * The heads in the octets of one connection, read as a connection reads them up to a fault. Bodies have the octets that
 * Content-Length says, or are the last chunk alone.
 *
 * @param isForgetful each head is read by a reader of its own, which knows nothing of those before
 */
export const readHeads = (pieces: readonly Buffer[], maxOctets: number, isForgetful = false): readonly HeadRead[] => {
  const budget = new ReadAheadBudget();
  const read: HeadRead[] = [];
  let heads = new RequestHeads(maxOctets, budget);
  let body = 0;
  for (const piece of pieces) {
    let octets: Buffer | null = piece;
    while (octets !== null) {
      const skipped: number = Math.min(body, octets.length);
      body -= skipped;
      if (skipped === octets.length) break;
      const reading = heads.read(skipped === 0 ? octets : octets.subarray(skipped));
      if (reading < 0) return [...read, { request: null, facts: faultOf(reading), isKnown: heads.known !== null }];
      if (reading === 0) break;
      body = requestHead.isChunked ? lastChunk : Math.max(0, requestHead.contentLength);
      octets = heads.rest;
      read.push(taken(heads));
      heads.forget();
      if (isForgetful) heads = new RequestHeads(maxOctets, budget);
    }
  }
  // What has begun is the same, too.
  return [...read, { request: null, facts: { hasBegun: heads.hasBegun, budget: { ...budget } }, isKnown: false }];
};
