import { describe, expect, it } from 'vitest';
import { onePolicy, policyProblems } from '../../../../../support/agent/parsed-policy.js';

const uid = (type: string, id: string): object => ({ kind: 'entity', type, id });
const withPrincipal = (constraint: string): string => `permit(principal ${constraint}, action, resource);`;
const withAction = (constraint: string): string => `permit(principal, action ${constraint}, resource);`;

describe('the scope of a policy', () => {
  it.each([
    ['', { kind: 'any' }],
    ['== User::"a"', { kind: 'equals', entity: uid('User', 'a') }],
    ['== ((User::"a"))', { kind: 'equals', entity: uid('User', 'a') }],
    ['in A::B::"\\u{41}"', { kind: 'in', entity: uid('A::B', 'A') }],
    ['is User', { kind: 'is', entityType: 'User' }],
    ['is A::User in Group::"g"', { kind: 'is-in', entityType: 'A::User', entity: uid('Group', 'g') }],
    ['== ?principal', { kind: 'equals', entity: { kind: 'slot', name: '?principal' } }],
    ['is User in (?principal)', { kind: 'is-in', entityType: 'User', entity: { kind: 'slot', name: '?principal' } }],
  ])('accepts `principal %s`', (constraint, expected) => {
    expect(onePolicy(withPrincipal(constraint)).principal).toEqual(expected);
  });

  it.each([
    ['', { kind: 'any' }],
    ['== Action::"a"', { kind: 'equals', entity: uid('Action', 'a') }],
    ['== (Ns::Action::"a")', { kind: 'equals', entity: uid('Ns::Action', 'a') }],
    ['in Action::"a"', { kind: 'in', entities: [uid('Action', 'a')] }],
    ['in []', { kind: 'in', entities: [] }],
    ['in ([Action::"a", (Action::"b"),])', { kind: 'in', entities: [uid('Action', 'a'), uid('Action', 'b')] }],
  ])('accepts `action %s`', (constraint, expected) => {
    expect(onePolicy(withAction(constraint)).action).toEqual(expected);
  });

  it('has slots, which make the policy a template', () => {
    const template = onePolicy('permit(principal in ?principal, action, resource == ?resource,);');
    expect(template.slots).toEqual(['?principal', '?resource']);
    expect(onePolicy('permit(principal, action, resource == ?resource);').slots).toEqual(['?resource']);
    expect(onePolicy('permit(principal, action, resource);').slots).toEqual([]);
  });

  it('has spans for its parts', () => {
    const text = 'permit(principal is User, action in [], resource == A::"b");';
    const { scopeSpans } = onePolicy(text);
    const parts = [scopeSpans.principal, scopeSpans.action, scopeSpans.resource];
    expect(parts.map(({ start, end }) => text.slice(start, end))).toEqual([
      'principal is User',
      'action in []',
      'resource == A::"b"',
    ]);
  });

  it.each([
    [withPrincipal('== ?resource'), 'the slot here must be `?principal`, found `?resource`'],
    [withPrincipal('== ?other'), 'the slot here must be `?principal`'],
    [withPrincipal('in [User::"a"]'), 'expected an entity, as in `User::"alice"`'],
    [withPrincipal('is A == B::"c"'), 'expected `,`, found `==` (after a type there can be `in`)'],
    [withPrincipal('is (A)'), 'expected an entity type after `is`'],
    [withPrincipal('is in'), '`in` is a reserved word'],
    [withPrincipal('is __cedar::A'), '`__cedar` is a reserved word'],
    [withPrincipal('== if::"a"'), '`if` is a reserved word'],
    [withPrincipal('== principal'), 'found `principal`'],
    [withPrincipal(': User'), 'expected `,`, `==`, `in` or `is`, found `:` (write `is` before a type)'],
    [withPrincipal('= User::"a"'), 'found `=` (did you mean `==`?)'],
    [withPrincipal('== User::alice'), 'entities have quotes: did you mean `User::"alice"`?'],
    [withPrincipal('.id == "a"'), 'put further tests into a `when` condition'],
    [withAction('== [Action::"a"]'), 'expected one action, found `[` (use `in` for several)'],
    [withAction('in [[Action::"a"]]'), 'expected an action'],
    [withAction('== User::"a"'), 'the type of an action is `Action`, found `User`'],
    [withAction('== MyAction::"a"'), 'the type of an action is `Action`, found `MyAction`'],
    [withAction('is Action'), '`is` cannot be in the scope of the action'],
    [withAction('== ?action'), 'expected an action'],
    [
      'permit(principal, action);',
      'expected `,`, found `)` (a scope is `(principal, action, resource)` in that order)',
    ],
    ['permit(principal, resource, action);', 'expected `action`, found `resource` (a scope is'],
    ['permit();', 'expected `principal`, found `)`'],
    ['permit(principal, action, resource, context);', 'expected `)`, found `context` (a scope has three parts)'],
    ['permit(principal, action, resource,,);', 'expected `)`, found `,`'],
    ['permit(,principal, action, resource);', 'expected `principal`, found `,`'],
  ])('is refused: %s', (text, problem) => {
    const problems = policyProblems(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});
