import { expect } from 'vitest';
import {
  type KnownResponse,
  ResponseHeadCache,
} from '../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import { readResponseHead } from '../../../src/adapters/wire/http1/read-response-head.js';
import { octetsOf } from './http1-stream.js';

/** Octets that begin with a head at a place of them were read, and are noted. */
export const noteAt = (repeated: ResponseHeadCache, octets: Uint8Array, start: number, head: string): void => {
  expect(readResponseHead(octets, start, octets.length, 65_536)).toBe(head.length);
  repeated.note(octets, start, Buffer.from(octets.subarray(start)).toString('latin1'), head.length);
};

/** A response comes, as a reader of the target has it: what it is recalled as, or null where it had to be read. */
export const come = (repeated: ResponseHeadCache, head: string, behind = ''): KnownResponse | null => {
  const octets = Buffer.from(octetsOf(head + behind));
  const known = repeated.recall(octets, 0, octets.length);
  if (known === null) noteAt(repeated, octets, 0, head);
  return known;
};

/** For each of the heads, whether it was recalled. */
export const recalled = (repeated: ResponseHeadCache, heads: readonly string[]): readonly boolean[] =>
  heads.map((head) => come(repeated, head) !== null);

export const times = <Value>(count: number, value: Value): readonly Value[] => Array<Value>(count).fill(value);

export const headWith = (...lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;

/** Each is as long as the others, and another one. */
export const numbered = (number: number): string =>
  headWith('Content-Length: 5', `X-Id: ${String(number).padStart(6, '0')}`);

/** So many of them. */
export const numberedFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => numbered(first + index));

/** What has come to know a head, and has recalled it once. */
export const knowing = (head: string): ResponseHeadCache => {
  const repeated = new ResponseHeadCache();
  expect(recalled(repeated, times(4, head))).toEqual([false, false, false, true]);
  return repeated;
};
