import { describe, expect, it } from 'vitest';
import { withResponseOperations } from '../../../../../src/application/gateway/proxy-request/with-response-operations.js';
import type { HeaderOperation } from '../../../../../src/domain/agent-protocol/messages.js';

describe('the operations of all agents on a response', () => {
  it('leave the very same head where there are none', () => {
    const head = ['X-A', '1'];
    expect(withResponseOperations(head, [])).toBe(head);
  });

  it('are carried out in their order, each on what the ones before have left', () => {
    const operations: HeaderOperation[] = [
      { kind: 'set', name: 'X-A', value: '2' },
      { kind: 'remove', name: 'X-A' },
      { kind: 'add', name: 'X-A', value: '3' },
    ];
    expect(withResponseOperations(['X-A', '1'], operations)).toEqual(['X-A', '3']);
  });

  it.each([1_024, 1_025, 3_000])('are all carried out where there are %i of them', (count) => {
    const operations = Array.from(
      { length: count },
      (_, index): HeaderOperation => ({ kind: 'add', name: 'X-N', value: String(index) }),
    );
    const head = withResponseOperations([], operations);
    expect(head.filter((_, index) => index % 2 === 1)).toEqual(operations.map((_, index) => String(index)));
  });
});
