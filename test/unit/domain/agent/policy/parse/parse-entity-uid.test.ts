import { describe, expect, it } from 'vitest';
import { parseEntityUid } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';

describe('an entity in policy syntax', () => {
  it('parses to its type and id', () => {
    expect(parseEntityUid('A::User::"a\\"\\u{41}"')).toEqual({
      ok: true,
      value: { kind: 'entity', type: 'A::User', id: 'a"A' },
    });
  });

  it.each([
    ['User::alice', 'entities have quotes: did you mean `User::"alice"`?'],
    ['"alice"', 'expected an entity, as in `User::"alice"`'],
    ['User::"a" x', 'found `x`'],
    ['', 'found the end of the text'],
    ['if::"a"', 'expected'],
  ])('%j is refused', (text, message) => {
    expect(parseEntityUid(text)).toEqual({ ok: false, error: expect.stringContaining(message) });
  });
});
