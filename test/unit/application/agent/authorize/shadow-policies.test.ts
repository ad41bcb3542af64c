import { afterEach, describe, expect, it } from 'vitest';
import { shadowLineMs } from '../../../../../src/application/agent/authorize/authorize-request.js';
import { apiKey, authorizedAgent, bearer } from '../../../../support/agent/authorized-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const withShadow = (policies: string, shadow: string, more = {}) => {
  const folder = temporaryFolder();
  folders.push(folder);
  return authorizedAgent({
    'policy-inline': policies,
    'shadow-policy-file': folder.write('next.cedar', shadow),
    ...more,
  });
};
const everything = '@id("all") permit(principal, action, resource);';
const message = 'the shadow policies decide differently';

describe('shadow policies', () => {
  it('are never enforced; a difference is counted and logged', async () => {
    const { outcome, counted, logger } = await withShadow(
      everything,
      `${everything} @id("no-put") forbid(principal, action == Action::"PUT", resource);`,
    );
    expect(await outcome({ headers: apiKey })).toBe('allow');
    expect(counted('authz_shadow_differences_total')).toEqual({});
    expect(await outcome({ headers: apiKey, method: 'PUT', correlationId: 'call-2' })).toBe('allow');
    expect(counted('authz_shadow_differences_total')).toEqual({ 'allow,deny': 1 });
    expect(counted('authz_decisions_total')).toEqual({ allow: 2 });
    expect(logger.lines.filter((line) => line.message === message)).toEqual([
      {
        level: 'warn',
        message,
        fields: {
          enforced: 'allow',
          enforced_because: 'policies',
          enforced_policies: ['all'],
          shadow: 'deny',
          shadow_because: 'policies',
          shadow_policies: ['no-put'],
          principal: 'User::"reports"',
          action: 'PUT',
          resource: '/orders',
          trace_id: 'call-2',
          correlation_id: 'call-2',
          route: 'api',
          untold: 0,
        },
      },
    ]);
  });

  it('do not permit a request that the enforced policies deny', async () => {
    const { outcome, counted } = await withShadow('permit(principal == User::"x", action, resource);', everything);
    expect(await outcome({ headers: apiKey })).toBe('403 default_deny');
    expect(counted('authz_shadow_differences_total')).toEqual({ 'deny,allow': 1 });
  });

  it('log one line per kind of difference and period, with a count', async () => {
    const { outcome, counted, logger, clock } = await withShadow(
      `${everything} forbid(principal, action == Action::"PUT", resource);`,
      'permit(principal, action == Action::"PUT", resource);',
    );
    const lines = () =>
      logger.lines
        .filter((line) => line.message === message)
        .map(({ fields }) => `${fields['shadow']} ${fields['untold']}`);
    for (let count = 0; count < 5; count += 1) {
      await outcome({ headers: apiKey });
      await outcome({ headers: apiKey, method: 'PUT' });
    }
    expect(lines()).toEqual(['deny 0', 'allow 0']);
    clock.advance(shadowLineMs);
    await outcome({ headers: apiKey });
    expect(lines()).toEqual(['deny 0', 'allow 0', 'deny 4']);
    expect(counted('authz_shadow_differences_total')).toEqual({ 'allow,deny': 6, 'deny,allow': 5 });
  });

  it('use the same default-decision and on-error, and their errors alone change nothing', async () => {
    const failing = `${everything} forbid(principal, action, resource) when { context.claims.suspended };`;
    const deny = await withShadow(everything, failing);
    expect(await deny.outcome({ headers: apiKey })).toBe('allow');
    expect(deny.counted('authz_shadow_differences_total')).toEqual({ 'allow,deny': 1 });
    expect(deny.decisions()[0]).not.toHaveProperty('errors');
    const skip = await withShadow(everything, failing, { 'on-error': 'skip' });
    expect(await skip.outcome({ headers: apiKey })).toBe('allow');
    expect(skip.counted('authz_shadow_differences_total')).toEqual({});
    const open = await withShadow(
      'permit(principal, action, resource);',
      'permit(principal == User::"x", action, resource);',
      {
        'default-decision': 'allow',
      },
    );
    expect(await open.outcome({ headers: bearer({ sub: 'tom' }) })).toBe('allow');
    expect(open.counted('authz_shadow_differences_total')).toEqual({});
  });

  it('log principal, action and path, without claims or query', async () => {
    const { outcome, logger } = await withShadow(everything, 'forbid(principal, action, resource);');
    await outcome({ headers: bearer({ sub: 'tom', email: 'tom@private.example' }), uri: '/orders?token=hidden' });
    const line = JSON.stringify(logger.lines.filter((one) => one.message === message));
    expect(JSON.parse(line)).toMatchObject([
      { fields: { principal: 'User::"tom"', action: 'GET', resource: '/orders' } },
    ]);
    for (const text of ['private', 'hidden', 'token']) expect(line).not.toContain(text);
  });

  it('bound the request texts in a line', async () => {
    const { outcome, logger } = await withShadow(everything, 'forbid(principal, action, resource);');
    await outcome({ headers: apiKey, method: 'M'.repeat(5_000), uri: `/${'a'.repeat(5_000)}` });
    const fields = logger.lines.find((one) => one.message === message)?.fields;
    expect(fields).toMatchObject({ action: `${'M'.repeat(1_024)}...`, resource: `/${'a'.repeat(1_023)}...` });
  });
});
