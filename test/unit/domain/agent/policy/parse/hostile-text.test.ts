import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { sourceLines } from '../../../../../../src/domain/agent/policy/source-lines.js';

const size = 256 * 1024;
const condition = 'permit(principal, action, resource) when { ';

const filled = (unit: string, before = '', after = ''): string =>
  `${before}${unit.repeat(Math.ceil(size / unit.length))}${after}`;

/** Work that grew with the square of these would take hours, and the test its time limit. */
describe('a large hostile text', () => {
  it.each([
    ['open parentheses', filled('(')],
    ['open parentheses in a condition', filled('(', condition)],
    ['quotes', filled('"')],
    ['quotes in a condition', filled('"', condition)],
    ['an open string', filled('a', `${condition}"`)],
    ['backslashes in quotes', filled('"\\\\')],
    ['single quotes', filled("'")],
    ['opening quotes', filled('\u201c')],
    ['opening quotes with text', filled('\u201ca ')],
    ['annotations', filled('@a')],
    ['annotations with their own names', Array.from({ length: 50_000 }, (_, index) => `@a${index} `).join('')],
    ['effects', filled('permit ')],
    ['effects with parentheses', filled('permit(')],
    ['semicolons', filled(';')],
    ['one number', filled('9', condition)],
    ['one word', filled('x')],
    ['one word in a condition', filled('x', condition)],
    ['one path', filled('a::', condition)],
    ['one `has` path', filled('.a', `${condition}principal has a`)],
    ['a unicode escape', filled('_', `${condition}"\\u{4`, '}"')],
    ['a bad escape', filled('\\q', `${condition}"`, '"')],
    ['stars and letters', filled('\\*a', `${condition}"" like "`, '\\q"')],
    ['an unfinished chain', filled('true&&', condition)],
    ['an unfinished sum', filled('1+', condition)],
    ['an unfinished set', filled('1,', `${condition}[`)],
    ['a record with one name', filled('a:1,', `${condition}{`)],
    ['actions', filled('Action::"a",', 'permit(principal, action in [')],
    ['slots', filled('?a')],
    ['text that is none', filled('\u{1F600}')],
    ['zeros', filled('\0')],
  ])('is refused in linear time: %s', (_, text) => {
    const parsed = parsePolicies(text, 'extended');
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    for (const { span } of parsed.error) expect(span.end).toBeLessThanOrEqual(text.length);
  });

  it.each([
    ['blank lines', filled('\n')],
    ['slashes', filled('/')],
    ['comments', filled('//"\n')],
    ['stars', filled('*', `${condition}"" like "`, '"};')],
    ['escaped stars', filled('\\**', `${condition}"" like "`, '"};')],
    ['one sum', filled('1+', condition, '1};')],
    ['one record', `${condition}{${Array.from({ length: 50_000 }, (_, index) => `a${index}: 1`).join()}}};`],
    ['policies', 'permit(principal,action,resource);'.repeat(20_000)],
  ])('is parsed in linear time: %s', (_, text) => {
    expect(parsePolicies(text, 'cedar').ok).toBe(true);
  });

  it('has its lines indexed in linear time', () => {
    const lines = sourceLines(filled('\n'));
    for (let offset = 0; offset < size; offset += 1) lines.positionAt(offset);
    expect(lines.positionAt(size)).toEqual({ line: size + 1, column: 1 });
  });
});
