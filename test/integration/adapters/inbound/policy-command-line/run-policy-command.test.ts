import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePolicyArguments } from '../../../../../src/adapters/inbound/policy-command-line/parse-policy-arguments.js';
import { runPolicyCommand } from '../../../../../src/adapters/inbound/policy-command-line/run-policy-command.js';
import { KdlPolicyTestSource } from '../../../../../src/adapters/outbound/kdl-configuration/kdl-policy-test-source.js';
import { NodePolicyFiles } from '../../../../../src/adapters/outbound/node-text-files/node-policy-files.js';
import { agentBlocksOfFile } from '../../../../../src/bootstrap/shared/configuration-file.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write(
    'readers.cedar',
    `@id("readers-read")
permit (principal in Role::"reader", action == Action::"GET", resource)
when { resource.path like "/reports*" && context.claims.department == "finance" };
`,
  );
  folder.write(
    'guards.cedar',
    `@id("inside")
forbid (principal, action in [Action::"PUT", Action::"DELETE"], resource)
unless { context.client_ip.isInRange(ip("10.0.0.0/8")) };

@id("owner")
permit (principal == ?principal, action, resource);
`,
  );
  folder.write('typo.cedar', 'permit (principal, action, resource) when { resource.pth == "/" };\n');
  folder.write(
    'broken.cedar',
    'permit (prncipal, action, resource);\npermit (principal, action, resource) when { };\n',
  );
});
afterAll(() => folder.remove());

/** What the command writes and gives back, with the folder of the test left out of it. */
const run = async (...argv: readonly string[]) => {
  const command = parsePolicyArguments(argv);
  if (command.kind === 'usage' || command.kind === 'corpus') throw new Error(JSON.stringify(command));
  const output = await runPolicyCommand(command, {
    files: new NodePolicyFiles(),
    tests: new KdlPolicyTestSource({}),
    agentBlocks: agentBlocksOfFile,
  });
  const shown = (text: string) => text.replaceAll(`${folder.path}/`, '');
  return { stdout: shown(output.stdout), stderr: shown(output.stderr), exitCode: output.exitCode };
};

const testFile = (cases: string, head = 'policies "readers.cedar"') =>
  folder.write('cases.test.kdl', `${head}\n${cases}\n`);

const readerCase = (name: string, expectation: string, more = '') => `
case "${name}" {
    principal "alice" { roles "reader"; claims { department "finance" } }
    action "GET"
    resource "/reports/7"
    ${more}
    expect ${expectation}
}`;

