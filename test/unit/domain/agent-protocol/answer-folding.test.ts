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

  it('keeps the last decision and audit, and adds operations', () => {
    expect(foldAnswers(first, second)).toEqual({
      decision: second.decision,
      needsMore: false,
      requestHeaders: [...first.requestHeaders, ...second.requestHeaders],
      responseHeaders: [...first.responseHeaders, ...second.responseHeaders],
      audit: second.audit,
      requestBodyMutation: null,
      responseBodyMutation: null,
    });
  });

  it('keeps only the last mutation', () => {
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

  it('stays bounded in a long dialogue', () => {
    const wordy: AgentAnswer = {
      ...first,
      requestHeaders: [],
      audit: { ...first.audit, tags: new Array(1_000).fill('t') },
    };
    let folded: AgentAnswer = { ...allowAnswer, requestHeaders: first.requestHeaders };
    for (let answers = 0; answers < 1_000; answers += 1) folded = foldAnswers(folded, wordy);
    expect(folded.audit).toBe(wordy.audit);
    expect(folded.requestHeaders).toBe(first.requestHeaders);
  });

  it('changes nothing after an allow', () => {
    expect(foldAnswers(allowAnswer, second)).toEqual(second);
  });
});
