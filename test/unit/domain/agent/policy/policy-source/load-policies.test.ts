import { describe, expect, it } from 'vitest';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import { loadPolicies } from '../../../../../../src/domain/agent/policy/policy-source/load-policies.js';
import type {
  PolicyLink,
  PolicySource,
} from '../../../../../../src/domain/agent/policy/policy-source/policy-source.js';
import { formatProblem } from '../../../../../../src/domain/configuration/configuration-problem.js';

const load = (sources: readonly PolicySource[], links: readonly PolicyLink[] = [], limits = policyLimits) =>
  loadPolicies(sources, links, 'extended', limits);
const loaded = (sources: readonly PolicySource[], links: readonly PolicyLink[] = []) => {
  const result = load(sources, links);
  if (!result.ok) throw new Error(result.error.map(formatProblem).join('\n'));
  return result.value;
};
const problems = (sources: readonly PolicySource[], links: readonly PolicyLink[] = []) => {
  const result = load(sources, links);
  return result.ok ? [] : result.error;
};
const ids = (...sources: readonly PolicySource[]) => loaded(sources).policies.map(({ id }) => id);
const source = (text: string, name = '/etc/portcullis/main.cedar'): PolicySource => ({ name, text });
const any = 'permit(principal, action, resource);';
const template = '@id("may-read") permit(principal in ?principal, action, resource == ?resource);';
const link = (some: Partial<PolicyLink> = {}): PolicyLink => ({
  id: 'readers',
  template: 'may-read',
  principal: 'Role::"reader"',
  resource: 'Resource::"/a"',
  position: { file: 'gateway.kdl', line: 7, column: 3 },
  line: '  template-link "readers" {',
  ...some,
});

describe('the ids of policies', () => {
  it('are numbered as in Cedar for a single source', () => {
    expect(ids(source(`${any} @id("mine") ${any} ${any}`))).toEqual(['policy0', 'mine', 'policy2']);
  });

  it('have the source name as prefix if there are several sources', () => {
    expect(
      ids(source(`${any}${any}`, '/p/a.cedar'), source(any, '/p/b.cedar'), source(`@id("x") ${any}`, '/p/c.cedar')),
    ).toEqual(['a.cedar/policy0', 'a.cedar/policy1', 'b.cedar/policy0', 'x']);
  });

  it('have the whole name if base names collide, and a counter if names collide', () => {
    expect(
      ids(
        source(any, '/p/a.cedar'),
        source(any, '/q/a.cedar'),
        source(any, 'policy-inline'),
        source(any, 'policy-inline'),
      ),
    ).toEqual(['/p/a.cedar/policy0', '/q/a.cedar/policy0', 'policy-inline#1/policy0', 'policy-inline#2/policy0']);
  });

  it('can have 128 characters, and at least one', () => {
    expect(ids(source(`@id("${'x'.repeat(128)}") ${any}`))).toEqual(['x'.repeat(128)]);
    const places = [`@id("${'x'.repeat(129)}") ${any}`, `@id("") ${any}`, `@id ${any}`].map((text) =>
      problems([source(text)]),
    );
    expect(places.map(([first]) => first?.message)).toEqual([
      'the id of a policy must have at most 128 characters',
      'the id of a policy must not be empty',
      'the id of a policy must not be empty',
    ]);
  });

  it.each([
    ['a new line', '\\n'],
    ['an escape', '\\u{1b}[31m'],
    ['a C1 control', '\u009b'],
    ['a mark of direction', '\u202e'],
    ['what cannot be seen', '\\u{200b}'],
    ['a tag', '\\u{e0041}'],
    ['a line separator', '\u2028'],
  ])('cannot contain %s', (_, hidden) => {
    const found = problems([source(`${any}\n  @id("a${hidden}b") ${any}`)]);
    expect(found).toMatchObject([
      {
        severity: 'error',
        message: 'the id of a policy must not have control characters, line breaks or invisible characters',
        position: { line: 2, column: 3 },
      },
    ]);
  });

  it('can contain letters of any language, and spaces', () => {
    expect(ids(source(`@id("Leser dürfen 読む 😀") ${any}`))).toEqual(['Leser dürfen 読む 😀']);
  });

  it('escape invisible characters in the source name', () => {
    expect(ids(source(any, '/p/a\n\u202eb.cedar'), source(any, '/p/c.cedar'))).toEqual([
      'a\\u{a}\\u{202e}b.cedar/policy0',
      'c.cedar/policy0',
    ]);
  });

  it('are unique, and a collision reports both positions', () => {
    const [problem, ...more] = problems([
      source(`${any}\n@id("x")\n${any}`, '/p/a.cedar'),
      source(`\n  @id("x") ${any}`, '/p/b.cedar'),
    ]);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      severity: 'error',
      message: 'the policy id "x" is already taken at /p/a.cedar:2:1',
      position: { file: '/p/b.cedar', line: 2, column: 3 },
      line: `  @id("x") ${any}`,
    });
  });

  it('cannot equal a number that another policy has by position', () => {
    expect(problems([source(`${any} @id("policy0") ${any}`)])).toHaveLength(1);
    expect(problems([source(`@id("policy1") ${any} ${any}`)])).toHaveLength(1);
    expect(problems([source(`${any} @id("policy1") ${any}`)])).toEqual([]);
  });
});

