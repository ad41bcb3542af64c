import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../support/shared/free-port.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const running: RunningProcess[] = [];
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess => {
  const agent = runAgent(args, env);
  running.push(agent);
  return agent;
};

afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.stop()));
});
afterAll(() => folder.remove());

const connects = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** `place`: the path of the socket, or members of the agent block. */
const gatewayFile = (
  name: string,
  config: string,
  place: string,
  reached = place.startsWith('/') ? `socket "${place}"` : place,
): string =>
  folder.write(
    name,
    `listeners {
  listener "http" { address "127.0.0.1:8080" }
}
routes {
  route "api" {
    matches { path-prefix "/" }
    upstream "back"
    agents "auth"
  }
}
upstreams {
  upstream "back" { target "127.0.0.1:9" }
}
agents {
  agent "auth" {
    ${reached}
    events "request_headers"
    config {
      ${config}
    }
  }
}
`,
  );

describe('gateway-auth', () => {
  it('shows help and version', async () => {
    const help = start(['--help']);
    expect((await help.exited).code).toBe(0);
    expect(help.output()).toContain('Examples:');
    const version = start(['--version']);
    expect((await version.exited).code).toBe(0);
    expect(version.output()).toMatch(/^gateway-auth \d+\.\d+\.\d+/);
  });

  it('exits with 2 on wrong usage, and repeats no value', async () => {
    const wrong = start(['--jwt-secrt=hunter2']);
    expect((await wrong.exited).code).toBe(2);
    expect(wrong.output()).toContain('--jwt-secrt');
    expect(wrong.output()).not.toContain('hunter2');
  });

  it('reports every option error at once, and exits with 1', async () => {
    const agent = start(['--jwt-algorithm', 'HS512', '--grpc-address', '0.0.0.0'], {
      JWT_SECRET: 'hunter2',
      FAIL_OPEN: 'perhaps',
    });
    expect((await agent.exited).code).toBe(1);
    const output = agent.output();
    for (const named of ['--jwt-algorithm', '--grpc-address', 'FAIL_OPEN']) expect(output).toContain(named);
    expect(output).not.toContain('hunter2');
  });

  it.each([
    [
      'a missing key file',
      ['--jwt-algorithm', 'RS256', '--jwt-public-key', '/no/such/key.pem'],
      /key\.pem.*does not exist/,
    ],
    ['a missing list', ['--api-keys', '@/no/such/list'], /list.*does not exist/],
    ['a socket in a folder that is not there', ['--socket', '/no/such/folder/a.sock'], /folder/],
  ])('exits with 1 and one line for %s', async (_, args, message) => {
    const agent = start(args, { RUST_LOG: 'off' });
    expect((await agent.exited).code).toBe(1);
    expect(agent.output().trim().split('\n')).toHaveLength(1);
    expect(agent.output()).toMatch(message);
  });

  it('takes options and socket from an agent block of the gateway; flags override them', async () => {
    const file = gatewayFile('gateway.kdl', 'api-keys "hunter2:name"', folder.file('d.sock'));
    await start(['--config', file, '--agent', 'auth']).wrote(/The agent listens/);
    expect(await connects(folder.file('d.sock'))).toBe(true);
    await start(['--config', file, '--socket', folder.file('e.sock')]).wrote(/The agent listens/);
    expect(await connects(folder.file('e.sock'))).toBe(true);
  });

  it('serves admin endpoints with the address and token of its block; flags override them', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const members = `socket "${folder.file('h.sock')}"; admin { address "${address}"; token "of-the-block" }`;
    const file = gatewayFile('admin.kdl', 'api-keys "hunter2:name"', members);
    const statusWith = async (token: string): Promise<number> =>
      (await fetch(`http://${address}/admin/sessions`, { headers: { Authorization: `Bearer ${token}` } })).status;

    const first = start(['--config', file]);
    await first.wrote(/the agent serves its admin endpoints/);
    expect([await statusWith('of-the-block'), await statusWith('of-a-flag')]).toEqual([200, 401]);
    first.signal('SIGTERM');
    expect(await first.exited).toMatchObject({ code: 0 });

    const second = start(['--config', file, '--admin-token', 'of-a-flag'], { AGENT_ADMIN_TOKEN: 'of-a-variable' });
    await second.wrote(/the agent serves its admin endpoints/);
    expect([await statusWith('of-a-flag'), await statusWith('of-the-block')]).toEqual([200, 401]);
    // Keys are read again; address and token stay.
    second.signal('SIGHUP');
    await second.wrote(/keys, CAs, lists and policies were reloaded/);
    expect(await statusWith('of-a-flag')).toBe(200);
    expect(second.output()).toContain('--admin-token');
    expect(second.output()).not.toMatch(/of-a-flag|of-a-variable|of-the-block/);

    const third = start(['--socket', folder.file('i.sock'), '--admin-address', address, '--admin-token', 'x']);
    expect((await third.exited).code).toBe(1);
    expect(third.output()).toContain(`cannot serve admin endpoints on ${address}`);
    expect(await connects(folder.file('i.sock'))).toBe(false);
  });

  it.each([
    ['an admin address without a token', ['--admin-address', '127.0.0.1:1'], 'admin-address: it needs admin-token'],
    ['an admin token without an address', ['--admin-token', 'hunter2'], 'admin-token: it has no effect'],
    ['an admin token of other characters', ['--admin-address', '127.0.0.1:1', '--admin-token', 'hunter2 ü'], 'letters'],
  ])('exits with 1 for %s', async (_, args, message) => {
    const agent = start(['--socket', folder.file('j.sock'), ...args]);
    expect((await agent.exited).code).toBe(1);
    expect(agent.output()).toContain(message);
    expect(agent.output()).not.toContain('hunter2');
  });

  it('checks a configuration without serving it', async () => {
    const good = gatewayFile('good.kdl', 'api-keys "hunter2:name"', folder.file('f.sock'));
    const test = start(['--config', good, '--agent', 'auth', '--test']);
    expect((await test.exited).code).toBe(0);
    expect(test.output()).toContain('Methods: api_key');
    expect(await connects(folder.file('f.sock'))).toBe(false);

    const bad = gatewayFile('bad.kdl', 'api-keys "hunter2"', folder.file('g.sock'));
    const failed = start(['--config', bad, '--agent', 'auth', '--validate']);
    expect((await failed.exited).code).toBe(1);
    expect(failed.output()).toContain('api-keys');
    expect(failed.output()).not.toContain('hunter2');

    const absent = start(['--config', good, '--agent', 'other', '--test']);
    expect((await absent.exited).code).toBe(1);
    expect(absent.output()).toContain('"auth"');
  });
});

