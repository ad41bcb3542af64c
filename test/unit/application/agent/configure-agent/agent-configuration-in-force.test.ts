import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigurationGiver } from '../../../../../src/application/ports/agent/agent-service.js';
import { startedTestAgent, type TestAgent } from '../../../../support/agent/test-agent.js';

const giver = (proxyId: string): ConfigurationGiver => ({ proxyId, proxyVersion: '1', connection: Symbol(proxyId) });
const first = giver('gateway-1');
const second = giver('gateway-2');
const accepted = { ok: true, value: undefined };
const passes = async ({ ask }: TestAgent, key: string) => (await ask(['x-api-key', key])).decision.kind === 'allow';

describe('a configuration from a gateway', () => {
  it('takes effect as a whole', async () => {
    const made = await startedTestAgent({});
    expect(await made.agent.configure({ 'api-keys': ['one:a', 'two:b'] }, first, 'change')).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(true);
    expect(await passes(made, 'two')).toBe(true);
  });

  it('leaves the old one active if any part is invalid', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first, 'change');
    for (const config of [
      { 'api-keys': ['two:b'], 'jwt-secret': 'short' },
      { 'api-keys': ['two:b'], 'no-such-option': true },
      { 'api-keys': ['two:b'], 'jwt-public-key': '/no/such/file', 'jwt-algorithm': 'ES256' },
      { 'api-keys': ['two:b'], oidc: { enabled: true } },
      { 'api-keys': ['two:b'], 'grpc-address': '127.0.0.1:1' },
      { 'api-keys': ['two:b', '@/no/such/list'] },
    ]) {
      const taken = await made.agent.configure(config, first, 'change');
      expect(taken.ok).toBe(false);
      expect(await passes(made, 'one')).toBe(true);
      expect(await passes(made, 'two')).toBe(false);
    }
  });

  it('is refused with a reason that contains no secret', async () => {
    const made = await startedTestAgent({});
    const refused = await made.agent.configure(
      { 'jwt-secret': 'hunter2', 'api-keys': ['no-colon-hunter2'], 'basic-auth-users': ['hunter2'] },
      first,
      'change',
    );
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('jwt-secret') });
    expect(JSON.stringify([refused, made.logger.lines])).not.toContain('hunter2');
  });

  it('changes nothing if a handshake repeats it, from any gateway and in any spelling', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'], 'fail-open': false }, first, 'change');
    const lines = made.logger.lines.length;
    expect(await made.agent.configure({ 'fail-open': false, 'api-keys': ['one:a'] }, second, 'handshake')).toEqual(
      accepted,
    );
    expect(made.logger.lines).toHaveLength(lines);
  });

  describe('and that equals the active one', () => {
    const readings = ({ logger }: TestAgent) =>
      logger.lines.filter(({ message }) => message === 'configuration applied').length;

    const withKeyFile = async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'keys');
      writeFileSync(file, 'one:a\n');
      const made = await startedTestAgent({});
      const config = { 'api-keys': [`@${file}`] };
      expect(await made.agent.configure(config, first, 'change', 'v1')).toEqual(accepted);
      return { made, config, write: (text: string) => writeFileSync(file, text) };
    };

    it('rereads the files that it names', async () => {
      const { made, config, write } = await withKeyFile();
      write('two:b\n');
      expect(await made.agent.configure(config, first, 'change', 'v2')).toEqual(accepted);
      expect(await passes(made, 'two')).toBe(true);
      expect(await passes(made, 'one')).toBe(false);
    });

    it('keeps the old file contents if one is now invalid, and accepts the same change after a repair', async () => {
      const { made, config, write } = await withKeyFile();
      write('no-user\n');
      expect(await made.agent.configure(config, first, 'change', 'v2')).toMatchObject({ ok: false });
      expect(await passes(made, 'one')).toBe(true);
      write('two:b\n');
      expect(await made.agent.configure(config, first, 'change', 'v2')).toEqual(accepted);
      expect(await passes(made, 'two')).toBe(true);
    });

    it('reads the files once per change for any number of connections', async () => {
      const { made, config } = await withKeyFile();
      const before = readings(made);
      const brought = Array.from({ length: 8 }, () => made.agent.configure(config, first, 'change', 'v2'));
      expect(await Promise.all(brought)).toEqual(brought.map(() => accepted));
      expect(readings(made)).toBe(before + 1);
    });

    it('reads the files every time for a gateway that names no change', async () => {
      const { made, config } = await withKeyFile();
      const before = readings(made);
      await made.agent.configure(config, first, 'change');
      await made.agent.configure(config, first, 'change', null);
      expect(readings(made)).toBe(before + 2);
    });

    it('rereads the startup files for a gateway without a block', async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'keys');
      writeFileSync(file, 'one:a\n');
      const made = await startedTestAgent({ 'api-keys': [`@${file}`] });
      writeFileSync(file, 'two:b\n');
      expect(await made.agent.configure(null, first, 'change', 'v1')).toEqual(accepted);
      expect(await passes(made, 'two')).toBe(true);
      expect(await passes(made, 'one')).toBe(false);
    });
  });

  it('is replaced only by the gateway that provided it', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first, 'change');
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, second, 'change')).toMatchObject({
      ok: false,
    });
    expect(await passes(made, 'two')).toBe(false);
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, first, 'change')).toEqual(accepted);
    expect(await passes(made, 'two')).toBe(true);
    expect(await passes(made, 'one')).toBe(false);
  });

  it('is refused to a second gateway if both arrive at the same time', async () => {
    const made = await startedTestAgent({});
    const taken = await Promise.all([
      made.agent.configure({ 'api-keys': ['one:a'] }, first, 'change'),
      made.agent.configure({ 'api-keys': ['two:b'] }, second, 'change'),
      made.agent.configure({ 'api-keys': ['one:a'] }, first, 'change'),
    ]);
    expect(taken.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it('has lower priority than the startup configuration', async () => {
    const made = await startedTestAgent({ 'api-keys': ['flag:f'] });
    expect(await made.agent.configure({ 'api-keys': ['block:b'], 'api-key-header': 'X-Key' }, first, 'change')).toEqual(
      accepted,
    );
    expect((await made.ask(['x-key', 'flag'])).decision.kind).toBe('allow');
    expect((await made.ask(['x-key', 'block'])).decision.kind).toBe('block');
  });

  it('can be absent: the startup configuration then stays', async () => {
    const made = await startedTestAgent({ 'api-keys': ['flag:f'] });
    expect(await made.agent.configure(null, first, 'change')).toEqual(accepted);
    expect(await passes(made, 'flag')).toBe(true);
  });

  it('is dropped when its gateway, and no other, no longer has one', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first, 'change');
    expect(await made.agent.configure(null, second, 'change')).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(true);
    expect(await made.agent.configure(null, first, 'change')).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(false);
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, second, 'change')).toEqual(accepted);
  });

  it('cannot move the serving socket', async () => {
    const made = await startedTestAgent({});
    const refused = await made.agent.configure(
      { socket: '/tmp/elsewhere.sock', 'api-keys': ['one:a'] },
      first,
      'change',
    );
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('socket') });
    expect(await made.agent.configure({ socket: '/tmp/gateway-auth.sock' }, first, 'change')).toEqual(accepted);
  });

  it.each([
    ['sockets', 'node', 'auto'],
    ['grpc-address', '127.0.0.1:1', 'not given'],
    ['grpc-tls-cert-file', '/c.pem', 'not given'],
    ['grpc-tls-key-file', '/k.pem', 'not given'],
    ['grpc-client-ca-file', '/ca.pem', 'not given'],
    ['grpc-insecure', true, 'false'],
    ['metrics-address', '127.0.0.1:1', 'not given'],
    ['admin-address', 'unix:/run/admin.sock', 'not given'],
    ['admin-token', 'a-token', 'not given'],
    ['health-interval-secs', 9, '5'],
  ])('cannot change the serving option %s', async (option, value, served) => {
    const made = await startedTestAgent({});
    expect(await made.agent.configure({ [option]: value, 'api-keys': ['one:a'] }, first, 'change')).toEqual({
      ok: false,
      error: `${option}: it takes effect only at start, where it was ${served}`,
    });
    expect(await passes(made, 'one')).toBe(false);
  });

  it('can repeat or omit the serving options', async () => {
    const block = {
      'grpc-address': '127.0.0.1:50051',
      'grpc-tls-cert-file': '/c.pem',
      'grpc-tls-key-file': '/k.pem',
      'metrics-address': '127.0.0.1:9100',
    };
    const made = await startedTestAgent({}, { block });
    for (const said of [{}, block, { 'grpc-tls-key-file': '/k.pem' }, { 'metrics-address': '127.0.0.1:9100' }]) {
      const config = { ...said, 'api-keys': [`${Object.keys(said).length}:a`] };
      expect(await made.agent.configure(config, first, 'change')).toEqual(accepted);
    }
    const other = { ...block, 'grpc-address': '127.0.0.1:50052' };
    expect(await made.agent.configure(other, first, 'change')).toEqual({
      ok: false,
      error: 'grpc-address: it takes effect only at start, where it was 127.0.0.1:50051',
    });
  });

  it('repeats no admin token when it refuses another one', async () => {
    const block = { 'admin-address': '127.0.0.1:9101', 'admin-token': 'first-token' };
    const made = await startedTestAgent({}, { block });
    expect(await made.agent.configure({ ...block, 'api-keys': ['one:a'] }, first, 'change')).toEqual(accepted);
    expect(await made.agent.configure({ ...block, 'admin-token': 'second-token' }, first, 'change')).toEqual({
      ok: false,
      error: 'admin-token: it takes effect only at start, where it was another one',
    });
  });

  it('can differ from flags in serving options, because flags win over every block', async () => {
    const made = await startedTestAgent({ 'grpc-address': '127.0.0.1:50051' });
    expect(await made.agent.configure({ 'grpc-address': '127.0.0.1:1' }, first, 'change')).toEqual(accepted);
  });

  it('is refused with unlimited nesting', async () => {
    let nested: { a?: object } = {};
    for (let depth = 0; depth < 50_000; depth += 1) nested = { a: nested };
    const made = await startedTestAgent({});
    expect(await made.agent.configure({ nested: nested as never }, first, 'change')).toMatchObject({
      ok: false,
    });
  });
});

