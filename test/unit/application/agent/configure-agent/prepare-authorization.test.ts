import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeySetSource } from '../../../../../src/application/ports/agent/key-set-source.js';
import { toConfigurationProblem } from '../../../../../src/domain/agent/configuration/option-report.js';
import { formatProblem } from '../../../../../src/domain/configuration/configuration-problem.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { apiKey, authorizedAgent, bearer } from '../../../../support/agent/authorized-agent.js';
import { testAgent } from '../../../../support/agent/test-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folders: TemporaryFolder[] = [];
const newFolder = () => {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const permitUser = (id: string) => `@id("${id}") permit(principal == User::"${id}", action, resource);\n`;
const everything = 'permit(principal, action, resource);';

/** What is wrong with an `authz` block, as it is shown. */
const refusals = async (authz: JsonObject): Promise<string[]> => {
  const { agent } = testAgent({ 'api-keys': 'key-1:reports', authz: { enabled: true, ...authz } });
  const started = await agent.start();
  return started.ok ? [] : started.error.map((problem) => formatProblem(toConfigurationProblem(problem)));
};
const warnings = async (authz: JsonObject): Promise<string[]> => {
  const { logger } = await authorizedAgent(authz);
  return logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
};

describe('policies', () => {
  it('from files, folders and inline texts form one set', async () => {
    const folder = newFolder();
    folder.write('b.cedar', permitUser('tom'));
    folder.write('a.cedar', `${permitUser('ann')}${permitUser('eva')}`);
    const file = newFolder().write('one.cedar', permitUser('reports'));
    const { outcome, logger } = await authorizedAgent({
      'policy-file': [file, folder.path],
      'policy-inline': ['forbid(principal, action == Action::"PUT", resource);', permitUser('max')],
    });
    for (const sub of ['tom', 'ann', 'eva', 'max']) expect(await outcome({ headers: bearer({ sub }) })).toBe('allow');
    expect(await outcome({ headers: apiKey })).toBe('allow');
    expect(await outcome({ headers: apiKey, method: 'PUT' })).toBe('403 denied_by_policy');
    expect(await outcome({ headers: bearer({ sub: 'zoe' }) })).toBe('403 default_deny');
    expect(logger.lines.find(({ message }) => message === 'configuration applied')?.fields).toMatchObject({
      policies: 6,
    });
  });

  it('without @id are named by position in audit and log', async () => {
    const folder = newFolder();
    folder.write('a.cedar', `${permitUser('x')}permit(principal == User::"tom", action, resource);`);
    folder.write('b.cedar', 'permit(principal == User::"tom", action, resource);');
    const { answer, decisions } = await authorizedAgent({ 'policy-file': folder.path });
    const { audit } = await answer({ headers: bearer({ sub: 'tom' }) });
    expect(audit.ruleIds).toEqual(['a.cedar/policy1', 'b.cedar/policy0']);
    expect(decisions()[0]?.['policies']).toEqual(audit.ruleIds);
  });

  it('from one file are numbered as in Cedar', async () => {
    const file = newFolder().write('a.cedar', `${permitUser('x')}${everything}`);
    const { answer } = await authorizedAgent({ 'policy-file': file });
    expect((await answer({ headers: apiKey })).audit.ruleIds).toEqual(['policy1']);
  });
});

describe('an invalid configuration', () => {
  it('is refused with every mistake in every policy, with file, position and line', async () => {
    const folder = newFolder();
    const first = folder.write('a.cedar', 'permit(principal, action, resource)\n  when { principal.id = "x" };\n');
    const second = folder.write('b.cedar', '\n\nallow(principal, action, resource);');
    const shown = (await refusals({ 'policy-file': folder.path, 'policy-inline': 'permit(' })).join('\n');
    expect(shown).toContain(`${first}:2:23: error: authz: `);
    expect(shown).toContain('\n    when { principal.id = "x" };\n                        ^');
    expect(shown).toContain(`${second}:3:1: error: authz: `);
    expect(shown).toContain('policy-inline:1:');
  });

  it.each([
    ['a file that is not there', (folder: TemporaryFolder) => folder.file('gone.cedar'), 'does not exist'],
    ['a folder without policies', (folder: TemporaryFolder) => folder.path, 'without *.cedar files'],
  ])('is refused with %s', async (_, path, reason) => {
    const folder = newFolder();
    for (const key of ['policy-file', 'shadow-policy-file']) {
      const shown = await refusals({ 'policy-inline': everything, [key]: path(folder) });
      expect(shown).toEqual([expect.stringMatching(`^error: authz: ${key}: `)]);
      expect(shown[0]).toContain(reason);
    }
  });

  it('is refused with a duplicate policy id across sources', async () => {
    const folder = newFolder();
    folder.write('a.cedar', permitUser('tom'));
    const inline = `\n${permitUser('tom')}`;
    const shown = (await refusals({ 'policy-file': folder.path, 'policy-inline': inline })).join('\n');
    expect(shown).toContain('tom');
    expect(shown).toContain('policy-inline:2:');
    expect(shown).toContain('a.cedar:1:1');
  });

  it('is refused with a file named twice, once through its folder', async () => {
    const folder = newFolder();
    const file = folder.write('a.cedar', everything);
    expect(await refusals({ 'policy-file': [file, folder.path] })).toEqual([
      `error: authz: policy-file: ${file} is given twice`,
    ]);
  });

  it('is refused with an invalid shadow policy', async () => {
    const file = newFolder().write('next.cedar', 'permit(principal);');
    const shown = await refusals({ 'policy-inline': everything, 'shadow-policy-file': file });
    expect(shown[0]).toContain(`${file}:1:`);
  });
});

describe('a policy with names that no request has', () => {
  const misspelt = 'permit(principal, action, resource) when { context.rolez.contains("a") };';

  it('causes a warning with its position', async () => {
    const found = await warnings({ 'policy-inline': `\n${misspelt}` });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^authz: policy-inline:2:\d+: .*rolez/);
  });

  it('causes an error under strict-policies', async () => {
    const authz = { 'policy-inline': `\n${misspelt}`, 'strict-policies': true };
    const shown = await refusals(authz);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(/^policy-inline:2:\d+: error: authz: .*rolez/);
    expect(shown[0]).toContain(misspelt);
    expect(await refusals({ ...authz, 'policy-inline': everything })).toEqual([]);
  });

  it('causes only a warning in shadow policies, for any strict-policies', async () => {
    const file = newFolder().write('next.cedar', misspelt);
    const authz = { 'policy-inline': everything, 'shadow-policy-file': file, 'strict-policies': true };
    expect(await refusals(authz)).toEqual([]);
    expect((await warnings(authz))[0]).toContain(`${file}:1:`);
  });
});

