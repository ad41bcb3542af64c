import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import {
  type BodyInspection,
  headersOfInspected,
  type InspectedBody,
  type InspectionFailure,
  inspectBody,
  requestDirection,
  responseDirection,
} from '../../../../../src/application/gateway/proxy-request/inspect-body.js';
import type { InspectionLimits } from '../../../../../src/application/gateway/proxy-request/inspection-limits.js';
import type { BodyInflater } from '../../../../../src/application/ports/gateway/body-inflater.js';
import {
  type AgentAnswer,
  allowAnswer,
  type RequestBodyChunkEvent,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../../../src/domain/shared/result.js';
import { fakeCapabilities } from '../../../../support/agent/fake-agent-service.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const wantsMore: AgentAnswer = { ...allowAnswer, needsMore: true };
const limits: InspectionLimits = {
  size: { octets: 100, name: 'max-body-inspection-bytes' },
  decompression: { maxOctets: 1_000_000, maxRatio: 1_000 },
};

let client: ScriptedAgent;
/** The answers to the chunks. By default the agent wants more until the last chunk. */
let mutations: (Uint8Array | string | null)[];
let untilChunk: number;

beforeEach(() => {
  client = new ScriptedAgent();
  mutations = [];
  untilChunk = Number.POSITIVE_INFINITY;
  client.answer = (event) => {
    if (event.kind !== 'request_body_chunk') throw new Error('not a chunk');
    const mutation = mutations[event.chunkIndex] ?? null;
    const data = typeof mutation === 'string' ? Buffer.from(mutation) : mutation;
    return ok({
      ...(event.isLast || event.chunkIndex >= untilChunk ? allowAnswer : wantsMore),
      requestBodyMutation: mutation === null ? null : { chunkIndex: event.chunkIndex, data },
    });
  };
});

const inspect = (
  body: ScriptedBody | null,
  changes: Partial<BodyInspection> = {},
  limited = limits,
  inflater = nodeZlibInflater,
): Promise<Result<InspectedBody, InspectionFailure>> =>
  inspectBody(
    {
      agent: routeAgent(client),
      correlationId: 'id',
      first: wantsMore,
      headers: [],
      body,
      isPart: false,
      direction: requestDirection,
      trace: null,
      ...changes,
    },
    { inflater, clock: new ManualClock(), limits: limited },
  );

const judged = async (...args: Parameters<typeof inspect>): Promise<InspectedBody> => {
  const outcome = await inspect(...args);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
};

const failed = async (...args: Parameters<typeof inspect>): Promise<InspectionFailure> => {
  const outcome = await inspect(...args);
  if (outcome.ok) throw new Error('there is a judgement');
  return outcome.error;
};

const chunks = (): RequestBodyChunkEvent[] =>
  client.events.filter((event): event is RequestBodyChunkEvent => event.kind === 'request_body_chunk');

const seen = (): string => Buffer.concat(chunks().map(({ data }) => data)).toString();

describe('a body that an agent inspects', () => {
  it('is sent in numbered chunks; the declared length identifies the last one', async () => {
    await judged(new ScriptedBody(['ab', 'cd', 'e'], 5));
    expect(
      chunks().map(({ chunkIndex, isLast, totalSize, bytesReceived }) => [
        chunkIndex,
        isLast,
        totalSize,
        bytesReceived,
      ]),
    ).toEqual([
      [0, false, 5, 2],
      [1, false, 5, 4],
      [2, true, 5, 5],
    ]);
    expect(client.cancels).toEqual([]);
  });

  it('ends with an empty chunk if its length is undeclared; without a body that is the only chunk', async () => {
    await judged(new ScriptedBody(['ab', '', 'cd']));
    expect(chunks().map(({ data, isLast, totalSize }) => [data.length, isLast, totalSize])).toEqual([
      [2, false, null],
      [2, false, null],
      [0, true, null],
    ]);
    client.events.length = 0;
    expect((await judged(null)).body).toBeNull();
    expect(chunks()).toMatchObject([{ isLast: true, totalSize: 0, chunkIndex: 0, bytesReceived: 0 }]);
  });

  it('is cut into chunks of the size that the agent prefers', async () => {
    client.said = { ...fakeCapabilities, limits: { ...fakeCapabilities.limits, preferredChunkSize: 1_024 } };
    const large = { ...limits, size: { octets: 10_000, name: 'a' } };
    const body = Buffer.alloc(2_500, 'x');
    const { body: left } = await judged(new ScriptedBody([body], 2_500), {}, large);
    expect(chunks().map(({ data }) => data.length)).toEqual([1_024, 1_024, 452]);
    expect(await bodyOctets(left)).toEqual(body);
  });

  it('is sent in one chunk if the agent does not support streaming', async () => {
    client.said = { ...fakeCapabilities, features: { ...fakeCapabilities.features, streamingBody: false } };
    await judged(new ScriptedBody(['a', 'b', 'c']));
    expect(chunks()).toMatchObject([{ chunkIndex: 0, isLast: true, totalSize: 3, bytesReceived: 3 }]);
    expect(seen()).toBe('abc');
  });

  it('costs a bounded number of calls if it has very many small pieces', async () => {
    const large = { ...limits, size: { octets: 10_000, name: 'a' } };
    const { body } = await judged(new ScriptedBody(new Array(5_000).fill('x')), {}, large);
    expect(chunks().length).toBeLessThan(260);
    expect(seen()).toHaveLength(5_000);
    expect(await bodyOctets(body)).toHaveLength(5_000);
  });

  it.each([[[]], [['gzip']]])(
    'is held and decoded in few pieces if it has very many small ones: %j',
    async (codings) => {
      const large = { ...limits, size: { octets: 200_000, name: 'a' } };
      const octets = Buffer.from(Array.from({ length: 30_000 }, (_, index) => (index * 48_271) >> 3));
      const coded = codings.length === 0 ? octets : gzipSync(octets, { level: 0 });
      let given = 0;
      const counting: BodyInflater = {
        inflate: (body, coding) => {
          const counted = { declaredLength: null, trailers: () => body.trailers(), cancel: () => body.cancel() };
          return nodeZlibInflater.inflate(
            {
              ...counted,
              read: () => {
                given += 1;
                return body.read();
              },
            },
            coding,
          );
        },
      };
      const source = new ScriptedBody(Array.from(coded, (octet) => Uint8Array.of(octet)));
      const headers = ['Content-Encoding', codings.join()];
      const { body } = await judged(source, { headers }, large, counting);
      expect(chunks().length).toBeLessThan(300);
      expect(Buffer.concat(chunks().map(({ data }) => data)).equals(octets)).toBe(true);
      expect(given).toBeLessThan(300);
      const pieces: Uint8Array[] = [];
      for (let piece = await body?.read(); piece; piece = await body?.read()) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(coded)).toBe(true);
      expect(pieces.length).toBeLessThan(300);
    },
  );

  it('is sent with response events if it belongs to a response', async () => {
    client.answer = () => ok(allowAnswer);
    await judged(new ScriptedBody(['abc'], 3), { direction: responseDirection });
    expect(client.events).toMatchObject([{ kind: 'response_body_chunk', bytesSent: 3, isLast: true }]);
  });
});