describe('gateways that connect and disconnect', () => {
  const a = { 'api-keys': ['one:a'] };
  const b = { 'api-keys': ['two:b'] };

  it('cannot restore a replaced configuration by a late handshake', async () => {
    const made = await startedTestAgent({});
    const [old, late] = [giver('gateway'), giver('gateway')];
    await made.agent.configure(a, old, 'handshake');
    // The new configuration is handed over on one connection while another one still greets with the old.
    const taken = await Promise.all([
      made.agent.configure(b, old, 'change'),
      made.agent.configure(a, late, 'handshake'),
    ]);
    expect(taken.map(({ ok }) => ok)).toEqual([true, false]);
    expect([await passes(made, 'one'), await passes(made, 'two')]).toEqual([false, true]);
    made.agent.disconnected(late.connection);
    expect(await made.agent.configure(b, giver('gateway'), 'handshake')).toEqual(accepted);
  });

  it('cannot restore a withdrawn block, or its absence, by a late handshake', async () => {
    const made = await startedTestAgent({});
    const standing = giver('gateway');
    await made.agent.configure(a, standing, 'handshake');
    await made.agent.configure(null, standing, 'change');
    expect((await made.agent.configure(a, giver('gateway'), 'handshake')).ok).toBe(false);
    expect(await passes(made, 'one')).toBe(false);
    await made.agent.configure(b, standing, 'change');
    expect((await made.agent.configure(null, giver('gateway'), 'handshake')).ok).toBe(false);
    expect(await passes(made, 'two')).toBe(true);
  });

  it('can provide a new configuration by a handshake while old connections stand', async () => {
    const made = await startedTestAgent({});
    const [old, next] = [giver('gateway'), giver('gateway')];
    await made.agent.configure(a, old, 'handshake');
    expect(await made.agent.configure(b, next, 'handshake')).toEqual(accepted);
    expect((await made.agent.configure(a, giver('gateway'), 'handshake')).ok).toBe(false);
    expect([await passes(made, 'one'), await passes(made, 'two')]).toEqual([false, true]);
  });

  it('can return to an older configuration by request or by a restart', async () => {
    const made = await startedTestAgent({});
    const standing = giver('gateway');
    await made.agent.configure(a, standing, 'handshake');
    await made.agent.configure(b, standing, 'change');
    expect(await made.agent.configure(a, standing, 'change')).toEqual(accepted);
    expect(await made.agent.configure(a, giver('gateway'), 'handshake')).toEqual(accepted);
    const other = await startedTestAgent({});
    const first = giver('gateway');
    await other.agent.configure(a, first, 'handshake');
    await other.agent.configure(b, first, 'change');
    other.agent.disconnected(first.connection);
    expect(await other.agent.configure(a, giver('gateway'), 'handshake')).toEqual(accepted);
  });

  it('release the agent to another gateway after ten seconds of absence, not before', async () => {
    const made = await startedTestAgent({});
    const [one, two] = [giver('old-host:/gateway.kdl'), giver('old-host:/gateway.kdl')];
    await made.agent.configure(a, one, 'handshake');
    await made.agent.configure(a, two, 'handshake');
    const successor = giver('new-host:/gateway.kdl');
    made.agent.disconnected(one.connection);
    made.clock.advance(60_000);
    expect((await made.agent.configure(b, successor, 'handshake')).ok).toBe(false);
    made.agent.disconnected(two.connection);
    made.clock.advance(9_999);
    expect((await made.agent.configure(b, successor, 'handshake')).ok).toBe(false);
    made.clock.advance(1);
    expect(await made.agent.configure(b, successor, 'handshake')).toEqual(accepted);
    expect((await made.agent.configure(a, giver('old-host:/gateway.kdl'), 'handshake')).ok).toBe(false);
  });

  it('keep the agent if they return in time', async () => {
    const made = await startedTestAgent({});
    const before = giver('gateway');
    await made.agent.configure(a, before, 'handshake');
    made.agent.disconnected(before.connection);
    made.clock.advance(5_000);
    await made.agent.configure(a, giver('gateway'), 'handshake');
    made.clock.advance(60_000);
    expect((await made.agent.configure(b, giver('other'), 'handshake')).ok).toBe(false);
  });

  it('release the agent first to the gateway that shares their configuration', async () => {
    const made = await startedTestAgent({});
    const [owner, sharer] = [giver('owner'), giver('sharer')];
    await made.agent.configure(a, owner, 'handshake');
    await made.agent.configure(a, sharer, 'handshake');
    made.agent.disconnected(owner.connection);
    made.clock.advance(10_000);
    expect((await made.agent.configure(b, giver('stranger'), 'handshake')).ok).toBe(false);
    expect(await made.agent.configure(b, sharer, 'change')).toEqual(accepted);
  });

  it('do not count as connected if the connection ended before the agent agreed', async () => {
    const made = await startedTestAgent({});
    const brief = giver('brief');
    const taken = made.agent.configure(a, brief, 'handshake');
    made.agent.disconnected(brief.connection);
    await taken;
    made.clock.advance(10_000);
    expect(await made.agent.configure(b, giver('other'), 'handshake')).toEqual(accepted);
  });
});