describe('a policy that uses roles', () => {
  const banned = `${everything}\nforbid(principal in Role::"banned", action, resource);`;
  const roles = 'policy-inline:2:1: the policy uses roles, but no principal can have one';

  it('causes a warning without roles-claim', async () => {
    expect(await warnings({ 'policy-inline': banned })).toEqual([`authz: ${roles}`]);
    expect(await warnings({ 'policy-inline': banned, 'roles-claim': 'roles' })).toEqual([]);
  });

  it('causes an error under strict-policies, also if no method provides claims', async () => {
    const strict = { 'policy-inline': banned, 'strict-policies': true };
    const shown = (await refusals({ ...strict, 'roles-claim': 'roles' })).join('\n');
    expect(shown).toMatch(/^policy-inline:2:1: error: authz: the policy uses roles/);
    expect(shown).toContain('set roles-claim');
    await expect(authorizedAgent(strict)).rejects.toThrow('the policy uses roles');
    expect(await (await authorizedAgent({ ...strict, 'roles-claim': 'roles' })).outcome({ headers: apiKey })).toBe(
      'allow',
    );
  });

  it.each([
    ['tokens come from a provider', 'oidc', {}],
    ['users sign on at a provider', 'oidc-login', { 'client-id': 'portal', 'public-url': 'https://portal.example' }],
  ] as const)('causes nothing if %s', async (_title, block, members) => {
    const provider = { name: 'p', issuer: 'https://id.example', 'jwks-url': 'https://id.example/keys', ...members };
    const config = (enabled: boolean) => ({
      'api-keys': 'key-1:reports',
      ...(block === 'oidc-login' && enabled && { sessions: { store: 'memory' } }),
      [block]: { ...provider, enabled },
      authz: { enabled: true, 'policy-inline': banned, 'roles-claim': 'roles' },
    });
    const keySetSource: KeySetSource = { fetch: async () => err({ code: 'unreachable', detail: 'it is away' }) };
    for (const enabled of [true, false]) {
      const { agent, logger } = testAgent(config(enabled), { keySetSource });
      expect(await agent.start()).toMatchObject({ ok: true });
      await agent.stop();
      const told = logger.lines.some(({ message }) => message.includes('the policy uses roles'));
      expect(told).toBe(!enabled);
    }
  });

  it('causes a warning in shadow policies', async () => {
    const file = newFolder().write('next.cedar', banned);
    const authz = { 'policy-inline': everything, 'shadow-policy-file': file, 'strict-policies': true };
    expect(await warnings(authz)).toEqual([
      `authz: ${file}:2:1: shadow policies: the policy uses roles, but no principal can have one`,
    ]);
  });
});

