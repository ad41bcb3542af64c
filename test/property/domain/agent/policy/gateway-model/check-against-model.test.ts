import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgainstModel } from '../../../../../../src/domain/agent/policy/gateway-model/check-against-model.js';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';

/** The gateway's model, for Cedar's own validator; a schema has to say what claims there are. */
const schema = `
  type Claims = { email: String, level: Long, admin: Bool, groups: Set<String>, org: { unit: String } };
  entity Role;
  entity User, Anonymous in [Role] { id: String, roles: Set<String>, claims: Claims };
  entity Resource { path: String, host: String, query: String };
  action "GET", "HEAD", "POST", "PUT", "DELETE" appliesTo {
    principal: [User, Anonymous],
    resource: [Resource],
    context: {
      roles: Set<String>, claims: Claims, method: String, client_ip: ipaddr, auth_method: String, correlation_id: String,
    },
  };
`;

const any = <T>(...choices: readonly T[]) => fc.constantFrom(...choices);
const claims = any('principal.claims', 'context.claims', 'User::"x".claims');
/** Attributes that only some texts can be, and one of those. */
const known = any(
  ['resource.path', '"/a/b"'],
  ['resource["host"]', '"api.example.com"'],
  ['resource.query', '"a=1"'],
  ['context.method', '"GET"'],
  ['context.auth_method', '"jwt"'],
);
const grammar = fc.letrec<
  Record<'bool' | 'text' | 'free' | 'constant' | 'field' | 'texts' | 'long' | 'user' | 'address', string>
>((tie) => ({
  constant: any('"GET"', '"a"', '"/a"'),
  // What only some texts can be.
  field: any('resource.path', 'resource["host"]', 'resource.query', 'context.method', 'context.auth_method'),
  free: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    any('context.correlation_id', 'principal.id'),
    claims.map((of) => `${of}.email`),
    claims.map((of) => `${of}["org"].unit`),
    fc.tuple(tie('bool'), tie('text'), tie('free')).map(([a, b, c]) => `(if ${a} then ${b} else ${c})`),
    tie('free').map((text) => `{ a: ${text}, "b": 1 }.a`),
  ),
  text: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('free'), tie('field'), tie('constant')),
  texts: fc.oneof(
    { maxDepth: 3 },
    any('principal.roles', 'context.roles', '["a", "b"]'),
    claims.map((of) => `${of}.groups`),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `[${a}, ${b}]`),
  ),
  long: fc.oneof(
    { maxDepth: 3 },
    any('1', '7'),
    claims.map((of) => `${of}.level`),
    fc.tuple(tie('long'), any('+', '-', '*'), tie('long')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    tie('long').map((long) => `-(${long})`),
  ),
  address: fc.oneof(
    { maxDepth: 2 },
    any('context.client_ip', 'ip("10.0.0.0/8")'),
    fc.tuple(tie('bool'), tie('address')).map(([a, b]) => `(if ${a} then ${b} else context.client_ip)`),
  ),
  user: any('principal', 'User::"alice"'),
  bool: fc.oneof(
    { maxDepth: 4 },
    claims.map((of) => `${of}.admin`),
    fc.tuple(tie('free'), any('==', '!='), tie('text')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie('field'), any('==', '!='), tie('field')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(any('==', '!='), known).map(([o, [a, b]]) => `(${a} ${o} ${b})`),
    known.map(([a, b]) => `[${b}].contains(${a})`),
    fc.oneof(tie('free'), any('resource.path', 'resource.query')).map((text) => `(${text} like "/a*")`),
    fc.tuple(tie('long'), any('<', '>='), tie('long')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie('texts'), tie('free')).map(([a, b]) => `${a}.contains(${b})`),
    fc.tuple(tie('texts'), any('containsAll', 'containsAny'), tie('texts')).map(([a, m, b]) => `${a}.${m}(${b})`),
    tie('texts').map((texts) => `${texts}.isEmpty()`),
    fc.tuple(tie('address'), tie('address')).map(([a, b]) => `${a}.isInRange(${b})`),
    tie('address').map((address) => `${address}.isLoopback()`),
    fc.tuple(tie('user'), any('Role::"r"', '[Role::"r", Role::"s"]')).map(([a, b]) => `(${a} in ${b})`),
    any('(principal is User)', '(principal is User in Role::"r")', '(resource == Resource::"/a")'),
    any('(action == Action::"GET")', '(action in [Action::"PUT", Action::"POST"])', '(principal == User::"alice")'),
    any('(principal has claims)', '(principal has claims.org.unit)', '(context has method)', '(resource has path)'),
    fc.tuple(tie('bool'), any('&&', '||'), tie('bool')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    tie('bool').map((bool) => `!(${bool})`),
  ),
}));
const scope = fc
  .tuple(
    any('principal', 'principal is User', 'principal in Role::"r"', 'principal == User::"x"', 'principal is Anonymous'),
    any('action', 'action == Action::"GET"', 'action in [Action::"GET", Action::"PUT"]'),
    any('resource', 'resource is Resource', 'resource == Resource::"/a/b"'),
  )
  .map((parts) => parts.join(', '));
const policy = fc
  .tuple(any('permit', 'forbid'), scope, any('when', 'unless'), grammar.bool)
  .map(([effect, parts, kind, condition]) => `${effect}(${parts}) ${kind} { ${condition} };`);

const validatorErrors = (policies: string): readonly string[] => {
  const answer = cedar.validate({ schema, policies: { staticPolicies: policies } });
  if (answer.type === 'failure') return answer.errors.map(({ message }) => message);
  return answer.validationErrors.map(({ error }) => error.message);
};
const findings = (text: string) => {
  const parsed = parsePolicies(text, 'cedar');
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('; '));
  return checkAgainstModel(parsed.value).map(({ span }) => text.slice(span.start, span.end));
};

/** Names, and how they could be spelt wrongly. */
const misspellings: readonly (readonly [RegExp, string])[] = [
  [/\.path\b/g, '.pth'],
  [/\.roles\b/g, '.role'],
  [/\.method\b/g, '.metod'],
  [/\.client_ip\b/g, '.clientip'],
  [/\bcontext\.claims\b/g, 'context.claim'],
  [/\bAction::"GET"/g, 'Action::"get"'],
  [/\bRole::"r"/g, 'Group::"r"'],
  [/\bis User\b/g, 'is Admin'],
  [/\bis Resource\b/g, 'is User'],
];

describe('the check against the gateway model', () => {
  it('finds nothing in policies that use only existing names', () => {
    fc.assert(
      fc.property(policy, (text) => {
        expect(findings(text)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees on those policies with the Cedar validator', () => {
    fc.assert(
      fc.property(fc.array(policy, { minLength: 30, maxLength: 30 }), (policies) => {
        expect(validatorErrors(policies.join('\n'))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  it('finds every misspelt name at any position', () => {
    let found = 0;
    fc.assert(
      fc.property(policy, fc.constantFrom(...misspellings), (text, [name, wrong]) => {
        const places = [...text.matchAll(name)];
        const spoilt = text.replaceAll(name, wrong);
        if (places.length === 0) return;
        const spans = findings(spoilt);
        expect(spans.length).toBeGreaterThanOrEqual(places.length);
        expect(spans.every((span) => span.includes(wrong))).toBe(true);
        found += places.length;
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(50);
  });
});
