import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClientRequest, ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';

const target = fc.stringMatching(/^\/[a-z]{0,8}$/);
const padding = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.integer({ min: 1_500, max: 5_000 }).map((length) => `X-Pad: ${'p'.repeat(length)}\r\n`),
);
/** What a body says is a request itself: one that is taken for the next head is seen. */
const content = fc.oneof(
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z]{0,30}$/) },
  fc.constant('GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'),
  fc
    .integer({ min: 2_000, max: 9_000 })
    .map((length) => 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'.padEnd(length, 'b')),
);

const plain = fc.tuple(target, padding).map(([path, pad]) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${pad}\r\n`);
const counted = fc.tuple(target, padding, content, fc.boolean()).map(([path, pad, body, isLast]) => {
  const fields = `Host: a\r\n${isLast ? 'X-Kept: no\r\n' : ''}${pad}Content-Length: ${body.length}\r\n\r\n`;
  return `POST ${path} HTTP/1.1\r\n${fields}${body}`;
});
const chunked = fc
  .tuple(target, padding, fc.array(content, { maxLength: 4 }), fc.boolean())
  .map(([path, pad, chunks, hasTrailer]) => {
    const sized = chunks.filter((chunk) => chunk !== '').map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const end = `0\r\n${hasTrailer ? 'X-Sum: 1\r\n' : ''}\r\n`;
    return `POST ${path} HTTP/1.1\r\nHost: a\r\n${pad}Transfer-Encoding: chunked\r\n\r\n${sized.join('')}${end}`;
  });
const message = fc.oneof(plain, counted, chunked, fc.constant('\r\n'));
/** What may stand at the end of a stream. */
const ending = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.constantFrom(
    'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
    'POST /last HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhelloGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /half HTTP/1.1\r\nHost: a\r\nX:',
    'POST /short HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nshort',
  ),
);
const stream = fc
  .tuple(fc.array(message, { maxLength: 6 }), ending)
  .map(([messages, last]) => messages.join('') + last);

/** How a stream comes: pieces, and behind which of them the request that waits is answered. */
interface Step {
  readonly octets: number;
  readonly seam: string;
  readonly answers: number;
}

const course: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    octets: fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 40, max: 2_500 }),
      fc.integer({ min: 2_000, max: 70_000 }),
    ),
    /** A piece goes on to where this ends: the places that matter are seldom met by chance. */
    seam: fc.constantFrom('', '\r', '\r\n', '\r\n\r\n', '\r\n\r\n'),
    answers: fc.constantFrom(0, 0, 0, 1, 2),
  }),
  { minLength: 1, maxLength: 25 },
);

interface Exchange {
  readonly request: ClientRequest;
  readonly response: ClientResponse;
}

interface Reading {
  readonly seen: readonly string[];
  readonly reasons: readonly string[];
}

/** What was made of a stream: for each request what it is and what its body was, and whether something was refused. */
const readBy = async (octets: Buffer, steps: readonly Step[]): Promise<Reading> => {
  const waiting: Exchange[] = [];
  const seen: string[] = [];
  const connection = fedConnection((request, response) => waiting.push({ request, response }));
  const answerNext = async (): Promise<void> => {
    const exchange = waiting.shift();
    if (exchange === undefined) return;
    const { request, response } = exchange;
    const { method, target: path, body } = request;
    const index = seen.push(`${method} ${path}`) - 1;
    const pieces: Uint8Array[] = [];
    let fault = '';
    try {
      for (let piece = await body?.read(); piece; piece = await body?.read()) pieces.push(piece);
    } catch (error) {
      fault = ` ${(error as { code: string }).code}`;
    }
    seen[index] += ` ${Buffer.concat(pieces).toString('latin1')} ${body?.trailers().join()}${fault}`;
    response.send(200, [], 'x', false);
  };
  let at = 0;
  for (let step = 0; at < octets.length; step += 1) {
    const { octets: length, seam, answers } = steps[step % steps.length] as Step;
    const next = octets.indexOf(seam, at + length, 'latin1');
    const end = next < 0 ? at + length : next + seam.length;
    await connection.feed(octets.subarray(at, end));
    at = end;
    for (let answered = 0; answered < answers; answered += 1) {
      void answerNext();
      await new Promise(setImmediate);
    }
  }
  for (let turns = 0; turns < 4; turns += 1) {
    await new Promise(setImmediate);
    if (waiting.length === 0) continue;
    void answerNext();
    turns = -1;
  }
  const reasons = connection.handler.rejections.map(({ reason }) => reason);
  connection.end();
  // That it is closed is told behind the turn.
  for (let turns = 0; turns < 4; turns += 1) await new Promise(setImmediate);
  return { seen, reasons };
};

it('a pipelined stream is the same requests, wherever it is cut and whenever they are answered', async () => {
  await fc.assert(
    fc.asyncProperty(stream, course, async (text, steps) => {
      const octets = Buffer.from(text, 'latin1');
      const whole = await readBy(octets, [{ octets: octets.length, seam: '', answers: 1 }]);
      const cut = await readBy(octets, steps);
      expect(cut.seen).toEqual(whole.seen);
      for (const request of whole.seen) expect(request.startsWith('GET /smuggled')).toBe(false);
      // A head that cannot be read is refused, or not waited for where it is seen before the response in front of it
      // begins.
      for (const reason of [...cut.reasons, ...whole.reasons]) expect(reason).toBe('malformed');
    }),
    { numRuns: 400 },
  );
});