describe('a source without any policy', () => {
  it('causes a warning beside other sources, and an error under strict-policies', async () => {
    const file = newFolder().write('empty.cedar', '// nothing\n');
    const authz = { 'policy-file': file, 'policy-inline': [everything, ' '] };
    expect(await warnings(authz)).toEqual([
      `authz: ${file}:1:1: it contains no policy`,
      'authz: policy-inline-2:1:1: it contains no policy',
    ]);
    expect(await refusals({ ...authz, 'strict-policies': true })).toEqual([
      expect.stringContaining(`${file}:1:1: error: authz: it contains no policy`),
      expect.stringContaining('policy-inline-2:1:1: error: authz: it contains no policy'),
    ]);
  });

  const none = 'there are no policies, and default-decision is';

  it.each(['', '// nothing', '@id("team") permit(principal in ?principal, action, resource);'])(
    'refuses the configuration if all sources are empty, as without sources: %j',
    async (text) => {
      const authz = { 'policy-file': newFolder().write('a.cedar', text) };
      expect((await refusals(authz)).at(-1)).toBe(
        `error: authz: ${none} deny: every request would be denied\n  set policy-file or policy-inline`,
      );
      const open = { ...authz, 'default-decision': 'allow' };
      expect(await refusals(open)).toEqual([]);
      expect((await warnings(open)).at(-1)).toBe(`authz: ${none} allow: every request is allowed`);
    },
  );

  it('is reported once if no source is named at all', async () => {
    expect(await warnings({ 'default-decision': 'allow' })).toEqual([`authz: ${none} allow: every request is allowed`]);
  });

  it('keeps the previous policies if a file was emptied', async () => {
    const file = newFolder().write('a.cedar', permitUser('reports'));
    const { agent, outcome } = await authorizedAgent({ 'policy-file': file });
    writeFileSync(file, '');
    expect(await agent.reload()).toMatchObject({ ok: false, error: expect.stringContaining(`${none} deny`) });
    expect(await outcome({ headers: apiKey })).toBe('allow');
    expect(await outcome({ headers: bearer({ sub: 'tom' }) })).toBe('403 default_deny');
  });
});

describe('a template', () => {
  const template = '@id("team") permit(principal in ?principal, action, resource == ?resource);\n';
  const link = { name: 'orders', template: 'team', principal: 'Role::"a\\"b"', resource: 'Resource::"/orders"' };

  it('becomes a policy when linked, with the id of the link', async () => {
    const { answer, outcome } = await authorizedAgent({
      'policy-inline': template,
      'roles-claim': 'roles',
      'template-link': [link, { ...link, name: 'stock', resource: 'Resource::"/stock"' }],
    });
    const headers = bearer({ sub: 'tom', roles: ['a"b'] });
    expect((await answer({ headers, uri: '/orders' })).audit.ruleIds).toEqual(['orders']);
    expect((await answer({ headers, uri: '/stock' })).audit.ruleIds).toEqual(['stock']);
    expect(await outcome({ headers, uri: '/other' })).toBe('403 default_deny');
    expect(await outcome({ headers: bearer({ sub: 'tom', roles: ['a'] }), uri: '/orders' })).toBe('403 default_deny');
  });

  it('causes a warning and permits nothing if it is not linked', async () => {
    const { outcome, logger } = await authorizedAgent({ 'policy-inline': `${template}${permitUser('x')}` });
    expect(logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^authz: policy-inline:1:1: .*team/),
    ]);
    expect(await outcome({ headers: apiKey, uri: '/orders' })).toBe('403 default_deny');
  });

  it('causes only a warning under strict-policies if it is not linked', async () => {
    const authz = { 'policy-inline': `${template}${everything}`, 'strict-policies': true };
    expect(await refusals(authz)).toEqual([]);
  });

  it.each<[string, { name?: string; template?: string; principal?: string; resource?: null }]>([
    ['a template that is none', { template: 'other' }],
    ['no entity', { principal: 'a"b' }],
    ['an entity for a slot that is not filled', { resource: null }],
    ['an entity with more behind it', { principal: 'Role::"a" || true' }],
    ['the id of the template', { name: 'team' }],
  ])('cannot be linked with %s', async (_, change) => {
    const shown = await refusals({ 'policy-inline': template, 'template-link': { ...link, ...change } });
    expect(shown.join('\n')).toContain(`"${change.name ?? 'orders'}"`);
  });

  it('of shadow policies can be linked as well', async () => {
    const file = newFolder().write('next.cedar', template.replace('permit', 'forbid'));
    const without = newFolder().write('without.cedar', everything);
    const authz = { 'policy-inline': `${template}${everything}`, 'roles-claim': 'roles', 'template-link': link };
    const made = await authorizedAgent({ ...authz, 'shadow-policy-file': file });
    expect(await made.outcome({ headers: bearer({ sub: 'tom', roles: ['a"b'] }) })).toBe('allow');
    expect(made.counted('authz_shadow_differences_total')).toEqual({ 'allow,deny': 1 });
    expect(await refusals({ ...authz, 'shadow-policy-file': without })).toEqual([]);
  });
});