describe('the forwarded body', () => {
  it('is the original, with the rest unread, if the agent changed nothing', async () => {
    untilChunk = 0;
    const source = new ScriptedBody(['ab', 'cd', 'ef'], 6);
    const inspected = await judged(source);
    expect(source.reads).toBe(1);
    expect(inspected).toMatchObject({ isChanged: false, inflation: null });
    expect(inspected.body?.declaredLength).toBe(6);
    expect((await bodyOctets(inspected.body)).toString()).toBe('abcdef');
  });

  it.each([
    ['grows', ['AAAA'], 'AAAAcdef', 8],
    ['shrinks', [null, 'C'], 'abCef', 5],
    ['loses a chunk', ['', null], 'cdef', 4],
    ['is replaced', ['1', '2', '3'], '123', 3],
  ])('has the right length when it %s', async (_, made, text, length) => {
    mutations = made;
    const inspected = await judged(new ScriptedBody(['ab', 'cd', 'ef'], 6));
    expect(inspected.isChanged).toBe(true);
    expect(headersOfInspected(['Host', 'a', 'Content-Length', '6'], inspected)).toEqual([
      'Host',
      'a',
      'Content-Length',
      `${length}`,
    ]);
    expect((await bodyOctets(inspected.body)).toString()).toBe(text);
  });

  it('is absent if the agent drops every chunk', async () => {
    mutations = ['', '', ''];
    const inspected = await judged(new ScriptedBody(['ab', 'cd'], 4));
    expect(inspected).toMatchObject({ body: null, isChanged: true });
    expect(headersOfInspected(['Content-Length', '4'], inspected)).toEqual(['Content-Length', '0']);
  });

  it.each([
    ['known if the rest is', 6, '5'],
    ['unknown if the rest is', null, null],
  ])('has, after an early decision, a length that is %s', async (_, declared, length) => {
    untilChunk = 0;
    mutations = ['X'];
    const inspected = await judged(new ScriptedBody(['ab', 'cd', 'ef'], declared));
    expect(headersOfInspected(['Content-Length', '6'], inspected)).toEqual(
      length === null ? [] : ['Content-Length', length],
    );
    expect((await bodyOctets(inspected.body)).toString()).toBe('Xcdef');
  });

  it.each(['new', ''])('stays absent if the message had none, whatever the agent returns: %j', async (made) => {
    mutations = [made];
    const inspected = await judged(null);
    expect(inspected).toMatchObject({ body: null, isChanged: false });
    expect(headersOfInspected(['Content-Length', '55'], inspected)).toEqual(['Content-Length', '55']);
    expect(client.cancels).toEqual([]);
  });

  it('may have octets that the agent adds in the empty last chunk', async () => {
    mutations = [null, '!'];
    const inspected = await judged(new ScriptedBody(['ab']));
    expect((await bodyOctets(inspected.body)).toString()).toBe('ab!');
    expect(inspected.body?.declaredLength).toBe(3);
  });
});