describe('policy check', () => {
  it('counts valid policies', async () => {
    expect(await run('check', folder.file('readers.cedar'))).toEqual({
      stdout: '1 policy: nothing is wrong\n',
      stderr: '',
      exitCode: 0,
    });
  });

  it('reports every error with its position, and missing files', async () => {
    const { stdout, stderr, exitCode } = await run('check', folder.file('broken.cedar'), folder.file('none.cedar'));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('error: none.cedar cannot be read: it does not exist\n');
    expect(stderr).toContain(
      'broken.cedar:1:9: error: expected `principal`, found `prncipal`\n' +
        '  permit (prncipal, action, resource);\n          ^\n  did you mean "principal"?\n',
    );
    expect(stderr).toMatch(/broken\.cedar:2:\d+: error: /);
    expect(stderr).toMatch(/\n3 errors\n$/);
  });

  it('warns about attributes that no request has, an error with --strict', async () => {
    const lenient = await run('check', folder.file('typo.cedar'));
    expect(lenient.stderr).toMatch(
      /^typo\.cedar:1:45: warning: .*"pth"\n {2}permit .*\n +\^\n {2}did you mean "path"\?/,
    );
    expect(lenient).toMatchObject({ stdout: '1 policy: 1 warning\n', exitCode: 0 });
    const strict = await run('check', '--strict', folder.file('typo.cedar'));
    expect(strict.stderr).toMatch(/^typo\.cedar:1:45: error: /);
    expect(strict).toMatchObject({ stdout: '', exitCode: 1 });
  });

  it('warns about a file without policies, an error with --strict', async () => {
    const empty = folder.write('empty.cedar', '// none\n');
    expect(await run('check', empty)).toMatchObject({ stdout: '0 policies: 1 warning\n', exitCode: 0 });
    const strict = await run('check', '--strict', empty);
    expect(strict.stderr).toMatch(/^empty\.cedar:1:1: error: it contains no policy\n/);
    expect(strict.exitCode).toBe(1);
  });

  it('keeps a template without a link a warning with --strict, because a configuration can link it', async () => {
    const strict = await run('check', '--strict', folder.file('guards.cedar'));
    expect(strict.stderr).toMatch(/^guards\.cedar:5:1: warning: the template "owner" never applies/);
    expect(strict).toMatchObject({ stdout: '1 policy, 1 template: 1 warning\n', exitCode: 0 });
  });

  const agentWith = (transport: string, methods: string, authz: string) =>
    folder.write(
      'agent.kdl',
      `listeners { listener "http" { address "127.0.0.1:0" } }
upstreams { upstream "app" { target "127.0.0.1:1" } }
routes { route "all" { matches { path-prefix "/" }; upstream "app"; agents "auth" } }
agents { agent "auth" {
    ${transport}
    events "request_headers" "request_body_chunk"
    config {
        ${methods}
        authz { enabled #true; ${authz} }
    }
} }
`,
    );
  const embedded = 'transport "embedded"';
  const socket = 'socket "/tmp/auth.sock"';
  const keys = 'api-keys "key-1:reports"';
  const tokens = 'jwt-secret "0123456789abcdef0123456789abcdef"';

  const signOn = (enabled: boolean) =>
    `saml { enabled #${enabled}; entity-id "https://a.example/saml"; acs-url "https://a.example/saml/acs"; idp-metadata-url "https://i.example/metadata" }`;

  it('warns about roles that no agent can assign', async () => {
    const readers = `policy-file "${folder.file('readers.cedar')}"`;
    const claim = `${readers}; roles-claim "roles"`;
    const roles = /^readers\.cedar:1:1: warning: the policy uses roles, but no principal can have one$/m;
    const told = async (...written: Parameters<typeof agentWith>) =>
      roles.test((await run('check', '--config', agentWith(...written))).stderr);
    expect(await told(embedded, tokens, readers)).toBe(true);
    expect(await told(embedded, tokens, claim)).toBe(false);
    expect(await told(embedded, keys, claim)).toBe(true);
    expect(await told(embedded, signOn(true), claim)).toBe(false);
    expect(await told(embedded, signOn(true), readers)).toBe(true);
    expect(await told(embedded, `${keys}; ${signOn(false)}`, claim)).toBe(true);
    expect(await told(socket, keys, readers)).toBe(true);
    // Whoever starts that agent may give it a key for tokens.
    expect(await told(socket, keys, claim)).toBe(false);
    const strict = await run('check', '--strict', '--config', agentWith(embedded, tokens, readers));
    expect(strict.stderr).toMatch(/^readers\.cedar:1:1: error: the policy uses roles/m);
  });

  it('refuses an empty policy set, as the agent does', async () => {
    const empty = folder.write('empty.cedar', '// none\n');
    const denied = await run('check', '--config', agentWith(embedded, keys, `policy-file "${empty}"`));
    expect(denied.stderr).toContain('error: there are no policies, and default-decision is deny');
    expect(denied.exitCode).toBe(1);
    const open = agentWith(embedded, keys, `policy-file "${empty}"; default-decision "allow"`);
    const allowed = await run('check', '--strict', '--config', open);
    expect(allowed.stderr).toContain('warning: there are no policies, and default-decision is allow');
    expect((await run('check', '--config', open)).exitCode).toBe(0);
  });

  it('refuses a repeated file, and a folder without policies', async () => {
    const path = folder.file('readers.cedar');
    expect(await run('check', path, path)).toMatchObject({
      stderr: 'error: readers.cedar is given twice\n1 error\n',
      exitCode: 1,
    });
    const empty = temporaryFolder();
    try {
      expect((await run('check', empty.path)).stderr).toContain('is a folder without *.cedar files');
    } finally {
      empty.remove();
    }
  });

  it('checks the files of an authz block, with links and shadow policies', async () => {
    const config = folder.write(
      'gateway.kdl',
      `listeners { listener "http" { address "127.0.0.1:0" } }
upstreams { upstream "app" { target "127.0.0.1:1" } }
routes { route "all" { matches { path-prefix "/" }; upstream "app"; agents "auth" } }
agents { agent "auth" {
    socket "/tmp/auth.sock"
    events "request_headers" "request_body_chunk"
    config { authz {
        enabled #true
        policy-file "${folder.file('guards.cedar')}"
        shadow-policy-file "${folder.file('typo.cedar')}"
        template-link "alice" { template "owner"; principal "User::\\"alice\\"" }
    } }
} }
`,
    );
    const { stdout, stderr, exitCode } = await run('check', '--config', config);
    expect(stderr).toMatch(/^typo\.cedar:1:45: warning: shadow policies: /);
    expect({ stdout, exitCode }).toEqual({ stdout: '3 policies, 1 template: 1 warning\n', exitCode: 0 });
    const explained = await run(
      ...['explain', '--config', config, '--principal', 'alice', '--action', 'GET', '--resource', '/x'],
    );
    expect(explained.stdout).toContain('allow by "alice"\n');
    const roles = ['explain', '--config', config, '--principal', 'alice', '--role', 'a', '--action', 'GET'];
    expect((await run(...roles, '--resource', '/x')).stderr).toBe(
      'error: set roles-claim: without it no principal has roles\n',
    );
    expect((await run('check', '--config', config, '--agent', 'other')).stderr).toContain('there is no agent "other"');
  });
});

