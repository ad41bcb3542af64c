import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { octetsOverMaximum } from '../../../../src/domain/agent-protocol/lasting-answers.js';
import { type AgentAnswer, allowAnswer, emptyAudit } from '../../../../src/domain/agent-protocol/messages.js';

/** All texts of an answer, found in a slower way. */
const octetsOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length + 1, 0);

const expectSize = (answer: AgentAnswer, texts: readonly string[]): void => {
  const octets = octetsOf(texts);
  expect(octetsOverMaximum(answer, octets)).toBeNull();
  if (octets > 0) expect(octetsOverMaximum(answer, octets - 1)).toBe(octets);
};

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string());

describe('octetsOverMaximum', () => {
  it('counts nothing in an empty answer', () => expectSize(allowAnswer, []));

  it('counts every text of every decision', () => {
    const decided = (decision: AgentAnswer['decision']): AgentAnswer => ({ ...allowAnswer, decision });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expectSize(decided({ kind: 'block', status: 403, body: a, headers: [b, c] }), [a, b, c]);
        expectSize(decided({ kind: 'block', status: 403, body: null, headers: [b, c] }), [b, c]);
        expectSize(decided({ kind: 'redirect', url: a, status: 302 }), [a]);
        const challenge = decided({ kind: 'challenge', challengeType: a, params: { x: b, y: c } });
        expectSize(challenge, [a, 'x', b, 'y', c]);
      }),
    );
  });

  it('counts header operations and audit data', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (names, value) => {
        const operations = names.map((name) => ({ kind: 'set', name, value }) as const);
        const removals = names.map((name) => ({ kind: 'remove', name }) as const);
        const answer: AgentAnswer = {
          ...allowAnswer,
          requestHeaders: operations,
          responseHeaders: removals,
          audit: { ...emptyAudit, tags: names, ruleIds: names, reasonCodes: names, custom: { key: value } },
        };
        const values = names.map(() => value);
        expectSize(answer, [...names, ...values, ...names, ...names, ...names, ...names, 'key', value]);
      }),
    );
  });

  it('does not count body mutations', () => {
    const mutation = { chunkIndex: 0, data: new Uint8Array(1_000) };
    expectSize({ ...allowAnswer, requestBodyMutation: mutation, responseBodyMutation: mutation }, []);
  });

  it('counts many empty texts', () => {
    const tags = Array.from({ length: 1_001 }, () => '');
    expect(octetsOverMaximum({ ...allowAnswer, audit: { ...emptyAudit, tags } }, 1_000)).toBeGreaterThan(1_000);
  });
});