describe('a body with a content coding', () => {
  const headers = ['Content-Encoding', 'gzip', 'Content-Length', '1'];
  const coded = gzipSync('plain text');

  it('is inspected decoded, and forwarded in its original octets', async () => {
    const inspected = await judged(new ScriptedBody([coded.subarray(0, 9), coded.subarray(9)], coded.length), {
      headers,
    });
    expect(seen()).toBe('plain text');
    expect(chunks().at(-1)).toMatchObject({ isLast: true, totalSize: null });
    expect(inspected.isChanged).toBe(false);
    expect(headersOfInspected(headers, inspected)).toBe(headers);
    expect(inspected.body?.declaredLength).toBe(coded.length);
    expect(await bodyOctets(inspected.body)).toEqual(coded);
  });

  it('is forwarded decoded after a change', async () => {
    mutations = ['other'];
    const inspected = await judged(new ScriptedBody([coded], coded.length), { headers });
    expect(headersOfInspected(headers, inspected)).toEqual(['Content-Length', '5']);
    expect((await bodyOctets(inspected.body)).toString()).toBe('other');
  });

  it('is decoded to its end if an agent saw and changed only its beginning', async () => {
    untilChunk = 0;
    mutations = ['<'];
    const text = Array.from({ length: 40_000 }, (_, index) => index).join(',');
    const large = { ...limits, size: { octets: 1_000_000, name: 'a' } };
    const inspected = await judged(new ScriptedBody([gzipSync(text)]), { headers }, large);
    expect(headersOfInspected(headers, inspected)).toEqual([]);
    expect(inspected.inflation).not.toBeNull();
    const first = seen();
    expect(first.length).toBeLessThan(text.length);
    expect((await bodyOctets(inspected.body)).toString()).toBe(`<${text.slice(first.length)}`);
  });

  it('obeys the decompression limits also after the part that the agent saw', async () => {
    untilChunk = 0;
    mutations = ['<'];
    const strict = { size: { octets: 1_000_000, name: 'a' }, decompression: { maxOctets: 200_000, maxRatio: 10_000 } };
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const inspected = await judged(new ScriptedBody([bomb]), { headers }, strict);
    await expect(bodyOctets(inspected.body)).rejects.toMatchObject({ code: 'aborted' });
    expect(inspected.inflation?.violation?.name).toBe('max-decompressed-size-bytes');
  });

  it('has no body if it decodes to nothing', async () => {
    const inspected = await judged(new ScriptedBody([]), { headers });
    expect(chunks()).toMatchObject([{ isLast: true }]);
    expect(await bodyOctets(inspected.body)).toHaveLength(0);
  });
});

