import { describe, expect, it } from 'vitest';
import { applyHeaderOperations } from '../../../../src/domain/agent-protocol/header-operations.js';
import {
  answerOctets,
  applyAnswered,
  isLasting,
  octetsOfAnswerOver,
  rememberAnswer,
} from '../../../../src/domain/agent-protocol/lasting-answers.js';
import { type AgentAnswer, allowAnswer } from '../../../../src/domain/agent-protocol/messages.js';

const telling = (name: string, value: string): AgentAnswer => ({
  ...allowAnswer,
  requestHeaders: [{ kind: 'set', name, value }],
});

describe('a reused answer', () => {
  it.each<[string, AgentAnswer]>([
    ['a header that would end its line', telling('X-User-Id', 'ann\r\nX-Role: admin')],
    ['a name that is none', telling('X User', 'ann')],
    ['a dialogue to come', { ...allowAnswer, needsMore: true }],
    ['a block', { ...allowAnswer, decision: { kind: 'block', status: 403, body: null, headers: [] } }],
    ['operations on the response', { ...allowAnswer, responseHeaders: [{ kind: 'remove', name: 'X-A' }] }],
    ['a mutation', { ...allowAnswer, requestBodyMutation: { chunkIndex: 0, data: null } }],
  ])('is not cached with %s', (_, answer) => {
    expect(isLasting(rememberAnswer(answer))).toBe(false);
  });

  it('has the same result as an uncached answer', () => {
    for (const answer of [
      telling('X-User-Id', 'ann'),
      telling('Content_Length', '5'),
      telling('X-Correlation-Id', 'x'),
    ]) {
      const headers = ['Host', 'a', 'x-user-id', 'mallory', 'X-USER-ID', 'eve'];
      const expected = applyHeaderOperations(headers, answer.requestHeaders);
      expect(isLasting(rememberAnswer(answer))).toBe(true);
      expect(applyAnswered(headers, answer)).toEqual(expected);
    }
  });

  it('exceeds only a smaller maximum', () => {
    const answer = rememberAnswer(telling('X-User-Id', 'ann'));
    const octets = answerOctets(answer);
    expect(octetsOfAnswerOver(answer, octets)).toBeNull();
    expect(octetsOfAnswerOver(answer, octets - 1)).toBe(octets);
  });
});
