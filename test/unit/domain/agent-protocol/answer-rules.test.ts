import { describe, expect, it } from 'vitest';
import { answerFault, isBodyChunk } from '../../../../src/domain/agent-protocol/answer-rules.js';
import {
  type AgentAnswer,
  type AgentDecision,
  type AgentEvent,
  allowAnswer,
  type BodyMutation,
  type RequestCompleteEvent,
  type ResponseBodyChunkEvent,
  type ResponseHeadersEvent,
} from '../../../../src/domain/agent-protocol/messages.js';
import { chunkEvent, headersEvent } from '../../../support/shared/agent-events.js';

const head = headersEvent('a');
const lastChunk = chunkEvent('a');
const responseHead: ResponseHeadersEvent = { kind: 'response_headers', correlationId: 'a', status: 200, headers: [] };
const responseChunk: ResponseBodyChunkEvent = {
  kind: 'response_body_chunk',
  correlationId: 'a',
  data: new Uint8Array(0),
  isLast: true,
  totalSize: null,
  chunkIndex: 0,
  bytesSent: 0,
};
const complete: RequestCompleteEvent = {
  kind: 'request_complete',
  correlationId: 'a',
  status: 200,
  durationMs: 1,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
};
const everyEvent: readonly AgentEvent[] = [head, lastChunk, responseHead, responseChunk, complete];
const deciding = (decision: AgentDecision): AgentAnswer => ({ ...allowAnswer, decision });
const block = (status: number, headers: readonly string[] = []): AgentAnswer =>
  deciding({ kind: 'block', status, body: null, headers });

describe('answerFault', () => {
  it('accepts every valid answer', () => {
    for (const status of [200, 302, 401, 599]) expect(answerFault(block(status, ['X-A', 'b']), lastChunk)).toBeNull();
    expect(answerFault(deciding({ kind: 'redirect', url: 'https://a.example/?x=1', status: 303 }), head)).toBeNull();
    expect(
      answerFault(deciding({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'a b' } }), head),
    ).toBeNull();
    expect(answerFault({ ...allowAnswer, needsMore: true }, head)).toBeNull();
  });

  it('refuses needs_more at the end', () => {
    const needsMore = { ...allowAnswer, needsMore: true };
    for (const event of [lastChunk, responseChunk, complete])
      expect(answerFault(needsMore, event)).toMatch('needs_more');
    for (const event of [head, responseHead, { ...lastChunk, isLast: false }, { ...responseChunk, isLast: false }]) {
      expect(answerFault(needsMore, event)).toBeNull();
    }
    // A decision against the request needs no more events.
    expect(answerFault({ ...block(403), needsMore: true }, lastChunk)).toBeNull();
  });

  const mutations: readonly BodyMutation['data'][] = [null, new Uint8Array(0), Uint8Array.of(1, 2)];

  it('allows a mutation of the current chunk', () => {
    for (const data of mutations) {
      const mutation = { chunkIndex: 3, data };
      const request = { ...lastChunk, chunkIndex: 3 };
      const response = { ...responseChunk, chunkIndex: 3 };
      expect(answerFault({ ...allowAnswer, requestBodyMutation: mutation }, request)).toBeNull();
      expect(answerFault({ ...allowAnswer, responseBodyMutation: mutation }, response)).toBeNull();
    }
  });

  it('refuses a mutation of another chunk', () => {
    for (const data of mutations) {
      for (const chunkIndex of [-1, 0, 2, 0.5, Number.NaN]) {
        const mutation = { chunkIndex, data };
        const request = { ...lastChunk, chunkIndex: 1 };
        const response = { ...responseChunk, chunkIndex: 1 };
        expect(answerFault({ ...allowAnswer, requestBodyMutation: mutation }, request)).toMatch('another chunk');
        expect(answerFault({ ...allowAnswer, responseBodyMutation: mutation }, response)).toMatch('another chunk');
      }
    }
  });

  it('refuses a mutation outside that body', () => {
    for (const data of mutations) {
      const mutation = { chunkIndex: 0, data };
      for (const event of everyEvent) {
        const ofRequest = answerFault({ ...allowAnswer, requestBodyMutation: mutation }, event);
        const ofResponse = answerFault({ ...allowAnswer, responseBodyMutation: mutation }, event);
        expect([ofRequest === null, ofResponse === null]).toEqual([event === lastChunk, event === responseChunk]);
      }
    }
  });

  it('refuses request header operations for a response', () => {
    const answer: AgentAnswer = { ...allowAnswer, requestHeaders: [{ kind: 'remove', name: 'X-A' }] };
    for (const event of [responseHead, responseChunk]) expect(answerFault(answer, event)).toMatch('for a response');
    for (const event of [head, lastChunk]) expect(answerFault(answer, event)).toBeNull();
    const forResponse: AgentAnswer = { ...allowAnswer, responseHeaders: [{ kind: 'remove', name: 'X-A' }] };
    for (const event of everyEvent) expect(answerFault(forResponse, event)).toBeNull();
  });

  it.each([100, 101, 199, 600, 0, -1, 200.5, Number.NaN])('refuses a block with status %d', (status) => {
    expect(answerFault(block(status), head)).toMatch('status');
  });

  it.each([200, 299, 400])('refuses a redirect with status %d', (status) => {
    expect(answerFault(deciding({ kind: 'redirect', url: '/', status }), head)).toMatch('status');
  });

  it.each(['', '/a b', '/a\r\nX: y', '/\u00e9'])('refuses a redirect to %j', (url) => {
    expect(answerFault(deciding({ kind: 'redirect', url, status: 302 }), head)).toMatch('URL');
  });

  it('refuses response splitting', () => {
    expect(answerFault(block(401, ['X A', 'b']), head)).not.toBeNull();
    expect(answerFault(block(401, ['X-A', 'b\r\nc']), head)).not.toBeNull();
    expect(answerFault(deciding({ kind: 'challenge', challengeType: 'a b', params: {} }), head)).not.toBeNull();
    expect(answerFault(deciding({ kind: 'challenge', challengeType: 'a', params: { b: '\n' } }), head)).not.toBeNull();
    expect(
      answerFault(deciding({ kind: 'challenge', challengeType: 'a', params: { 'b c': '' } }), head),
    ).not.toBeNull();
    const bad = [{ kind: 'add', name: 'X', value: '\n' } as const];
    expect(answerFault({ ...allowAnswer, requestHeaders: bad }, head)).not.toBeNull();
    expect(answerFault({ ...allowAnswer, responseHeaders: bad }, head)).not.toBeNull();
  });
});

describe('isBodyChunk', () => {
  it('recognises body chunks', () => {
    expect(everyEvent.map(isBodyChunk)).toEqual([false, true, false, true, false]);
  });
});