describe('policy test', () => {
  it('prints each case on a line, and the totals', async () => {
    const file = testFile(readerCase('a reader reads', '"allow" { policies "readers-read" }'));
    expect(await run('test', file)).toEqual({
      stdout: 'cases.test.kdl\n  ok      a reader reads\n1 case: 1 ok\n',
      stderr: '',
      exitCode: 0,
    });
    expect((await run('test', '--quiet', file)).stdout).toBe('1 case: 1 ok\n');
  });

  it('prints expectation, result and errors of a failed case', async () => {
    const file = testFile(
      `${readerCase('wrong', '"deny"')}${readerCase('none', '"deny" { policies #null }')}
case "from nowhere" {
    principal "alice"
    action "DELETE"
    resource "/reports"
    expect "deny" policies="readers-read"
}`,
      'policies "readers.cedar" "guards.cedar"\ntemplate-link "bobs" { template "owner"; principal "User::\\"bob\\"" }',
    );
    expect(await run('test', file)).toEqual({
      stdout: `cases.test.kdl
  FAILED  wrong (cases.test.kdl:4:1)
          expected: deny
          actual:   allow by "readers-read"
  FAILED  none (cases.test.kdl:11:1)
          expected: deny, and no policy decides
          actual:   allow by "readers-read"
  FAILED  from nowhere (cases.test.kdl:18:1)
          expected: deny by "readers-read"
          actual:   deny by "inside", which cannot be evaluated
          error in "inside": attribute_missing: this record has no attribute "client_ip"
3 cases: 0 ok, 3 FAILED
`,
      stderr: '',
      exitCode: 1,
    });
  });

  it('applies the rules of the file', async () => {
    const denied = `case "x" {
    principal "alice"
    action "DELETE"
    resource "/"
    expect "allow" { policies #null }
}`;
    const head = 'policies "guards.cedar"\non-error "skip"\ndefault-decision "allow"\n';
    const link = 'template-link "bobs" { template "owner"; principal "User::\\"bob\\"" }';
    expect(await run('test', testFile(denied, head + link))).toMatchObject({ stderr: '', exitCode: 0 });
  });

  it('decides for the anonymous principal, hosts, queries and addresses', async () => {
    folder.write(
      'all.cedar',
      `@id("all") permit (principal is Anonymous, action, resource)
when { resource.host == "a.example" && resource.query == "x=1" && context.client_ip == ip("192.0.2.1") };`,
    );
    const file = testFile(
      `case "all" {
    anonymous
    action "GET"
    resource "/" host="A.example:80" query="x=1"
    context client-ip="192.0.2.1" correlation-id="c"
    expect "allow"
}`,
      'policies "all.cedar"',
    );
    expect(await run('test', file)).toMatchObject({ stderr: '', exitCode: 0 });
  });

  it('supports SAML, with roles in an attribute', async () => {
    folder.write(
      'staff.cedar',
      '@id("staff") permit (principal in Role::"staff", action, resource) when { context.auth_method == "saml" };\n',
    );
    const file = testFile(
      'case "a" { principal "ann" { claims { groups "staff" }; auth-method "saml" }; action "GET"; resource "/"; expect "allow" { policies "staff" } }',
      'policies "staff.cedar"\nroles-claim "groups"',
    );
    expect(await run('test', file)).toMatchObject({ exitCode: 0, stderr: '' });
    const asked = ['explain', '--policies', folder.file('staff.cedar'), '--auth-method', 'saml', '--principal', 'ann'];
    const explained = await run(...asked, '--role', 'staff', '--action', 'GET', '--resource', '/');
    expect(explained.stdout).toMatch(/^allow/m);
  });

  it('reads claims in JSON, and roles from roles-claim', async () => {
    folder.write(
      'groups.cedar',
      `@id("g") permit (principal in Role::"staff", action, resource) when { context.claims.groups.contains("a") };`,
    );
    const file = testFile(
      `case "groups" {
    principal "alice" { roles "staff"; claims #"{"groups": ["a"]}"# }
    action "GET"
    resource "/"
    expect "allow"
}
case "a token without the claim" {
    principal { claims { groups "a" "b" } }
    action "GET"
    resource "/"
    expect "deny"
}`,
      'policies "groups.cedar"\nroles-claim "realm_access.roles"\nprincipal-claim "email"',
    );
    expect(await run('test', file)).toMatchObject({ stderr: '', exitCode: 0 });
  });

  it.each([
    ['', 'policies "readers.cedar"', '1:1: error: there is no case'],
    [readerCase('a', '"allow"'), '', '1:1: error: "policies" is missing'],
    [readerCase('a', '"allow"'), 'policies #null', '"policies" names no file'],
    [readerCase('a', '"allow"'), 'policy "x"', 'error: unknown key "policy"'],
    [readerCase('a', '"alow"'), undefined, 'did you mean "allow"?'],
    [readerCase('a', '"allow"', 'contxt { }'), undefined, 'did you mean "context"?'],
    [readerCase('a', '"allow"', 'anonymous'), undefined, '"principal" and "anonymous" exclude each other'],
    [readerCase('a', '"allow"') + readerCase('a', '"deny"'), undefined, 'duplicate case "a"'],
    [readerCase('a', '"allow" { policies "readers-rad" }'), undefined, 'did you mean "readers-read"?'],
    ['case "a" { action "GET"; resource "/"; expect "deny" }', undefined, '"principal" is missing'],
    ['case "a" { anonymous; resource "/"; expect "deny" }', undefined, '"action" is missing'],
    ['case "a" { anonymous; action "GET"; expect "deny" }', undefined, '"resource" is missing'],
    ['case "a" { anonymous; action "GET"; resource "/" }', undefined, '"expect" is missing'],
    ['case "a" { anonymous; action "get"; resource "/"; expect "deny" }', undefined, 'did you mean "GET"?'],
    [
      'case "a" { anonymous; action "FOO"; resource "/"; expect "deny" }',
      undefined,
      'cases.test.kdl:2:30: error: "action" must be an HTTP method that the gateway accepts, not "FOO"',
    ],
    ['case "a" { anonymous; action "DELTE"; resource "/"; expect "deny" }', undefined, 'did you mean "DELETE"?'],
    [
      'case "a" { anonymous; action "GET"; resource "/" { host "A b" }; expect "deny" }',
      undefined,
      'cases.test.kdl:2:57: error: "host" must be a host that the gateway accepts, not "A b"',
    ],
    [readerCase('a', '"allow"'), 'policies "readers.cedar"\nroles-claim "a..b"', 'cases.test.kdl:2:13: error: '],
    ['case "a" { anonymous; action "GET"; resource "/a?b"; expect "deny" }', undefined, 'give "b" as the query'],
    ['case "a" { anonymous; action "GET"; resource "/a/./b"; expect "deny" }', undefined, 'write "/a/b"'],
    [
      'case "a" { principal "b" { roles "r"; auth-method "basic" }; action "GET"; resource "/"; expect "deny" }',
      undefined,
      'basic has no roles',
    ],
    [
      'case "a" { principal "b" { claims { sub "c" } }; action "GET"; resource "/"; expect "deny" }',
      undefined,
      'the claim "sub" also gives the id',
    ],
    [
      'case "a" { principal "b" { claims "{" }; action "GET"; resource "/"; expect "deny" }',
      undefined,
      '"claims" must be a block, or a string that is a JSON object',
    ],
    [readerCase('a', '"allow"'), 'policies "broken.cedar"', 'broken.cedar:1:9: error: '],
    [readerCase('a', '"allow"'), 'policies "none.cedar"', 'none.cedar cannot be read: it does not exist'],
    [
      readerCase('a', '"allow"'),
      'policies "readers.cedar"\ntemplate-link "x" { template "y"; principal "z" }',
      'cases.test.kdl:2:1: error: template-link "x": there is no template "y"',
    ],
    ['case "a" {', undefined, 'cases.test.kdl:2:10: error: '],
  ])('refuses the cases %j under %j', async (cases, head, message) => {
    const { stdout, stderr, exitCode } = await run('test', testFile(cases, head));
    expect(stderr).toContain(message);
    expect(stdout).toBe(
      'cases.test.kdl\n  FAILED  it has errors: no case was run\n0 cases: 0 ok, 1 file with errors\n',
    );
    expect(exitCode).toBe(1);
  });

  it('runs the other files if one is missing', async () => {
    const file = testFile(readerCase('a reader reads', '"allow"'));
    const { stdout, stderr, exitCode } = await run('test', folder.file('none.kdl'), file);
    expect(stderr).toBe('error: none.kdl cannot be read: there is no such file\n');
    expect(stdout).toBe(
      'none.kdl\n  FAILED  it has errors: no case was run\ncases.test.kdl\n  ok      a reader reads\n' +
        '1 case: 1 ok, 1 file with errors\n',
    );
    expect(exitCode).toBe(1);
  });
});