describe('a new configuration with invalid policies', () => {
  const giver = { proxyId: 'gateway', proxyVersion: '1', connection: Symbol('connection') };
  const config = (policies: string) => ({
    'api-keys': 'key-1:reports',
    authz: { enabled: true, 'policy-inline': policies },
  });

  it('is refused on Configure with the position of each mistake, and the old one stays', async () => {
    const { agent, ask, logger } = testAgent({});
    expect(await agent.configure(config(everything), giver, 'handshake')).toEqual({ ok: true, value: undefined });
    const broken = await agent.configure(config('permit(principal, action);'), giver, 'change');
    expect(broken).toMatchObject({ ok: false, error: expect.stringMatching(/^authz: policy-inline:1:\d+: /) });
    expect((await ask(apiKey)).decision.kind).toBe('allow');
    expect(logger.lines.filter(({ message }) => message === 'configuration applied')).toHaveLength(1);
    expect(await agent.configure(config(permitUser('tom')), giver, 'change')).toMatchObject({ ok: true });
    expect((await ask(apiKey)).decision).toMatchObject({ kind: 'block', status: 403 });
  });

  it('lists at most twenty mistakes, and their total number', async () => {
    const { agent } = testAgent({});
    const broken = await agent.configure(config('permit(principal, action);\n'.repeat(30)), giver, 'handshake');
    if (broken.ok) throw new Error('taken');
    expect(broken.error.split('; authz: ')).toHaveLength(20);
    expect(broken.error).toMatch(/; and \d+ more$/);
  });

  it('is refused on reload and the old policies stay; valid ones are read again', async () => {
    const file = newFolder().write('a.cedar', everything);
    const { agent, outcome } = await authorizedAgent({ 'policy-file': file });
    expect(await outcome({ headers: apiKey })).toBe('allow');

    writeFileSync(file, 'permit(principal, action, resource) when { 1 + };');
    const broken = await agent.reload();
    expect(broken).toMatchObject({ ok: false, error: expect.stringContaining(`${file}:1:`) });
    expect(await outcome({ headers: apiKey })).toBe('allow');

    writeFileSync(file, '@id("closed") forbid(principal, action, resource);');
    expect(await agent.reload()).toMatchObject({ ok: true });
    expect(await outcome({ headers: apiKey })).toBe('403 denied_by_policy');
  });

  it('applies to tokens that were cached earlier', async () => {
    const file = newFolder().write('a.cedar', 'permit(principal in Role::"editor", action, resource);');
    const { agent, outcome } = await authorizedAgent({ 'policy-file': file, 'roles-claim': 'roles' });
    const headers = bearer({ sub: 'tom', roles: ['editor'] });
    expect(await outcome({ headers })).toBe('allow');
    writeFileSync(file, 'permit(principal in Role::"admin", action, resource);');
    expect(await agent.reload()).toMatchObject({ ok: true });
    expect(await outcome({ headers })).toBe('403 default_deny');
  });
});
