import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../../../src/domain/agent-protocol/agent-verdict.js';
import { emptyAudit } from '../../../../src/domain/agent-protocol/messages.js';

describe('verdictOf', () => {
  it('keeps audit data within bounds', () => {
    const reasonCodes = Array.from({ length: 100 }, () => 'r'.repeat(1_000));
    const verdict = verdictOf('words', { ...emptyAudit, reasonCodes, ruleIds: ['rule-1'] });
    expect(verdict).toMatchObject({ agent: 'words', ruleIds: ['rule-1'], tags: [] });
    expect(verdict.reasonCodes).toEqual(Array.from({ length: 16 }, () => 'r'.repeat(128)));
  });
});