describe('policy explain', () => {
  const question = () => ['--policies', folder.file('readers.cedar'), '--action', 'GET', '--resource', '/reports'];

  it('prints the deciding part of the policy, with values', async () => {
    expect(
      await run('explain', ...question(), '--principal', 'alice', '--role', 'reader', '--claim', 'department=sales'),
    ).toEqual({
      stdout: `User::"alice" Action::"GET" Resource::"/reports"
deny by default: no policy decides

readers.cedar:1:1: permit "readers-read": does not apply: a condition is not fulfilled
  3:8     when resource.path like "/reports*" && context.claims.department == "finance"  is false
    3:42    context.claims.department == "finance"  is false: "sales" == "finance"
`,
      stderr: '',
      exitCode: 0,
    });
    expect((await run('explain', ...question(), '--anonymous')).stdout).toContain(
      `readers.cedar:1:1: permit "readers-read": does not apply: another principal
  2:9     principal in Role::"reader"  is false: Anonymous::"anonymous" in Role::"reader"
`,
    );
    expect((await run('explain', ...question(), '--principal', 'alice', '--role', 'reader')).stdout).toContain(
      `readers.cedar:1:1: permit "readers-read": error: attribute_missing: this record has no attribute "department"
  3:42    in when: context.claims.department  fails: {sub: "alice", roles: ["reader"]}.department
`,
    );
  });

  it('prints the same as JSON', async () => {
    const { stdout } = await run('explain', ...question(), '--principal', 'alice', '--role', 'reader', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'deny',
      because: 'default',
      policies: [],
      errors: [{ policy: 'readers-read', code: 'attribute_missing' }],
      request: { principal: 'User::"alice"', action: 'Action::"GET"', resource: 'Resource::"/reports"' },
      explanations: [
        {
          policy: 'readers-read',
          effect: 'permit',
          line: 1,
          column: 1,
          outcome: 'error',
          error: { code: 'attribute_missing' },
          condition: { kind: 'when', line: 3, column: 42, source: 'context.claims.department', because: [] },
        },
      ],
    });
  });

  it('reports an identity that policies cannot express', async () => {
    const { stdout, exitCode } = await run('explain', ...question(), '--claim', 'level=3');
    expect(stdout).toBe('deny: principal_missing: the identity has no claim that names the principal\n');
    expect(exitCode).toBe(0);
    const json = await run('explain', ...question(), '--claim', 'level=3', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      decision: 'deny',
      because: 'principal_missing',
      policies: [],
      errors: [],
      explanations: [],
    });
  });

  it('explains a case of a test file, selected by name', async () => {
    const file = testFile(readerCase('first', '"allow"'));
    expect((await run('explain', '--test-file', file)).stdout).toContain('permit "readers-read": satisfied\n');
    testFile(readerCase('first', '"allow"') + readerCase('second', '"allow"'));
    expect((await run('explain', '--test-file', file, '--case', 'second')).exitCode).toBe(0);
    expect(await run('explain', '--test-file', file, '--case', 'secnd')).toEqual({
      stdout: '',
      stderr: 'error: there is no case "secnd"\n  did you mean "second"?\n',
      exitCode: 1,
    });
    expect((await run('explain', '--test-file', file)).stderr).toContain('there are several cases');
  });

  it('prints values without control characters', async () => {
    const path = folder.write(
      'escape.cedar',
      'permit (principal, action, resource) when { context.method == "\u001b[2J" };',
    );
    const { stdout } = await run(
      ...['explain', '--policies', path, '--principal', '\u001b[31m', '--action', 'GET', '--resource', '/'],
    );
    expect(stdout).not.toMatch(/[\u001b]/);
    expect(stdout).toContain('User::"\\u{1b}[31m"');
  });
});
