import { afterAll, describe, expect, it } from 'vitest';
import { checkAgent } from '../../../../src/bootstrap/agent/run-agent.js';
import { agentContainer } from '../../../../src/bootstrap/agent/start-agent.js';
import { checkGateway } from '../../../../src/bootstrap/gateway/check-gateway.js';
import { toConfigurationProblem } from '../../../../src/domain/agent/configuration/option-report.js';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { optionsOf } from '../../../support/agent/test-agent.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const misspelt = 'permit(principal, action, resource)\n  when { resource.pth == "/" };';

/** A gateway with an embedded agent that has this `authz` block. */
const gateway = (authz: string): string =>
  folder.write(
    'gateway.kdl',
    `listeners { listener "main" { address "127.0.0.1:0" } }
routes { route "all" { matches { path-prefix "/" }; upstream "echo"; agents "auth" } }
upstreams { upstream "echo" { target "127.0.0.1:1" } }
agents { agent "auth" { transport "embedded"; config {
api-keys "key-1:reports"
authz {
${authz}
} } } }`,
  );

const checked = async (authz: string, thorough: boolean) => {
  const { problems, summary } = await checkGateway(gateway(authz), thorough);
  return { summary, problems: problems.map(formatProblem) };
};

describe('a check of a gateway', () => {
  it('finds errors in inline policies without reading a file', async () => {
    const { summary, problems } = await checked('enabled #true\npolicy-inline "permit(principal);"', false);
    expect(summary).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/gateway\.kdl:8:32: error: "authz": policy-inline: /);
  });

  it('reports errors in inline policies with their position', async () => {
    const text = ['permit (principal, action, resource)', '  when { resource.path.startWith("/a") };'];
    const inline = `policy-inline #"""\n  ${text.join('\n  ')}\n  """#`;
    const { problems } = await checked(`enabled #true\n${inline}`, false);
    expect(problems[0]).toMatch(/gateway\.kdl:10:26: error: "authz": policy-inline: there is no method `startWith`\n/);
    expect(problems[0]).toContain(`\n    ${text[1]}\n`);
  });

  it('in thorough mode reports doubtful inline policies with their position', async () => {
    const one = 'policy-inline #"permit (principal, action, resource) when { resource.pth == "/" };"#';
    const two = `policy-inline "permit (principal, action, resource);" ${one.slice(14)}`;
    expect((await checked(`enabled #true\n${one}`, true)).problems[0]).toContain('gateway.kdl:8:61: ');
    expect((await checked(`enabled #true\n${two}`, true)).problems[0]).toContain('gateway.kdl:8:101: ');
  });

  it('in thorough mode reads policies of embedded agents, and reports doubtful ones', async () => {
    const file = folder.write('a.cedar', misspelt);
    const authz = `enabled #true\npolicy-file "${file}"`;
    expect(await checked(authz, false)).toMatchObject({ problems: [], summary: expect.any(String) });
    const doubtful = await checked(authz, true);
    expect(doubtful.summary).not.toBeNull();
    expect(doubtful.problems[0]).toContain(`${file}:2:`);
    expect(doubtful.problems[0]).toMatch(/: warning: agent "auth": authz: /);
    expect(doubtful.problems[0]).toContain('\n    when { resource.pth == "/" };\n');
    const strict = await checked(`${authz}\nstrict-policies #true`, true);
    expect(strict.summary).toBeNull();
    expect(strict.problems[0]).toMatch(/: error: agent "auth": authz: /);
  });

  it('in thorough mode finds a missing policy file', async () => {
    const { summary, problems } = await checked(`enabled #true\npolicy-file "${folder.file('gone')}"`, true);
    expect(summary).toBeNull();
    expect(problems).toEqual([
      `error: agent "auth": authz: policy-file: ${folder.file('gone')} cannot be read: it does not exist`,
    ]);
  });
});

describe('a warning about options of an embedded agent', () => {
  it.each([
    ['enabled #false', /^.*gateway\.kdl:7:\d+: warning: "authz": it is disabled/],
    ['enabled #true; default-decision "allow"', /^.*gateway\.kdl:7:\d+: warning: "authz": there are no policies/],
  ])('is reported once with its position: %s', async (authz, told) => {
    const { summary, problems } = await checked(authz, true);
    expect(summary).not.toBeNull();
    expect(problems).toEqual([expect.stringMatching(told)]);
    expect((await checked(authz, false)).problems).toEqual(problems);
  });

  it('is reported for roles that no agent can assign, also from policy files', async () => {
    const file = folder.write('roles.cedar', 'permit(principal in Role::"reader", action, resource);');
    const { problems } = await checked(`enabled #true\npolicy-file "${file}"\nroles-claim "roles"`, true);
    expect(problems).toEqual([
      expect.stringMatching(
        /roles\.cedar:1:1: warning: agent "auth": authz: the policy uses roles, but no principal can have one/,
      ),
    ]);
  });
});

describe('a check of an agent', () => {
  const check = async (authz: Record<string, string | boolean>) => {
    const overrides = optionsOf({ 'api-keys': 'key-1:reports', authz: { enabled: true, ...authz } });
    const { problems, summary } = await checkAgent(agentContainer(new RecordingLogger()), { overrides, block: {} });
    return { summary, problems: problems.map((problem) => formatProblem(toConfigurationProblem(problem))) };
  };

  it('reads the policies, and reports their number', async () => {
    const { summary, problems } = await check({ 'policy-inline': 'permit(principal, action, resource);' });
    expect(problems).toEqual([]);
    expect(summary).toBe('The configuration is fine. Methods: api_key.\nPolicies: 1.');
  });

  it('reports doubtful policies with the line', async () => {
    const { summary, problems } = await check({ 'policy-inline': misspelt });
    expect(summary).toContain('Policies: 1.');
    expect(problems[0]).toMatch(/^policy-inline:2:\d+: warning: authz: /);
    expect(problems[0]).toContain('\n    when { resource.pth == "/" };\n');
  });
});
