import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { runAgent } from '../../support/shared/running-gateway.js';

const start = (
  cleanUp: CleanUp,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProcess => {
  const agent = runAgent(args, env);
  cleanUp.add(() => agent.stop());
  return agent;
};

describe('the command line of the agent', () => {
  it('lists every option and variable in its help', async ({ cleanUp }) => {
    const help = start(cleanUp, ['--help']);
    expect((await help.exited).code).toBe(0);
    const options = ['socket', 'grpc-address', 'jwt-secret', 'jwt-public-key', 'jwt-algorithm', 'jwt-issuer'];
    const more = ['jwt-audience', 'api-keys', 'api-key-header', 'basic-auth-users', 'user-id-header'];
    for (const option of [
      ...options,
      ...more,
      'auth-method-header',
      'fail-open',
      'config',
      'agent',
      'test',
      'validate',
    ]) {
      expect(help.output()).toContain(`--${option}`);
    }
    for (const variable of ['AGENT_SOCKET', 'GRPC_ADDRESS', 'JWT_SECRET', 'API_KEYS', 'FAIL_OPEN', 'RUST_LOG']) {
      expect(help.output()).toContain(variable);
    }
  });

  it('writes its log by GATEWAY_LOG_FORMAT and RUST_LOG', async ({ cleanUp, folder }) => {
    const pretty = start(cleanUp, ['--socket', folder.file('a.sock')], { GATEWAY_LOG_FORMAT: 'pretty' });
    expect(await pretty.wrote(/The agent listens/)).not.toContain('{"level"');
    const json = start(cleanUp, ['--socket', folder.file('b.sock')]);
    const lines = (await json.wrote(/The agent listens/)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(expect.objectContaining({ level: 'info' }));
    const quiet = start(cleanUp, ['--socket', folder.file('c.sock')], { RUST_LOG: 'error' });
    const loud = start(cleanUp, ['--socket', folder.file('d.sock'), '--verbose']);
    await loud.wrote(/The agent listens/);
    quiet.signal('SIGTERM');
    await quiet.exited;
    expect(quiet.output()).toBe('');
  });
});

describe('the options of the agent', () => {
  it('come from flags, then from the environment, then from the block of the gateway', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      agentConfig: 'api-keys "block-key:block"; api-key-header "X-Block-Key"; user-id-header "X-Block-User"',
      startAgent: false,
    });
    const list = stack.folder.write('keys', 'variable-key:variable\n');
    start(cleanUp, ['--socket', stack.folder.file('agent.sock'), '--api-key-header', 'X-Flag-Key'], {
      API_KEYS: `@${list}`,
      API_KEY_HEADER: 'X-Variable-Key',
    });
    await stack.agentsPresent();
    const status = async (header: string, key: string) => (await stack.ask({ headers: { [header]: key } })).status;
    expect(await status('X-Flag-Key', 'variable-key')).toBe(200);
    expect(await status('X-Flag-Key', 'block-key')).toBe(401);
    expect(await status('X-Variable-Key', 'variable-key')).toBe(401);
    expect(await status('X-Block-Key', 'variable-key')).toBe(401);
    const [received] = stack.upstream.received;
    expect(JSON.stringify(received)).toContain('"X-Block-User","variable"');
  });
});

describe('two gateways on one agent', () => {
  it('both work with the same configuration', async ({ cleanUp }) => {
    const plan = { transport: 'socket', agentConfig: 'api-keys "shared-key:alice"' } as const;
    const first = await startStack(cleanUp, plan);
    const second = await startStack(cleanUp, { ...plan, startAgent: false, socket: first.folder.file('agent.sock') });
    await second.agentsPresent();
    for (const stack of [first, second]) {
      expect((await stack.ask({ headers: { 'X-API-Key': 'shared-key' } })).status).toBe(200);
    }
    // One that ends takes nothing from the other.
    await second.gateway.stop();
    expect((await first.ask({ headers: { 'X-API-Key': 'shared-key' } })).status).toBe(200);
  });
});
