import { describe, expect, it } from 'vitest';
import {
  type AgentFrameMessage,
  readAgentFrame,
} from '../../../../../../src/adapters/wire/agent-frames/agent-message.js';
import { AnswerCache } from '../../../../../../src/adapters/wire/agent-frames/answer-cache/answer-cache.js';
import { type AgentAnswer, allowAnswer } from '../../../../../../src/domain/agent-protocol/messages.js';
import { answerJson } from '../../../../../support/shared/answer-json.js';

const firstId = '6f6b5a0e-0001';
const secondId = '6f6b5a0e-0002';
const encoder = new TextEncoder();

const answerFor = (user: string, members: Partial<AgentAnswer> = {}): AgentAnswer => ({
  ...allowAnswer,
  requestHeaders: [{ kind: 'set', name: 'X-User', value: user }],
  ...members,
});

const encoded = (answer: AgentAnswer, id: string): Uint8Array => encoder.encode(answerJson(answer, id));

const read = (text: string, known: AnswerCache | null): AgentFrameMessage => {
  const message = readAgentFrame({ name: 'agent_response', payload: encoder.encode(text) }, known);
  if (!message.ok) throw new Error(message.error);
  return message.value;
};

/** What is read of both texts one after the other, and whether the second was known. */
const readBoth = (first: string, second: string) => {
  const known = new AnswerCache();
  const before = read(first, known);
  const after = read(second, known);
  if (before.kind !== 'answer' || after.kind !== 'answer') throw new Error('no answers');
  const isSame = before.answer.ok && after.answer.ok && before.answer.value === after.answer.value;
  return { after, isSame };
};

describe('an answer that differs in nothing but its id', () => {
  it('is the same object, for the call that it names', () => {
    const given = answerFor('alice');
    const { after, isSame } = readBoth(answerJson(given, firstId), answerJson(given, secondId));
    expect(isSame).toBe(true);
    expect(after).toEqual({ kind: 'answer', correlationId: secondId, answer: { ok: true, value: given } });
  });

  it.each<[string, string, string]>([
    ['of another user', answerJson(answerFor('alice'), firstId), answerJson(answerFor('bob'), secondId)],
    [
      'whose id stands elsewhere too',
      answerJson(answerFor(firstId), firstId),
      answerJson(answerFor(firstId), secondId),
    ],
    [
      'with another text that has a backslash',
      answerJson(answerFor('a"b'), firstId),
      answerJson(answerFor('a"b'), secondId),
    ],
    [
      'with an id that is written with an escape',
      answerJson(answerFor('a'), firstId),
      answerJson(answerFor('a'), 'with"quote'),
    ],
    ['with an id that is too short', answerJson(answerFor('a'), 'c-1'), answerJson(answerFor('a'), 'c-2')],
    [
      'with two ids',
      `{"correlation_id":"${firstId}",${answerJson(answerFor('a'), 'other-id-1').slice(1)}`,
      `{"correlation_id":"${secondId}",${answerJson(answerFor('a'), 'other-id-1').slice(1)}`,
    ],
    [
      'that is too long',
      answerJson(answerFor('a'.repeat(3_000)), firstId),
      answerJson(answerFor('a'.repeat(3_000)), secondId),
    ],
    [
      'that ends the request',
      answerJson({ ...allowAnswer, decision: { kind: 'redirect', url: '/', status: 302 } }, firstId),
      answerJson({ ...allowAnswer, decision: { kind: 'redirect', url: '/', status: 302 } }, secondId),
    ],
    [
      'that asks for the body',
      answerJson(answerFor('a', { needsMore: true }), firstId),
      answerJson(answerFor('a', { needsMore: true }), secondId),
    ],
    [
      'with an operation that is none',
      answerJson(answerFor('a', { requestHeaders: [{ kind: 'set', name: 'no name', value: '' }] }), firstId),
      answerJson(answerFor('a', { requestHeaders: [{ kind: 'set', name: 'no name', value: '' }] }), secondId),
    ],
  ])('is read anew where it is one %s', (_case, first, second) => {
    const { after, isSame } = readBoth(first, second);
    expect(isSame).toBe(false);
    expect(after).toEqual(read(second, null));
  });

  it('is no answer where the text is not all there, known as its beginning may be', () => {
    const known = new AnswerCache();
    const text = answerJson(answerFor('alice'), firstId);
    read(text, known);
    for (const broken of [text.slice(0, -1), `${text} {`, text.replace('"version":2', '"version":3')]) {
      const message = readAgentFrame({ name: 'agent_response', payload: encoder.encode(broken) }, known);
      expect(message.ok && message.value.kind === 'answer' && message.value.answer.ok).toBe(false);
    }
  });
});

describe('AnswerCache', () => {
  it('keeps so many, the latest', () => {
    const known = new AnswerCache();
    for (let user = 0; user < 700; user += 1) read(answerJson(answerFor(`user-${user}`), firstId), known);
    expect(known.size).toBe(512);
    expect(known.find(encoded(answerFor('user-0'), secondId))).toBeNull();
    expect(known.find(encoded(answerFor('user-699'), secondId))?.correlationId).toBe(secondId);
  });

  it('stops remembering for a while where no answer comes twice, and finds what it has', () => {
    const known = new AnswerCache();
    for (let user = 0; user < 3_000; user += 1) read(answerJson(answerFor(`user-${user}`), firstId), known);
    expect(known.find(encoded(answerFor('user-2999'), secondId))).toBeNull();
    expect(known.find(encoded(answerFor('user-1000'), secondId))?.correlationId).toBe(secondId);
    read(answerJson(answerFor('user-5000'), firstId), known);
    expect(known.find(encoded(answerFor('user-5000'), secondId))?.correlationId).toBe(secondId);
  });
});
