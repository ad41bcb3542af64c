import { describe, expect, it } from 'vitest';
import {
  applyHeaderRules,
  compileHeaderRules,
  type HeaderRules,
} from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import {
  type PlaceholderValues,
  parseTemplate,
  placeholderNames,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';

const values = Object.fromEntries(placeholderNames.map((name) => [name, `<${name}>`])) as Record<string, string>;

const named = (pairs: Record<string, string>): HeaderRules['set'] =>
  Object.entries(pairs).map(([name, text]) => {
    const template = parseTemplate(text);
    if (!template.ok) throw new Error(template.error);
    return { name, value: template.value };
  });

const rules = (changes: {
  remove?: string[];
  set?: Record<string, string>;
  add?: Record<string, string>;
}): HeaderRules => ({
  remove: changes.remove ?? [],
  set: named(changes.set ?? {}),
  add: named(changes.add ?? {}),
});

const applied = (headers: HeaderList, given: HeaderRules, own: Partial<PlaceholderValues> = {}): HeaderList => {
  const compiled = compileHeaderRules(given, () => true);
  return compiled === null
    ? headers
    : applyHeaderRules(headers, compiled, () => ({ ...values, ...own }) as PlaceholderValues);
};

describe('header rules', () => {
  it('remove, then set, then add', () => {
    const given = rules({ remove: ['X-A'], set: { 'X-A': 'set', 'X-B': 'b' }, add: { 'X-A': 'added', 'X-C': 'c' } });
    expect(applied(['X-A', '1', 'x-b', '2', 'X-B', '3', 'X-C', '4'], given)).toEqual([
      'X-C',
      '4',
      'X-A',
      'set',
      'X-B',
      'b',
      'X-A',
      'added',
      'X-C',
      'c',
    ]);
  });

  it.each(['x-debug', 'X-DEBUG', 'X_Debug', 'x.debug', 'X_DEBUG'])(
    'remove and replace %s, which an upstream may read as X-Debug',
    (name) => {
      expect(applied([name, '1', 'X-Debugger', '2'], rules({ remove: ['X-Debug'] }))).toEqual(['X-Debugger', '2']);
      expect(applied([name, '1'], rules({ set: { 'X-Debug': 'no' } }))).toEqual(['X-Debug', 'no']);
    },
  );

  it('do not send a header with an empty value, and still drop what it replaces', () => {
    expect(applied(['X-User', 'mallory'], rules({ set: { 'X-User': '{user_id}' } }), { user_id: '' })).toEqual([]);
    expect(applied(['X-User', 'mallory'], rules({ set: { 'X-User': ' {user_id}\t' } }), { user_id: ' \r\n' })).toEqual(
      [],
    );
    expect(applied([], rules({ add: { 'X-User': '{user_id}' } }), { user_id: '' })).toEqual([]);
  });

  it('send values without spaces around them', () => {
    expect(applied([], rules({ set: { 'X-A': ' a {user_id} ', 'X-B': ' b ' } }), { user_id: ' u ' })).toEqual([
      'X-A',
      'a  u',
      'X-B',
      'b',
    ]);
  });

  it('ask for the values of a request only if a rule has a placeholder', () => {
    const compiled = compileHeaderRules(rules({ remove: ['X-A'], set: { 'X-B': '{{path}' } }), () => true);
    expect(
      compiled &&
        applyHeaderRules(['X-A', '1'], compiled, () => {
          throw new Error('not needed');
        }),
    ).toEqual(['X-B', '{path}']);
  });

  it('leave out rules that are not in force', () => {
    const given = rules({ remove: ['X-A'], set: { 'X-B': 'b' }, add: { 'X-C': 'c' } });
    const compiled = compileHeaderRules(given, ({ name }) => name === 'X-C');
    expect(compiled && applyHeaderRules(['X-A', '1', 'X-B', '2'], compiled, () => values as never)).toEqual([
      'X-A',
      '1',
      'X-B',
      '2',
      'X-C',
      'c',
    ]);
    expect(compileHeaderRules(given, () => false)).toBeNull();
  });
});
