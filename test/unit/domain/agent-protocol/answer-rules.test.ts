import { describe, expect, it } from 'vitest';
import { answerFault } from '../../../../src/domain/agent-protocol/answer-rules.js';
import { type AgentAnswer, type AgentDecision, allowAnswer } from '../../../../src/domain/agent-protocol/messages.js';
import { chunkEvent, headersEvent } from '../../../support/agent-events.js';

const head = headersEvent('a');
const lastChunk = chunkEvent('a');
const deciding = (decision: AgentDecision): AgentAnswer => ({ ...allowAnswer, decision });
const block = (status: number, headers: readonly string[] = []): AgentAnswer =>
  deciding({ kind: 'block', status, body: null, headers });

describe('answerFault', () => {
  it('finds none in what an agent may say', () => {
    for (const status of [200, 302, 401, 599]) expect(answerFault(block(status, ['X-A', 'b']), lastChunk)).toBeNull();
    expect(answerFault(deciding({ kind: 'redirect', url: 'https://a.example/?x=1', status: 303 }), head)).toBeNull();
    expect(
      answerFault(deciding({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'a b' } }), head),
    ).toBeNull();
    expect(answerFault({ ...allowAnswer, needsMore: true }, head)).toBeNull();
  });

  it('finds needs_more after the last chunk', () => {
    expect(answerFault({ ...allowAnswer, needsMore: true }, lastChunk)).toMatch('needs_more');
  });

  it.each([100, 101, 199, 600, 0, -1, 200.5, Number.NaN])('finds a block with status %d', (status) => {
    expect(answerFault(block(status), head)).toMatch('status');
  });

  it.each([200, 299, 400])('finds a redirect with status %d', (status) => {
    expect(answerFault(deciding({ kind: 'redirect', url: '/', status }), head)).toMatch('status');
  });

  it.each(['', '/a b', '/a\r\nX: y', '/\u00e9'])('finds a redirect to %j', (url) => {
    expect(answerFault(deciding({ kind: 'redirect', url, status: 302 }), head)).toMatch('URL');
  });

  it('finds what would split a response', () => {
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
