import { describe, expect, it } from 'vitest';
import { foldAnswers } from '../../../../src/domain/agent-protocol/answer-folding.js';
import { type AgentAnswer, allowAnswer } from '../../../../src/domain/agent-protocol/messages.js';

describe('foldAnswers', () => {
  const first: AgentAnswer = {
    ...allowAnswer,
    needsMore: true,
    requestHeaders: [{ kind: 'set', name: 'A', value: '1' }],
    responseHeaders: [{ kind: 'remove', name: 'B' }],
    audit: { tags: ['t'], ruleIds: ['r'], confidence: 0.5, reasonCodes: ['c'], custom: { x: '1', y: '1' } },
  };
  const second: AgentAnswer = {
    ...allowAnswer,
    decision: { kind: 'block', status: 403, body: null, headers: [] },
    requestHeaders: [{ kind: 'add', name: 'A', value: '2' }],
    responseHeaders: [{ kind: 'add', name: 'C', value: '3' }],
    audit: { tags: ['u'], ruleIds: [], confidence: null, reasonCodes: ['d'], custom: { y: '2' } },
  };

  it('lets the last decide and adds up the operations and the audits', () => {
    expect(foldAnswers(first, second)).toEqual({
      decision: second.decision,
      needsMore: false,
      requestHeaders: [...first.requestHeaders, ...second.requestHeaders],
      responseHeaders: [...first.responseHeaders, ...second.responseHeaders],
      audit: { tags: ['t', 'u'], ruleIds: ['r'], confidence: 0.5, reasonCodes: ['c', 'd'], custom: { x: '1', y: '2' } },
      requestBodyMutation: null,
      responseBodyMutation: null,
    });
  });

  it('has what becomes of the last chunk alone: each chunk is changed when it is answered', () => {
    const mutation = { chunkIndex: 1, data: new Uint8Array(1) };
    const folded = foldAnswers(
      { ...first, requestBodyMutation: { chunkIndex: 0, data: null } },
      {
        ...second,
        requestBodyMutation: mutation,
      },
    );
    expect(folded.requestBodyMutation).toBe(mutation);
  });

  it('changes nothing where the first says nothing', () => {
    expect(foldAnswers(allowAnswer, second)).toEqual(second);
  });
});
