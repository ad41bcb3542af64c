import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startedTestAgent, type TestAgent } from '../../../support/test-agent.js';

const first = { proxyId: 'gateway-1', proxyVersion: '1' };
const second = { proxyId: 'gateway-2', proxyVersion: '1' };
const accepted = { ok: true, value: undefined };
const passes = async ({ ask }: TestAgent, key: string) => (await ask(['x-api-key', key])).decision.kind === 'allow';

describe('a configuration that a gateway hands over', () => {
  it('takes effect as a whole', async () => {
    const made = await startedTestAgent({});
    expect(await made.agent.configure({ 'api-keys': ['one:a', 'two:b'] }, first)).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(true);
    expect(await passes(made, 'two')).toBe(true);
  });

  it('leaves the old one in force where anything in it is wrong', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first);
    for (const config of [
      { 'api-keys': ['two:b'], 'jwt-secret': 'short' },
      { 'api-keys': ['two:b'], 'no-such-option': true },
      { 'api-keys': ['two:b'], 'jwt-public-key': '/no/such/file', 'jwt-algorithm': 'ES256' },
      { 'api-keys': ['two:b'], oidc: { enabled: true } },
      { 'api-keys': ['two:b'], 'grpc-address': '127.0.0.1:1' },
      { 'api-keys': ['two:b', '@/no/such/list'] },
    ]) {
      const taken = await made.agent.configure(config, first);
      expect(taken.ok).toBe(false);
      expect(await passes(made, 'one')).toBe(true);
      expect(await passes(made, 'two')).toBe(false);
    }
  });

  it('is refused with a reason that holds no secret', async () => {
    const made = await startedTestAgent({});
    const refused = await made.agent.configure(
      { 'jwt-secret': 'hunter2', 'api-keys': ['no-colon-hunter2'], 'basic-auth-users': ['hunter2'] },
      first,
    );
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('jwt-secret') });
    expect(JSON.stringify([refused, made.logger.lines])).not.toContain('hunter2');
  });

  it('changes nothing where it is the same, whoever gives it and however it is spelt', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'], 'fail-open': false }, first);
    const lines = made.logger.lines.length;
    expect(await made.agent.configure({ 'fail-open': false, 'api-keys': ['one:a'] }, second)).toEqual(accepted);
    expect(made.logger.lines).toHaveLength(lines);
  });

  it('is replaced by the gateway that gave it, and by no other', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first);
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, second)).toMatchObject({ ok: false });
    expect(await passes(made, 'two')).toBe(false);
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, first)).toEqual(accepted);
    expect(await passes(made, 'two')).toBe(true);
    expect(await passes(made, 'one')).toBe(false);
  });

  it('is refused to a second gateway when both come at the same time', async () => {
    const made = await startedTestAgent({});
    const taken = await Promise.all([
      made.agent.configure({ 'api-keys': ['one:a'] }, first),
      made.agent.configure({ 'api-keys': ['two:b'] }, second),
      made.agent.configure({ 'api-keys': ['one:a'] }, first),
    ]);
    expect(taken.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it('yields to what was given at the start', async () => {
    const made = await startedTestAgent({ 'api-keys': ['flag:f'] });
    expect(await made.agent.configure({ 'api-keys': ['block:b'], 'api-key-header': 'X-Key' }, first)).toEqual(accepted);
    expect((await made.ask(['x-key', 'flag'])).decision.kind).toBe('allow');
    expect((await made.ask(['x-key', 'block'])).decision.kind).toBe('block');
  });

  it('may be absent: then what was given at the start stays', async () => {
    const made = await startedTestAgent({ 'api-keys': ['flag:f'] });
    expect(await made.agent.configure(null, first)).toEqual(accepted);
    expect(await passes(made, 'flag')).toBe(true);
  });

  it('is dropped when the gateway that gave it has none any more, not for another', async () => {
    const made = await startedTestAgent({});
    await made.agent.configure({ 'api-keys': ['one:a'] }, first);
    expect(await made.agent.configure(null, second)).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(true);
    expect(await made.agent.configure(null, first)).toEqual(accepted);
    expect(await passes(made, 'one')).toBe(false);
    expect(await made.agent.configure({ 'api-keys': ['two:b'] }, second)).toEqual(accepted);
  });

  it('cannot move the socket that is being served', async () => {
    const made = await startedTestAgent({});
    const refused = await made.agent.configure({ socket: '/tmp/elsewhere.sock', 'api-keys': ['one:a'] }, first);
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('socket') });
    expect(await made.agent.configure({ socket: '/tmp/gateway-auth.sock' }, first)).toEqual(accepted);
  });

  it('may be nested without end, which is refused', async () => {
    let nested: { a?: object } = {};
    for (let depth = 0; depth < 50_000; depth += 1) nested = { a: nested };
    const made = await startedTestAgent({});
    expect(await made.agent.configure({ nested: nested as never }, first)).toMatchObject({ ok: false });
  });
});

describe('reload', () => {
  it('reads lists again, and keeps the old ones where a file is bad', async () => {
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