describe('invalid policies', () => {
  it('are all reported with file, line, column and source line', () => {
    const found = problems([
      source(`${any}\n\npermit(principal, action, resource) when { context.roles.contain("x") };`, '/p/a.cedar'),
      source(any, '/p/b.cedar'),
      source('permit(principal action, resource);\nforbid(principal, action);', '/p/c.cedar'),
    ]);
    expect(found.map(({ position }) => `${position?.file}:${position?.line}`)).toEqual([
      '/p/a.cedar:3',
      '/p/c.cedar:1',
      '/p/c.cedar:2',
    ]);
    expect(found[1]).toMatchObject({
      severity: 'error',
      position: { column: 18 },
      line: 'permit(principal action, resource);',
    });
  });

  it('are reported with columns in characters, as in configurations', () => {
    const [found] = problems([source('permit(principal, action, resource) when { "𝒳𝒳" == };')]);
    expect(found?.position?.column).toBe([...'permit(principal, action, resource) when { "𝒳𝒳" == '].length + 1);
    expect(formatProblem(found as NonNullable<typeof found>)).toMatch(/\n {2} +\^/);
  });

  it('are reported without an overlong source line', () => {
    const [found] = problems([source(`permit(principal, action, resource) when { "${'x'.repeat(5000)}" ;`)]);
    expect(found).toMatchObject({ line: null, position: { line: 1 } });
  });

  it('are reported up to a limit', () => {
    const sources = Array.from({ length: 300 }, (_, index) => source('permit(', `/p/${index}.cedar`));
    expect(problems(sources).length).toBeLessThanOrEqual(101);
  });

  it('include too many policies, over all sources and links', () => {
    const limits = { ...policyLimits, policies: 3 } as unknown as typeof policyLimits;
    expect(load([source(any, 'a'), source(`${any}${any}`, 'b')], [], limits).ok).toBe(true);
    const over = [source(any, 'a'), source(`${any}${any}${any}`, 'b')];
    expect(load(over, [], limits)).toMatchObject({ ok: false, error: [{ message: 'there are more than 3 policies' }] });
    expect(load([source(`${any}${any}${template}`)], [link()], limits).ok).toBe(false);
  });
});

describe('loaded policies', () => {
  it('can be empty', () => {
    expect(loaded([source('// nothing yet\n')]).policies).toEqual([]);
    expect(loaded([]).policies).toEqual([]);
  });

  it('know their source positions', () => {
    const text = `${any}\n  @id("x")\n  ${any} // end`;
    const { sourceOf } = loaded([source(text)]);
    const origin = sourceOf('x');
    expect(origin).toMatchObject({ name: '/etc/portcullis/main.cedar', text, position: { line: 2, column: 3 } });
    expect(text.slice(origin?.span.start, origin?.span.end)).toBe(`@id("x")\n  ${any}`);
    expect(sourceOf('y')).toBeUndefined();
  });

  it('keep templates separate from linked policies', () => {
    const { policies, templates, unlinkedTemplates, sourceOf, linkOf } = loaded(
      [source(`${template} permit(principal == ?principal, action, resource); ${any}`)],
      [link(), link({ id: 'editors', principal: 'Role::"editor"' })],
    );
    expect(policies.map(({ id }) => id)).toEqual(['policy2', 'readers', 'editors']);
    expect(policies.map(({ slots }) => slots)).toEqual([[], [], []]);
    expect(policies[1]?.principal).toEqual({ kind: 'in', entity: { kind: 'entity', type: 'Role', id: 'reader' } });
    expect(templates.map(({ id }) => id)).toEqual(['may-read', 'policy1']);
    expect(unlinkedTemplates.map(({ id }) => id)).toEqual(['policy1']);
    expect(sourceOf('editors')?.position).toEqual({ line: 1, column: 1 });
    expect(linkOf('editors')?.principal).toBe('Role::"editor"');
    expect(linkOf('policy2')).toBeUndefined();
  });

  it.each<[string, Partial<PolicyLink>, RegExp, RegExp | null]>([
    ['no such template', { template: 'may-raed' }, /there is no template "may-raed"/, /did you mean "may-read"\?/],
    ['no template', { template: 'policy1' }, /"policy1" is not a template/, /\?principal or \?resource/],
    ['a place that stays empty', { principal: null }, /principal/, null],
    ['a principal that is no entity', { principal: 'reader' }, /the principal is not an entity: /, null],
    ['a resource that is no entity', { resource: 'Resource::"' }, /the resource is not an entity: /, null],
    ['an id that a policy has', { id: 'policy1' }, /already taken at \/etc\/portcullis\/main\.cedar:1:/, null],
    ['an id that its template has', { id: 'may-read' }, /already taken at \/etc\/portcullis\/main\.cedar:1:1/, null],
    ['an empty id', { id: '' }, /must not be empty/, null],
    ['a long id', { id: 'x'.repeat(129) }, /at most 128 characters/, null],
    ['a control in its id', { id: 'a\u001bb' }, /^template-link "a\\u\{1b\}b": .*must not have control/, null],
    ['a hidden template', { template: `\u202e${'x'.repeat(9999)}` }, /no template "\\u\{202e\}x{127}"\.\.\.$/, null],
  ])('are refused with a link that has %s', (_, some, message, suggestion) => {
    const [problem, ...more] = problems([source(`${template} ${any}`)], [link(some)]);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ severity: 'error', position: link().position, line: link().line });
    expect(problem?.message).toMatch(message);
    if (suggestion === null) expect(problem?.suggestion).toBeNull();
    else expect(problem?.suggestion).toMatch(suggestion);
  });

  it('are refused with duplicate link ids, and with an entity for a missing slot', () => {
    const half = '@id("half") permit(principal == ?principal, action, resource);';
    expect(problems([source(template)], [link(), link()]).map(({ message }) => message)).toEqual([
      'template-link "readers": the policy id is already taken by another template-link',
    ]);
    expect(problems([source(half)], [link({ template: 'half' })])).toHaveLength(1);
    expect(problems([source(half)], [link({ template: 'half', resource: null })])).toEqual([]);
  });
});
