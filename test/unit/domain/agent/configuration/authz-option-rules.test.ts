import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import {
  checkAgentOptions,
  decodeAgentOptions,
} from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import {
  optionProblemText,
  toConfigurationProblem,
} from '../../../../../src/domain/agent/configuration/option-report.js';
import type { AgentOptionProblem } from '../../../../../src/domain/configuration/agent-option-problem.js';
import { formatProblem } from '../../../../../src/domain/configuration/configuration-problem.js';
import { ProblemReport } from '../../../../../src/domain/configuration/schema/problem-report.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';

const authz = (json: JsonObject) => decodeAgentOptions({ authz: json }).options?.authz;
const refusals = (json: JsonObject) => decodeAgentOptions({ authz: json }).problems.map(({ message }) => message);
const complete = (json: JsonObject) =>
  completeAgentOptions({ authz: authz(json) as NonNullable<ReturnType<typeof authz>> }, new Map());
const problems = (json: JsonObject) =>
  complete(json).problems.map(({ severity, message }) => `${severity}: ${message}`);

/** What is reported of a block in KDL, with line and column. */
const reported = (text: string): string[] => {
  const report = new ProblemReport(({ line }) => text.split('\n')[line - 1] ?? null);
  checkAgentOptions(settingsOf(text), { report, path: ['config'], position: null });
  return report.problems.map(
    ({ severity, position, message }) => `${position?.line}:${position?.column} ${severity} ${message}`,
  );
};

describe('the authz block', () => {
  it('has a default for every key', () => {
    expect(authz({})).toEqual({
      enabled: false,
      policyFiles: [],
      inlinePolicies: [],
      defaultDecision: 'deny',
      onError: 'deny',
      principalClaim: 'sub',
      rolesClaim: null,
      strictPolicies: false,
      shadowPolicyFiles: [],
      templateLinks: [],
    });
  });

  it('parses every key', () => {
    expect(
      authz({
        enabled: true,
        'policy-file': ['a.cedar', '/etc/policies'],
        'policy-inline': 'permit(principal, action, resource);',
        'default-decision': 'allow',
        'on-error': 'skip',
        'principal-claim': 'client_id',
        'roles-claim': 'realm_access.roles',
        'strict-policies': true,
        'shadow-policy-file': 'next',
        'template-link': [
          { name: 'one', template: 't', principal: 'Role::"a"' },
          { name: 'two', template: 't', resource: 'Resource::"/"' },
        ],
      }),
    ).toEqual({
      enabled: true,
      policyFiles: ['a.cedar', '/etc/policies'],
      inlinePolicies: ['permit(principal, action, resource);'],
      defaultDecision: 'allow',
      onError: 'skip',
      principalClaim: 'client_id',
      rolesClaim: 'realm_access.roles',
      strictPolicies: true,
      shadowPolicyFiles: ['next'],
      templateLinks: [
        { id: 'one', template: 't', principal: 'Role::"a"', resource: null },
        { id: 'two', template: 't', principal: null, resource: 'Resource::"/"' },
      ],
    });
  });

  it('refuses unknown keys', () => {
    expect(refusals({ 'policy-files': 'a' })).toEqual(['config.authz: unknown key "policy-files" in authz']);
    expect(refusals({ 'default-decision': 'permit' })).toHaveLength(1);
    expect(refusals({ 'on-error': 'allow' })).toHaveLength(1);
    expect(refusals({ enabled: 'yes' })).toHaveLength(1);
    expect(refusals({ 'policy-inline': '' })).toHaveLength(1);
    for (const path of ['a..b', '.a', 'a.', '.', 'a...b']) {
      expect(refusals({ 'roles-claim': path })).toEqual([
        `config.authz.roles-claim: "roles-claim" must have a name on either side of each dot, not "${path}"`,
      ]);
    }
    expect(refusals({ 'roles-claim': '' })).toEqual(['config.authz.roles-claim: "roles-claim" must not be empty']);
    expect(refusals({ 'roles-claim': 'https://example.com/roles' })).toEqual([]);
    expect(refusals({ 'template-link': { name: 'x' } })).toEqual(['config.authz.template-link: "template" is missing']);
    expect(refusals({ 'template-link': 'x' })).toEqual(['config.authz: "template-link" needs a block']);
  });

  it('is null if absent or disabled, with a warning', () => {
    expect(completeAgentOptions({}, new Map()).options?.authz).toBeNull();
    expect(complete({ 'policy-file': 'a' }).options?.authz).toBeNull();
    expect(problems({ 'policy-file': 'a' })).toEqual([
      'warning: it is disabled: policies are ignored, and every authenticated request is allowed',
    ]);
  });

  it('needs a policy, unless the default is allow', () => {
    expect(problems({ enabled: true })).toEqual([
      'error: there are no policies, and default-decision is deny: every request would be denied',
    ]);
    // Shadow policies decide nothing.
    expect(complete({ enabled: true, 'shadow-policy-file': 'a' }).options).toBeNull();
    expect(problems({ enabled: true, 'default-decision': 'allow' })).toEqual([
      'warning: there are no policies, and default-decision is allow: every request is allowed',
    ]);
    expect(problems({ enabled: true, 'policy-inline': 'x' })).toEqual([]);
    expect(problems({ enabled: true, 'policy-file': 'x' })).toEqual([]);
  });

  it('refuses duplicate paths, duplicate links, and links without an entity', () => {
    expect(problems({ enabled: true, 'policy-file': ['a', 'b', 'a'] })).toEqual([
      'error: policy-file: a is listed twice',
    ]);
    expect(problems({ enabled: true, 'policy-file': 'a', 'shadow-policy-file': ['b', 'b'] })).toEqual([
      'error: shadow-policy-file: b is listed twice',
    ]);
    const link = { name: 'l', template: 't', principal: 'Role::"a"' };
    expect(problems({ enabled: true, 'policy-file': 'a', 'template-link': [link, link] })).toEqual([
      'error: template-link "l": an earlier one already has that id',
    ]);
    expect(problems({ enabled: true, 'policy-file': 'a', 'template-link': { name: 'l', template: 't' } })).toEqual([
      'error: template-link "l": neither principal nor resource is set',
    ]);
  });

  it('reports problems at their position', () => {
    expect(reported('authz {\n  enabled #true\n}')).toEqual([
      '1:1 error "authz": there are no policies, and default-decision is deny: every request would be denied',
    ]);
    expect(reported('authz {\n  policy-file "a"\n  enabled #false\n}')[0]).toMatch(
      /^3:11 warning "authz": it is disabled/,
    );
    expect(reported('authz {\n  enabled #true\n  policy-file "a" "a"\n}')[0]).toMatch(/^3:3 error/);
    const text = 'authz {\n  enabled #true\n  policy-file "a"\n  template-link "x" { template "t" }\n}';
    expect(reported(text)).toEqual(['4:3 error "authz": template-link "x": neither principal nor resource is set']);
  });
});

