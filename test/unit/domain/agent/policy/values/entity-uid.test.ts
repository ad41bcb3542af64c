import { describe, expect, it } from 'vitest';
import {
  entityKey,
  entityUid,
  formatEntityUid,
  sameEntity,
} from '../../../../../../src/domain/agent/policy/values/entity-uid.js';

describe('entity uids', () => {
  it('are equal if type and id are', () => {
    expect(sameEntity(entityUid('User', 'a'), entityUid('User', 'a'))).toBe(true);
    expect(sameEntity(entityUid('User', 'a'), entityUid('Role', 'a'))).toBe(false);
    expect(sameEntity(entityUid('User', 'a'), entityUid('User', 'A'))).toBe(false);
  });

  it('have keys that no id can forge', () => {
    expect(entityKey(entityUid('User', 'a'))).not.toBe(entityKey(entityUid('User', 'a\0')));
    expect(entityKey(entityUid('A', 'B\0c'))).not.toBe(entityKey(entityUid('B', 'c')));
    expect(entityKey(entityUid('A::B', 'c'))).not.toBe(entityKey(entityUid('A', 'B\0c')));
  });

  it('are written as Cedar text on one line, without invisible characters', () => {
    expect(formatEntityUid(entityUid('Photos::Album', 'summer'))).toBe('Photos::Album::"summer"');
    expect(formatEntityUid(entityUid('User', 'é 😀'))).toBe('User::"é 😀"');
    expect(formatEntityUid(entityUid('User', 'a"b\\c\n\r\t\0'))).toBe('User::"a\\"b\\\\c\\n\\r\\t\\0"');
    expect(formatEntityUid(entityUid('User', '\u001b[31m\u2028\u202e\u200b'))).toBe(
      'User::"\\u{1b}[31m\\u{2028}\\u{202e}\\u{200b}"',
    );
    expect(formatEntityUid(entityUid('User', '\ud800'))).toBe('User::"\\u{fffd}"');
  });
});
