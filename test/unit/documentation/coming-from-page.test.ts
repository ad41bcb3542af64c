import { describe, expect, it } from 'vitest';
import { migrateText } from '../../../src/adapters/outbound/kdl-configuration/migrate-text.js';
import { documentationPage, fencedBlocks } from '../../support/shared/documentation-examples.js';

describe('the guide for those who come from another gateway', () => {
  it('shows what a migration makes of a file', () => {
    const [old, now] = fencedBlocks(documentationPage('docs/guides/coming-from.md'));
    expect([old?.info, now?.info]).toEqual(['text', 'kdl']);
    const { text, left } = migrateText(old?.text ?? '');
    expect(left).toEqual([]);
    expect(text).toBe(now?.text);
  });
});
