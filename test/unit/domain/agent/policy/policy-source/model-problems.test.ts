import { describe, expect, it } from 'vitest';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import { loadPolicies } from '../../../../../../src/domain/agent/policy/policy-source/load-policies.js';
import { modelProblems } from '../../../../../../src/domain/agent/policy/policy-source/model-problems.js';
import type { PolicyLink } from '../../../../../../src/domain/agent/policy/policy-source/policy-source.js';
import { formatProblem } from '../../../../../../src/domain/configuration/configuration-problem.js';

const found = (text: string, links: readonly PolicyLink[] = [], strict = false, rolesPossible = true) => {
  const loaded = loadPolicies([{ name: 'main.cedar', text }], links, 'extended', policyLimits);
  if (!loaded.ok) throw new Error(loaded.error.map(formatProblem).join('\n'));
  return modelProblems(loaded.value, { strict, rolesPossible });
};
const link = (some: Partial<PolicyLink> = {}): PolicyLink => ({
  id: 'a',
  template: 't',
  principal: 'Role::"reader"',
  resource: null,
  position: { file: 'gateway.kdl', line: 7, column: 3 },
  line: '  template-link "a" {',
  ...some,
});
const template = '@id("t")\npermit(principal in ?principal, action, resource) when { resource.pth == "" };';

describe('a questionable policy', () => {
  it('is not reported if it fits the gateway', () => {
    expect(found('permit(principal, action, resource) when { resource.path like "/a/*" };')).toEqual([]);
  });

  it('is reported as a configuration problem', () => {
    const text = 'permit(\n  principal,\n  action == Action::"get",\n  resource\n);';
    expect(found(text).map(formatProblem)).toEqual([
      [
        'main.cedar:3:3: warning: there is no action Action::"get"',
        '    action == Action::"get",',
        '    ^',
        '  did you mean Action::"GET"?',
      ].join('\n'),
    ]);
  });

  it('is an error in strict mode', () => {
    const text = 'permit(principal == Admin::"x", action, resource);';
    expect(found(text, [], true).map(({ severity }) => severity)).toEqual(['error']);
  });

  it('is reported in source order', () => {
    const text = `${template}\npermit(principal == Admin::"x", action, resource);`;
    expect(found(text, [link()]).map(({ position }) => position?.line)).toEqual([2, 3]);
  });

  it('is reported once for a template with several links', () => {
    expect(found(template, [link(), link({ id: 'b' })]).map(({ position }) => position?.file)).toEqual(['main.cedar']);
  });

  it('is reported at the link if the link causes it', () => {
    const [, ofLink, ...more] = found(template, [link({ principal: 'Group::"reader"' })]);
    expect(more).toEqual([]);
    expect(ofLink).toMatchObject({
      severity: 'warning',
      message: 'template-link "a": there are no entities of type Group',
      position: { file: 'gateway.kdl', line: 7, column: 3 },
      line: '  template-link "a" {',
    });
  });

  it('can be an empty source, an error in strict mode', () => {
    const [problem, ...more] = found('// none yet\n');
    expect(more).toEqual([]);
    expect(problem && formatProblem(problem)).toBe(
      'main.cedar:1:1: warning: it contains no policy\n  // none yet\n  ^',
    );
    expect(found('', [], true)).toMatchObject([{ severity: 'error', message: 'it contains no policy' }]);
    expect(found('permit(principal == ?principal, action, resource);')).toHaveLength(1);
  });

  it('can use roles that no principal has, reported at the template and the link', () => {
    const roles = 'the policy uses roles, but no principal can have one';
    const banned = '@id("t")\nforbid(principal in ?principal, action, resource);';
    expect(found(banned, [link()])).toEqual([]);
    expect(found(banned, [link()], false, false)).toMatchObject([
      { severity: 'warning', message: `template-link "a": ${roles}`, position: { file: 'gateway.kdl', line: 7 } },
    ]);
    const both = banned.replace(';', ' unless { context.roles.contains("x") };');
    expect(found(both, [link()], true, false)).toMatchObject([
      { severity: 'error', message: roles, position: { file: 'main.cedar', line: 1, column: 1 } },
    ]);
  });

  it('can be an unlinked template, always a warning', () => {
    const text = 'permit(principal == ?principal, action, resource);';
    for (const strict of [false, true]) {
      expect(found(text, [], strict)).toMatchObject([
        { severity: 'warning', message: 'the template "policy0" never applies: no template-link makes a policy of it' },
      ]);
    }
  });
});
