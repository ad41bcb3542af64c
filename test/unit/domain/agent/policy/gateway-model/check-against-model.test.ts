import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkAgainstModel } from '../../../../../../src/domain/agent/policy/gateway-model/check-against-model.js';
import { httpMethods } from '../../../../../../src/domain/agent/policy/gateway-model/http-methods.js';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { modelFindings as check, whenFindings as when } from '../../../../../support/agent/model-findings.js';

describe('the check against the gateway model', () => {
  it.each([
    'permit(principal, action, resource);',
    'permit(principal, action == Action::"GET", resource);',
    'permit(principal, action in [Action::"GET", Action::"HEAD", Action::"M-SEARCH"], resource);',
    'permit(principal, action in Action::"GET", resource);',
    'permit(principal in Role::"reader", action, resource);',
    'permit(principal is User, action, resource is Resource);',
    'permit(principal is User in Role::"reader", action, resource);',
    'permit(principal == User::"alice@example.com", action, resource == Resource::"/reports/2024");',
    'permit(principal == Anonymous::"anonymous", action, resource == Resource::"/");',
    'permit(principal is Anonymous, action == Action::"OPTIONS", resource == Resource::"*");',
    'permit(principal == ?principal, action, resource in ?resource);',
    'permit(principal is User in ?principal, action, resource == ?resource);',
    'permit(principal, action, resource == Resource::"/users/%C3%A4nne/");',
    'permit(principal, action, resource in Resource::"/a");',
    '@id("readers") @anything("else") permit(principal, action, resource) when { true } unless { false };',
  ])('finds nothing in %s', (policy) => {
    expect(check(policy)).toEqual([]);
  });

  it.each([
    'context.roles.contains("admin")',
    'principal.roles.containsAny(["admin", "editor"])',
    'principal.roles.isEmpty()',
    'principal.roles == ["admin"]',
    'resource.path like "/api/*"',
    'resource.path.startsWith("/api/") && !resource.path.endsWith(".bak") && resource.path.contains("v2")',
    'resource.host == "api.example.com" || resource.query == ""',
    'resource.query.contains("debug=1")',
    'principal.id == "alice"',
    'principal.claims.email like "*@example.com"',
    'principal.claims has email && principal.claims.email_verified',
    'principal has claims.address.country && context.claims["address"].country == "CH"',
    'context.claims.org.units.contains("sales")',
    'context.claims.limits.max >= 3 && context.claims.limits.max + 1 < 10',
    'context has client_ip && context.client_ip.isInRange(ip("10.0.0.0/8"))',
    'ip(context.claims.address).isInRange(ip("10.0.0.0/8"))',
    'context.client_ip.isLoopback() || context.client_ip == ip("192.0.2.1")',
    'context.auth_method == "mtls" && context.method == "GET" && context.correlation_id != ""',
    '["GET", "HEAD"].contains(context.method)',
    '["a", principal.id].contains(resource.host)',
    'principal in Role::"admin" || principal in [Role::"editor", User::"alice"]',
    'principal in [Role::"admin", Anonymous::"anonymous"]',
    'action in [Action::"GET", Action::"HEAD"]',
    'action == Action::"GET" || action != Action::"PUT"',
    '[Action::"GET", Action::"HEAD"].contains(action)',
    'principal is User && resource is Resource && action is Action',
    'principal is User in Role::"admin"',
    'principal is User in [Role::"admin", Role::"editor"]',
    'if principal is User then principal.claims has org else context.roles.isEmpty()',
    '(if true then principal else User::"x").roles.contains("y")',
    'principal == User::"alice" && User::"alice" == principal',
    'User::"alice".claims.email == "a"',
    'principal == context.claims.owner',
    '{ a: principal.roles, "b c": { d: 1 } }.a.contains("x")',
    '{ a: { d: 1 } } has a.d',
    'resource.path == "/users/" || resource.path like "/users/*/private"',
    'datetime(context.claims.until) > datetime("2024-01-01") && decimal("1.0").lessThan(decimal("2.0"))',
    'context.claims has "__entity" && context.claims["https://example.com/roles"].contains("a")',
    '-context.claims.n * 2 < 4 && !(context.claims.b)',
    'context.claims.a == 1 || context.claims.a == "1" || context.claims.a == [1]',
    'context.claims.a && (if context.claims.b then context.claims.c else false)',
    'context.claims.a < context.claims.b && context.claims.until < datetime("2030-01-01")',
    '[1, "1", principal.id].contains(context.claims.a)',
    'context.claims.groups.containsAny(["admin"]) && ["a"].containsAll(context.claims.groups)',
    'principal.roles.containsAll(context.claims.groups) && principal.roles.containsAny([])',
    'principal.roles == [] || [] == ["admin"] || [].contains(1)',
    'resource.path.startsWith(context.claims.home) && context.claims.email.endsWith(principal.id)',
    'datetime(context.claims.at).offset(duration("1h")).toDate() == datetime("2026-01-01")',
    'datetime("2026-01-02").durationSince(datetime(context.claims.at)).toDays() + 1 < 7',
    'decimal(context.claims.limit).greaterThan(decimal("1.5")) && duration("1h") < duration("2h")',
    'resource.path like "*.json" || resource.path like "*/private/*" || resource.path like "*"',
    'resource.path like "/a/.*" || resource.path like "/a%*" || resource.path like "/a%C*" || resource.path == "*"',
    'resource.path like "/a/\\*" || resource.path == "/logs-*/_search" || resource.path == "/a;b=1/"',
    'resource.path like "*//*" || resource.path.contains("/../") || resource.path.contains("%2e")',
    'resource.path.startsWith("") || resource.path.endsWith("/") || resource.path.contains("-")',
    'resource.host like "*.example.com" || resource.host == "[2001:db8::1]" || resource.host like "[*:1]"',
    'resource.query like "a=*" || resource.query like "*?*" || resource.query.contains("?")',
    'context.method.startsWith("MK") || ["PUT", context.claims.method].contains(context.method)',
    '["mtls", "jwt", "oidc", "api_key", "basic", "none"].contains(context.auth_method)',
    'context.client_ip == ip("10.0.0.1/32") || context.client_ip != ip("::1")',
    '(if true then resource.path else resource.host) == "reports"',
    '(if true then 1 else "1") == true',
    '{ a: "x" } == { a: 1 } && context == {}',
    'principal in [] || (if true then [Role::"a"] else []).contains(Role::"b")',
    '-9223372036854775808 < 9223372036854775806 + 1',
  ])('finds nothing in when { %s }', (condition) => {
    expect(when(condition)).toEqual([]);
  });

  it.each([
    ['action == Action::"get"', 'there is no action Action::"get"', 'did you mean Action::"GET"?'],
    ['action in [Action::"GET", Action::"POTS"]', 'there is no action Action::"POTS"', 'did you mean Action::"POST"?'],
    ['action == Action::"read"', 'there is no action Action::"read"', 'did you mean Action::"GET"?'],
    [
      'action == Action::"approveTheInvoice"',
      'there is no action Action::"approveTheInvoice"',
      'actions are HTTP methods, such as Action::"GET"',
    ],
  ])('finds the action in the scope: %s', (scope, message, suggestion) => {
    expect(check(`permit(principal, ${scope}, resource);`)).toEqual([{ at: scope, message, suggestion }]);
  });

  it.each([
    [
      'principal == Admin::"x"',
      'there are no entities of type Admin',
      'the entity types are User, Anonymous, Role, Action and Resource',
    ],
    ['principal == Gateway::User::"x"', 'there are no entities of type Gateway::User', 'did you mean "User"?'],
    ['principal is Users', 'there are no entities of type Users', 'did you mean "User"?'],
    ['principal in role::"x"', 'there are no entities of type role', 'did you mean "Role"?'],
    ['principal is User in Group::"x"', 'there are no entities of type Group', expect.any(String)],
    ['principal == Anonymous::"guest"', 'type Anonymous has only one entity', 'did you mean Anonymous::"anonymous"?'],
    [
      'principal == Role::"admin"',
      'an entity of type User or Anonymous is never of type Role',
      'use "in" instead: it can be in Role',
    ],
    [
      'principal == Resource::"/x"',
      'an entity of type User or Anonymous is never of type Resource',
      'it is User or Anonymous',
    ],
    [
      'principal == Action::"GET"',
      'an entity of type User or Anonymous is never of type Action',
      'it is User or Anonymous',
    ],
    ['principal is Role', 'an entity of type User or Anonymous is never of type Role', expect.any(String)],
    [
      'principal in Resource::"/x"',
      'an entity of type User or Anonymous is never in one of type Resource',
      'it can be in User, Role or Anonymous',
    ],
    [
      'principal is Anonymous in Role::"x"',
      'an entity of type Anonymous is never in one of type Role',
      'it can be in Anonymous',
    ],
  ])('finds the principal in the scope: %s', (scope, message, suggestion) => {
    expect(check(`forbid(${scope}, action, resource);`)).toEqual([{ at: scope, message, suggestion }]);
  });

  it.each([
    ['resource == Resource::"users"', 'did you mean Resource::"/users"?'],
    ['resource == Resource::"/a//b/../c"', 'did you mean Resource::"/a/c"?'],
    ['resource in Resource::"/caf%c3%a9"', 'did you mean Resource::"/caf%C3%A9"?'],
    ['resource == Resource::"/search?q=1"', 'write it as a client sends it, such as Resource::"/reports/2024"'],
  ])('finds a path that no request has: %s', (scope, suggestion) => {
    const message = 'a resource is a normalised path without the query; this is not one';
    expect(check(`permit(principal, action, ${scope});`)).toEqual([{ at: scope, message, suggestion }]);
  });

  it.each([
    ['resource is User', 'an entity of type Resource is never of type User'],
    ['resource == User::"x"', 'an entity of type Resource is never of type User'],
    ['resource in Role::"x"', 'an entity of type Resource is never in one of type Role'],
  ])('finds the resource in the scope: %s', (scope, message) => {
    expect(check(`permit(principal, action, ${scope});`)).toEqual([expect.objectContaining({ at: scope, message })]);
  });

  const claimsHint = 'it has id, roles and claims; the claims of a token are in its claims';
  it.each([
    [
      'principal.role',
      'principal.role == ["x"]',
      'an entity of type User or Anonymous has no attribute "role"',
      'did you mean "roles"?',
    ],
    [
      'principal["Roles"]',
      'principal["Roles"].contains("x")',
      'an entity of type User or Anonymous has no attribute "Roles"',
      'did you mean "roles"?',
    ],
    [
      'principal.email',
      'true && principal.email == "x"',
      'an entity of type User or Anonymous has no attribute "email"',
      claimsHint,
    ],
    [
      'principal.path',
      'principal.path == "x"',
      'an entity of type User or Anonymous has no attribute "path"',
      'did you mean resource.path?',
    ],
    [
      'resource.pth',
      'resource.pth like "x"',
      'an entity of type Resource has no attribute "pth"',
      'did you mean "path"?',
    ],
    [
      'resource.owner',
      'resource.owner == principal',
      'an entity of type Resource has no attribute "owner"',
      'it has path, host and query',
    ],
    [
      'action.name',
      '!(action.name == "x")',
      'an entity of type Action has no attribute "name"',
      'it has no attributes',
    ],
    [
      'action.method',
      'action.method == "x"',
      'an entity of type Action has no attribute "method"',
      'did you mean context.method?',
    ],
    ['context.rolez', 'context.rolez.contains("x")', 'the context has no attribute "rolez"', 'did you mean "roles"?'],
    [
      'context.path',
      'if context.path == "x" then true else false',
      'the context has no attribute "path"',
      'did you mean resource.path?',
    ],
    ['context.ip', '[context.ip].contains(1)', 'the context has no attribute "ip"', expect.any(String)],
    ['Role::"x".name', 'Role::"x".name == 1', 'an entity of type Role has no attribute "name"', 'it has no attributes'],
    [
      'context.method.length',
      'context.method.length > 3',
      'a value of type string has no attribute "length"',
      'it has no attributes',
    ],
    [
      'principal.roles.admin',
      'principal.roles.admin',
      'a value of type set of strings has no attribute "admin"',
      'it has no attributes',
    ],
    ['1.a', '(1).a', 'a value of type long has no attribute "a"', 'it has no attributes'],
    [
      'principal has department',
      'principal has department',
      'an entity of type User or Anonymous has no attribute "department"',
      claimsHint,
    ],
    [
      'resource has paths',
      'resource has paths',
      'an entity of type Resource has no attribute "paths"',
      'did you mean "path"?',
    ],
    ['context has "rolez"', 'context has "rolez"', 'the context has no attribute "rolez"', 'did you mean "roles"?'],
    [
      'context has method.x',
      'context has method.x',
      'a value of type string has no attribute "x"',
      'it has no attributes',
    ],
    ['principal.id has x', 'principal.id has x', 'a value of type string has no attribute "x"', 'it has no attributes'],
    ['{ a: 1 }.b', '{ a: 1 }.b == 1', 'this record has no attribute "b"', expect.any(String)],
    [
      'principal.hasTag("x")',
      'principal.hasTag("x")',
      'entities have no tags',
      'the claims of a token are in principal.claims',
    ],
    [
      'resource.getTag("x")',
      'resource.getTag("x") == 1',
      'entities have no tags',
      'the claims of a token are in principal.claims',
    ],
    [
      '(if true then principal else resource).pats',
      '(if true then principal else resource).pats == 1',
      'an entity of type User, Anonymous or Resource has no attribute "pats"',
      'did you mean "path"?',
    ],
  ])('finds %s', (at, condition, message, suggestion) => {
    const found = when(condition);
    expect(found).toEqual([{ at: expect.any(String), message, suggestion }]);
    expect(found[0]?.at.replaceAll(/[()]/g, '')).toBe(at.replaceAll(/[()]/g, ''));
  });

  it.each([
    [
      'principal == Resource::"/x"',
      'principal == Resource::"/x"',
      'an entity of type User or Anonymous is never of type Resource',
    ],
    ['Role::"a" == principal', 'Role::"a" == principal', 'an entity of type User or Anonymous is never of type Role'],
    ['principal != resource', 'principal != resource', 'an entity of type User or Anonymous is never of type Resource'],
    ['action in Role::"x"', 'action in Role::"x"', 'an entity of type Action is never in one of type Role'],
    [
      'Resource::"/x"',
      'principal in [Role::"a", Resource::"/x"]',
      'an entity of type User or Anonymous is never in one of type Resource',
    ],
    ['Action::"put"', '[Action::"GET", Action::"put"].contains(action)', 'there is no action Action::"put"'],
    ['Admin::"x"', '{ a: [Admin::"x"] }.a.isEmpty()', 'there are no entities of type Admin'],
    ['principal is Admin', 'principal is Admin', 'there are no entities of type Admin'],
    ['principal is Resource', 'principal is Resource', 'an entity of type User or Anonymous is never of type Resource'],
    [
      'Resource::"/x"',
      'principal is User in Resource::"/x"',
      'an entity of type User is never in one of type Resource',
    ],
    [
      '"admin" in principal.roles',
      '"admin" in principal.roles',
      '"in" takes a value of type entity, not a value of type string',
    ],
    [
      'principal in principal.roles',
      'principal in principal.roles',
      'nothing is "in" a value of type set of strings, only in entities',
    ],
    [
      'context.method in ["GET"]',
      'context.method in ["GET"]',
      '"in" takes a value of type entity, not a value of type string',
    ],
    [
      'context.client_ip like "10.*"',
      'context.client_ip like "10.*"',
      '"like" takes a value of type string, not a value of type ipaddr',
    ],
    [
      'principal.roles like "a*"',
      'principal.roles like "a*"',
      '"like" takes a value of type string, not a value of type set of strings',
    ],
    [
      'principal.roles.startsWith("a")',
      'principal.roles.startsWith("a")',
      '"startsWith" takes a value of type string, not a value of type set of strings',
    ],
    [
      '"10.0.0.0/8"',
      'context.client_ip.isInRange("10.0.0.0/8")',
      '"isInRange" takes an argument of type ipaddr, not a value of type string',
    ],
    [
      'context.method.containsAll(["a"])',
      'context.method.containsAll(["a"])',
      '"containsAll" takes a value of type set, not a value of type string',
    ],
  ])('finds %s in %s', (at, condition, message) => {
    expect(when(condition)).toEqual([{ at, message, suggestion: expect.stringMatching(/./) }]);
  });

  it('finds deeply nested mistakes, once per position', () => {
    const found = when(
      'if !(1 + context.claims.a * -context.rolez > 2) then ["x"].contains(resource.pth) else ip("::1") == ip(principal.addr)',
    );
    expect(found.map(({ at }) => at)).toEqual(['context.rolez', 'resource.pth', 'principal.addr']);
  });

  it('names the policy, and checks every condition', () => {
    const parsed = parsePolicies(
      'permit(principal, action, resource); permit(principal, action, resource) when { true } unless { resource.pth == "" };',
      'extended',
    );
    const found = parsed.ok ? checkAgainstModel(parsed.value) : [];
    expect(found.map(({ policyId }) => policyId)).toEqual(['policy1']);
  });

  it("knows every method that Node's parser accepts", () => {
    expect(METHODS.filter((method) => !(httpMethods as readonly string[]).includes(method))).toEqual([]);
  });
});
