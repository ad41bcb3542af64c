import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import {
  headersOfInspected,
  inspectBody,
  requestDirection,
} from '../../../../../src/application/gateway/proxy-request/inspect-body.js';
import { allowAnswer, type RequestBodyChunkEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { fakeCapabilities } from '../../../../support/agent/fake-agent-service.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { bodyOctets, ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const coders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;

/** Octets cut at random places; some pieces are empty. */
const cut = (octets: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = [0, ...places.map((place) => Math.floor(place * octets.length)), octets.length].toSorted(
    (one, other) => one - other,
  );
  return sorted.slice(1).map((end, index) => octets.subarray(sorted[index], end));
};

const place = fc.double({ min: 0, max: 1, noNaN: true });

const scenario = fc.record({
  plain: fc.uint8Array({ maxLength: 3_000 }).map((octets) => Buffer.from(octets)),
  codings: fc.array(fc.constantFrom(...(Object.keys(coders) as (keyof typeof coders)[])), { maxLength: 2 }),
  places: fc.array(place, { maxLength: 6 }),
  isDeclared: fc.boolean(),
  isStreaming: fc.boolean(),
  limit: fc.oneof(fc.constant(100_000), fc.nat(4_000)),
  /** The answer to each chunk: no mutation, passed on, or replaced. */
  mutations: fc.array(fc.option(fc.option(fc.uint8Array({ maxLength: 50 })), { nil: undefined }), { maxLength: 8 }),
  /** The number of chunks after which the agent has seen enough, or fails. */
  enough: fc.nat(10),
  fails: fc.boolean(),
});

describe('for any body, coding, pieces and agent', () => {
  it('an inspected body is complete, original or as the agent made it, with correct framing, or absent', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { plain, codings, places, isDeclared, isStreaming, limit, mutations, enough, fails } = given;
        const coded = codings.reduce<Buffer>((octets, coding) => coders[coding](octets), plain);
        const source = new ScriptedBody(cut(coded, places), isDeclared ? coded.length : null);
        const client = new ScriptedAgent();
        client.said = { ...fakeCapabilities, features: { ...fakeCapabilities.features, streamingBody: isStreaming } };
        const chunks: RequestBodyChunkEvent[] = [];
        client.answer = (event) => {
          if (event.kind !== 'request_body_chunk') throw new Error(event.kind);
          const { chunkIndex, isLast } = event;
          if (fails && chunkIndex === enough) return err({ code: 'timed_out', detail: '' });
          chunks.push(event);
          const data = mutations[chunkIndex];
          const requestBodyMutation = data === undefined ? null : { chunkIndex, data };
          return ok({ ...allowAnswer, needsMore: !isLast && chunkIndex < enough, requestBodyMutation });
        };
        const headers = [
          'Content-Encoding',
          codings.join(','),
          ...(isDeclared ? ['Content-Length', `${coded.length}`] : []),
        ];
        const outcome = await inspectBody(
          {
            agent: { ...routeAgent(client), failureMode: 'open' },
            correlationId: 'id',
            first: { ...allowAnswer, needsMore: true },
            headers,
            body: source,
            isPart: false,
            direction: requestDirection,
            trace: null,
          },
          {
            inflater: nodeZlibInflater,
            clock: new ManualClock(),
            limits: { size: { octets: limit, name: 'a' }, decompression: { maxOctets: 1e6, maxRatio: 1e6 } },
          },
        );
        const seen = Buffer.concat(chunks.map(({ data }) => data));
        expect(plain.subarray(0, seen.length)).toEqual(seen);
        expect(seen.length).toBeLessThanOrEqual(limit);
        expect(chunks.slice(0, -1).every(({ isLast }) => !isLast)).toBe(true);
        if (!outcome.ok) {
          if (outcome.error.kind === 'agent') {
            expect(fails).toBe(true);
            expect(await bodyOctets(outcome.error.body)).toEqual(coded);
            return;
          }
          expect(outcome.error.kind).toBe('too_large');
          expect(Math.max(plain.length, coded.length)).toBeGreaterThan(limit);
          return;
        }
        const changed = chunks.some(({ data, chunkIndex }) => {
          const mutation = mutations[chunkIndex];
          return mutation !== undefined && mutation !== null && mutation.length + data.length > 0;
        });
        const made = Buffer.concat([
          ...chunks.map(({ data, chunkIndex }) => mutations[chunkIndex] ?? data),
          plain.subarray(seen.length),
        ]);
        const expected = changed ? made : coded;
        const left = headersOfInspected(headers, outcome.value);
        expect(outcome.value.isChanged).toBe(changed);
        expect(await bodyOctets(outcome.value.body)).toEqual(expected);
        expect(firstHeader(left, 'content-encoding')).toBe(changed ? undefined : codings.join(','));
        const length = firstHeader(left, 'content-length');
        if (length !== undefined) expect(Number(length)).toBe(expected.length);
        expect(outcome.value.body?.declaredLength ?? null).toBe(
          outcome.value.body === null || length === undefined ? null : Number(length),
        );
      }),
      { numRuns: 200 },
    );
  });
});