describe('inline policies', () => {
  it('are parsed with the block, and report mistakes at their key', () => {
    const text = (enabled: string) => `authz {\n  enabled ${enabled}\n  policy-inline "permit(principal);" "forbid"\n}`;
    expect(reported(text('#true'))).toEqual([
      expect.stringMatching(/^3:3 error "authz": policy-inline-1:1:\d+: ./),
      expect.stringMatching(/^3:3 error "authz": policy-inline-2:1:\d+: ./),
    ]);
    expect(reported(text('#false'))).toHaveLength(1);
    expect(reported('authz {\n  enabled #true\n  policy-inline "permit(principal, action, resource);"\n}')).toEqual([]);
  });

  it('are positioned at their key in messages', () => {
    const setting = settingsOf('authz {\n  enabled #true\n  policy-inline "permit("\n}')[0];
    const hidden = (setting?.children ?? []).map((child) =>
      child.name === 'policy-inline' ? { ...child, args: child.args.map((arg) => ({ ...arg, hidden: true })) } : child,
    );
    const report = new ProblemReport(() => null);
    if (setting === undefined) throw new Error('no block');
    checkAgentOptions([{ ...setting, children: hidden }], { report, path: ['config'], position: null });
    expect(report.problems.map(({ message }) => message)[0]).toBe(
      '"policy-inline" must be written literally, because messages and logs show it',
    );
    expect(JSON.stringify(report.problems)).not.toContain('permit(');
  });
});

describe('a problem in a file that an option names', () => {
  const problem: AgentOptionProblem = {
    severity: 'error',
    option: 'authz',
    message: 'expected ";"',
    suggestion: 'end the policy with ";"',
    source: { position: { file: 'a.cedar', line: 2, column: 3 }, line: 'a b' },
  };

  it('is shown with its line', () => {
    expect(formatProblem(toConfigurationProblem(problem)).split('\n')).toEqual([
      'a.cedar:2:3: error: authz: expected ";"',
      '  a b',
      '    ^',
      '  end the policy with ";"',
    ]);
  });

  it('is logged on one line with its position, without the source text', () => {
    expect(optionProblemText(problem)).toBe('authz: a.cedar:2:3: expected ";"');
    expect(optionProblemText({ ...problem, option: 'jwt-secret', source: undefined as never })).toBe(
      'jwt-secret: expected ";"',
    );
  });
});