describe('a failed inspection', () => {
  it.each([
    [['x'.repeat(100)], 100],
    [['x'.repeat(100)], null],
    [['x'.repeat(99)], null],
  ])('does not happen to a body within the limit', async (pieces, declared) => {
    expect(await inspect(new ScriptedBody(pieces, declared))).toMatchObject({ ok: true });
  });

  it('follows a body over the limit; a declared length over the limit sends nothing to the agent', async () => {
    const violation = { code: 'body_too_large', name: 'max-body-inspection-bytes', limit: 100, actual: 101 };
    expect(await failed(new ScriptedBody(['x'.repeat(101)], 101))).toEqual({ kind: 'too_large', violation });
    expect(client.events).toEqual([]);
    expect(await failed(new ScriptedBody(['x'.repeat(60), 'x'.repeat(41)]))).toEqual({ kind: 'too_large', violation });
    expect(client.cancels).toEqual(['manual', 'manual']);
  });

  it('follows a coded body that exceeds the limit before or after decoding', async () => {
    const headers = ['Content-Encoding', 'gzip'];
    expect(await failed(new ScriptedBody([gzipSync('x'.repeat(101))]), { headers })).toMatchObject({
      kind: 'too_large',
    });
    // Empty members: coded octets without end that decode to nothing.
    const empty = new ScriptedBody(new Array(10).fill(gzipSync('')));
    expect(await failed(empty, { headers })).toMatchObject({ kind: 'too_large' });
    expect(empty.reads).toBeLessThan(8);
    await judged(new ScriptedBody([gzipSync('x'.repeat(100))]), { headers });
  });

  it('follows an inner layer over the limit, even if the decoded body is small', async () => {
    const inner = Buffer.concat(new Array(50_000).fill(gzipSync('')));
    const outer = gzipSync(inner);
    const strict = { size: { octets: 10_000, name: 'a' }, decompression: { maxOctets: 100_000, maxRatio: 1e6 } };
    const failure = await failed(new ScriptedBody([outer]), { headers: ['Content-Encoding', 'gzip, gzip'] }, strict);
    expect(failure).toMatchObject({ kind: 'too_large', violation: { name: 'max-decompressed-size-bytes' } });
  });

  it.each([
    ['is interrupted', ['ab', null], [], { kind: 'unreadable' }, 'client_disconnect'],
    ['does not match its coding', ['plain'], ['Content-Encoding', 'gzip'], { kind: 'malformed_encoding' }, 'manual'],
    ['has an unknown coding', ['plain'], ['Content-Encoding', 'zstd'], { kind: 'unsupported_encoding' }, 'manual'],
  ] as const)('follows a body that %s, and the agent gets a cancel', async (_, pieces, headers, failure, reason) => {
    expect(await failed(new ScriptedBody(pieces), { headers })).toMatchObject(failure);
    expect(client.cancels).toEqual([reason]);
  });

  it('follows an agent failure, and keeps the whole original body for a request that continues', async () => {
    mutations = ['changed'];
    const answer = client.answer;
    client.answer = (event) =>
      client.events.length < 2 ? answer(event) : err({ code: 'timed_out', detail: 'too slow' });
    const failure = await failed(new ScriptedBody(['ab', 'cd', 'ef'], 6));
    if (failure.kind !== 'agent') throw new Error(failure.kind);
    expect(failure.failure.code).toBe('timed_out');
    expect(failure.body?.declaredLength).toBe(6);
    expect((await bodyOctets(failure.body)).toString()).toBe('abcdef');
  });

  it('follows an agent failure on a coded body, and keeps the original', async () => {
    const coded = gzipSync('plain text');
    client.answer = () => err({ code: 'disconnected', detail: 'gone' });
    const failure = await failed(new ScriptedBody([coded.subarray(0, 25), coded.subarray(25)]), {
      headers: ['Content-Encoding', 'gzip'],
    });
    expect(failure.kind === 'agent' && (await bodyOctets(failure.body))).toEqual(coded);
  });

  it.each([
    ['does not subscribe to bodies', { events: new Set(['request_headers'] as const) }, fakeCapabilities],
    ['does not support bodies', {}, { ...fakeCapabilities, supportedEvents: ['request_headers'] as const }],
  ])('follows an agent that asks for the body and %s', async (_, changes, said) => {
    client.said = said;
    const agent = { ...routeAgent(client), ...changes };
    const source = new ScriptedBody(['ab']);
    expect(await failed(source, { agent })).toMatchObject({ kind: 'agent', failure: { code: 'malformed_answer' } });
    expect(client.events).toEqual([]);
    expect(source.reads).toBe(0);
    expect(client.cancels).toEqual(['manual']);
  });

  it('follows an agent that makes the body too large', async () => {
    const source = (): ScriptedBody => new ScriptedBody(['a', 'b', 'c'], 3);
    mutations = [Buffer.alloc(16_777_215), ''];
    expect((await judged(source())).body?.declaredLength).toBe(16_777_216);
    mutations = [Buffer.alloc(16_777_215), null];
    const failure = await failed(source());
    expect(failure).toMatchObject({ kind: 'agent', failure: { code: 'response_too_large' } });
    expect(failure.kind === 'agent' && (await bodyOctets(failure.body)).toString()).toBe('abc');
    expect(client.cancels).toEqual(['manual']);
  });

  it('follows an agent whose answers have too many header operations in total', async () => {
    const operations = new Array(600).fill({ kind: 'add', name: 'X', value: '1' });
    client.answer = (event) =>
      ok({ ...allowAnswer, needsMore: !('isLast' in event && event.isLast), responseHeaders: operations });
    const failure = await failed(new ScriptedBody(['ab', 'cd'], 4));
    expect(failure).toMatchObject({ kind: 'agent', failure: { code: 'malformed_answer' } });
  });
});
