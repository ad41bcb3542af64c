import { describe, expect, it } from 'vitest';
import { expressionProblems, policyProblems } from '../../../../../support/agent/parsed-policy.js';

describe('suggestions for nearly correct policies', () => {
  it.each([
    ['permits(principal, action, resource);', 'did you mean "permit"?'],
    ['Permit(principal, action, resource);', 'did you mean "permit"?'],
    ['allow(principal, action, resource);', 'did you mean `permit`?'],
    ['deny(principal, action, resource);', 'did you mean `forbid`?'],
    ['permit(the service, action, resource);', 'the caller is called `principal`'],
    ['permit(service, action, resource);', 'the caller is called `principal`'],
    ['permit(user, action, resource);', 'the caller is called `principal`'],
    ['permit(pricipal, action, resource);', 'did you mean "principal"?'],
    ['permit(principal, method, resource);', 'the operation is called `action`'],
    ['permit principal;', 'a scope is `(principal, action, resource)`'],
    ['permit(principal, action, resource) where { true };', 'did you mean `when`?'],
    ['permit(principal, action, resource) whn { true };', 'did you mean "when"?'],
    ['permit(principal, action, resource)', 'put `;` at the end of the policy'],
    ['permit(principal, action, resource) forbid(principal, action, resource);', 'put `;` at the end of the policy'],
    ['# note\npermit(principal, action, resource);', 'a comment begins with `//`'],
    ['/* note */ permit(principal, action, resource);', 'a comment begins with `//`'],
  ])('%s', (text, suggestion) => {
    expect(policyProblems(text)[0]).toContain(`(${suggestion}`);
  });

  it.each([
    ['the service.id == "a"', 'the caller is called `principal`'],
    ['pricipal.id == "a"', 'did you mean "principal"?'],
    ['principal.id = "a"', 'did you mean `==`?'],
    ['principal.id === "a"', 'did you mean `==`?'],
    ['principal.id !== "a"', 'did you mean `!=`?'],
    ['1 => 2', 'did you mean `>=`?'],
    ['1 =< 2', 'did you mean `<=`?'],
    ['1 <> 2', 'did you mean `!=`?'],
    ["principal.id == 'a'", 'use double quotes: "text"'],
    ['principal.id == “a”', 'use straight double quotes: "text"'],
    ['principal.id == "a', 'close the string with `"`'],
    ['true and false', 'did you mean `&&`?'],
    ['true OR false', 'did you mean `||`?'],
    ['true & false', 'did you mean `&&`?'],
    ['true | false', 'did you mean `||`?'],
    ['not true', 'did you mean `!`?'],
    ['True', 'did you mean "true"?'],
    ['action == Action::GET', 'entities have quotes: did you mean `Action::"GET"`?'],
    ['resource.path like /a', 'there is no division'],
    ['resource.path.endsWith({base_url})', 'a record is written `{name: value}`; placeholders are not replaced'],
    ['resource.path.endWith("a")', 'did you mean "endsWith"?'],
    ['context.roles.has("a")', 'a'],
    ['decimals("1.0")', 'did you mean "decimal"?'],
    ['isIpv4(context.ip)', 'write `value.isIpv4(..)`'],
    ['1 < 1.5', 'a number with a fraction is written `decimal("1.5")`'],
    ['4 % 2', 'there is no remainder'],
    ['principal."a"', 'write `["name"]` without the dot'],
    ['principal is "User"', 'write the type without quotes'],
    ['context?.a', 'write `if .. then .. else ..`; `has` tests whether an attribute exists'],
    ['admin == principal', 'put quotes around a string: "admin"'],
    ['1 == 2 == 3', 'put the first one in parentheses'],
  ])('%s', (text, suggestion) => {
    expect(expressionProblems(text, 'extended')[0]).toContain(suggestion);
  });

  it('are escaped and short', () => {
    expect(expressionProblems('\u202e')[0]).toContain('found `\\u{202e}`');
    expect(expressionProblems('\0')[0]).toContain('found `\\u{0}`');
    const [problem = ''] = expressionProblems('a'.repeat(100_000));
    expect(problem.length).toBeLessThan(300);
  });
});