describe('fail-open', () => {
  it('logs a warning if no method is configured, because it has no effect', async () => {
    const made = await startedTestAgent({ 'fail-open': true });
    expect(JSON.stringify(made.logger.lines)).toContain('fail-open: it has no effect');
    const useful = await startedTestAgent({ 'fail-open': true, 'api-keys': ['one:a'] });
    expect(JSON.stringify(useful.logger.lines)).not.toContain('has no effect');
  });
});

describe('an entry that begins with @ and names no file', () => {
  it('is never logged', async () => {
    const made = await startedTestAgent({});
    const refused = await made.agent.configure(
      { 'api-keys': ['one:a', '@hunter2-key:name'], 'basic-auth-users': ['u:p', 'v:q', '@/hunter2:/pass', '@hunter2'] },
      first,
      'change',
    );
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('api-keys: entry 2: its file') });
    expect(refused).toMatchObject({ error: expect.stringContaining('basic-auth-users: entry 3: its file') });
    expect(JSON.stringify([refused, made.logger.lines])).not.toContain('hunter2');
    const shown = await made.agent.configure({ 'api-keys': ['@/no/such/list'] }, first, 'change');
    expect(shown).toMatchObject({ error: expect.stringContaining('entry 1: the file /no/such/list cannot be read') });
  });
});

describe('reload', () => {
  it('rereads lists, and keeps the old ones if a file is invalid', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pc-')), 'keys');
    writeFileSync(file, '# keys\none:a\n\nwith,comma:b\n');
    const made = await startedTestAgent({ 'api-keys': `@${file}` });
    expect(await passes(made, 'with,comma')).toBe(true);
    writeFileSync(file, 'two:b\n');
    expect(await made.agent.reload()).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(false);
    expect(await passes(made, 'two')).toBe(true);
    writeFileSync(file, 'no colon\n');
    expect(await made.agent.reload()).toMatchObject({ ok: false });
    expect(await passes(made, 'two')).toBe(true);
  });
});
