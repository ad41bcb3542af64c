import { describe, expect, it } from 'vitest';
import { linkTemplate, type TemplateLinkEntities } from '../../../../../src/domain/agent/policy/link-template.js';
import type { Policy } from '../../../../../src/domain/agent/policy/syntax-tree.js';
import { entityUid } from '../../../../../src/domain/agent/policy/values/entity-uid.js';
import { parsedPolicies } from '../../../../support/agent/parsed-policies.js';

const template = (text: string): Policy => {
  const [policy] = parsedPolicies(text);
  if (policy === undefined) throw new Error('no policy');
  return policy;
};

const principal = entityUid('User', 'alice');
const resource = entityUid('Resource', '/a');

describe('linkTemplate', () => {
  it('fills the slots, and keeps the rest', () => {
    const both = template(
      '@note("x") forbid (principal in ?principal, action, resource is Resource in ?resource) when { true };',
    );
    const linked = linkTemplate(both, 'mine', { principal, resource });
    expect(linked).toEqual({
      ok: true,
      value: {
        ...both,
        id: 'mine',
        principal: { kind: 'in', entity: principal },
        resource: { kind: 'is-in', entityType: 'Resource', entity: resource },
        slots: [],
      },
    });
  });

  it('fills one slot and keeps the rest of the scope', () => {
    const one = template('permit (principal == ?principal, action, resource == Resource::"b");');
    const linked = linkTemplate(one, 'mine', { principal });
    expect(linked.ok && linked.value.principal).toEqual({ kind: 'equals', entity: principal });
    expect(linked.ok && linked.value.resource).toEqual({ kind: 'equals', entity: entityUid('Resource', 'b') });
  });

  it('shortens and escapes the template name in messages', () => {
    const one = { ...template('permit (principal == ?principal, action, resource);'), id: `\n${'x'.repeat(5000)}` };
    const linked = linkTemplate(one, 'mine', {});
    expect(linked).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^the template \\u\{a\}x{127}\.\.\. needs/),
    });
  });

  it.each<[string, string, TemplateLinkEntities, string]>([
    [
      'a policy',
      'permit (principal, action, resource);',
      {},
      'policy0 is a policy, not a template: it has no slots to fill',
    ],
    [
      'an empty slot',
      'permit (principal in ?principal, action, resource);',
      {},
      'the template policy0 needs an entity for ?principal',
    ],
    [
      'an empty slot',
      'permit (principal in ?principal, action, resource == ?resource);',
      { principal },
      'the template policy0 needs an entity for ?resource',
    ],
    [
      'an entity too many',
      'permit (principal in ?principal, action, resource);',
      { principal, resource },
      'the template policy0 has no slot ?resource',
    ],
  ])('refuses %s', (_, text, entities, error) => {
    expect(linkTemplate(template(text), 'mine', entities)).toEqual({ ok: false, error });
  });
});