describe('a running gateway-auth', () => {
  const socket = folder.file('a.sock');
  let list: string;
  let agent: RunningProcess;
  beforeAll(async () => {
    list = folder.write('keys', 'one:a\n');
    const args = ['--socket', socket, '--jwt-secret', 'hunter2-hunter2-hunter2-hunter2-hunter2'];
    agent = runAgent(args, { API_KEYS: `@${list}`, RUST_LOG: 'trace' });
    await agent.wrote(/The agent listens/);
  });
  afterAll(() => agent.stop());

  it('accepts connections on its socket', async () => {
    expect(await connects(socket)).toBe(true);
  });

  it('warns about secrets in arguments without showing them', () => {
    expect(agent.output()).toContain('visible to every user of this host');
    expect(agent.output()).toContain('--jwt-secret');
    expect(agent.output()).not.toContain('hunter2');
  });

  it('keeps its socket when a second agent starts', async () => {
    const second = start(['--socket', socket]);
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toContain('in use');
    expect(await connects(socket)).toBe(true);
  });

  it('reloads its lists on SIGHUP, and keeps the old ones if the new ones are invalid', async () => {
    agent.signal('SIGHUP');
    await agent.wrote(/were reloaded/);
    expect(agent.output()).not.toContain('the old ones stay');
    folder.write('keys', 'no colon\n');
    agent.signal('SIGHUP');
    await agent.wrote(/the old ones stay/);
    expect(agent.output().match(/were reloaded/g)).toHaveLength(1);
  });

  it('exits with 0 on SIGTERM and removes its socket', async () => {
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(await connects(socket)).toBe(false);
  });
});
