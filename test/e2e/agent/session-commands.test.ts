import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { RedisStoreOpener } from '../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import { SqliteStoreOpener } from '../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { samlBlockText, samlConfiguration } from '../../support/agent/saml-configuration.js';
import { hashOf, succeeded, testSession } from '../../support/agent/test-sessions.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const program = fileURLToPath(new URL('../../../dist/programs/main-gateway-auth.js', import.meta.url));
const patienceMs = 30_000;
const entityId = 'https://gateway.example/saml/metadata';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `gateway-auth` as it is built. */
const gatewayAuth = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: patienceMs,
    });
    const written = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written.err += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });

let folder: TemporaryFolder;
it.beforeEach(({ cleanUp }) => {
  folder = temporaryFolder();
  cleanUp.add(folder.remove);
});

describe('the built gateway-auth saml and sessions', () => {
  it('print the metadata', async () => {
    const file = folder.write('gateway.kdl', samlConfiguration(samlBlockText()));
    const { code, out, err } = await gatewayAuth(['saml', 'metadata', '--config', file]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`entityID="${entityId}"`);
  });

  it('list, show and revoke sessions of a SQLite file that another process has open', async ({ cleanUp }) => {
    const path = folder.file('sessions.db');
    const stores = await succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, entityId));
    cleanUp.add(() => stores.close());
    for (const name of ['one', 'two']) await succeeded(stores.sessions.insert(testSession(name)));
    const config = folder.write('gateway.kdl', samlConfiguration(samlBlockText(`session-store-path "${path}"`)));

    const listed = await gatewayAuth(['sessions', 'list', '--config', config, '--agent', 'auth']);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out.split('\n')).toHaveLength(4);
    const shown = await gatewayAuth(['sessions', 'show', hashOf('one').slice(0, 12), '--config', config]);
    expect(shown).toMatchObject({ code: 0, err: '', out: expect.stringContaining('alice@example.com') });
    const revoked = await gatewayAuth(['sessions', 'revoke', hashOf('one').slice(0, 12), '--config', config]);
    expect(revoked).toEqual({ code: 0, out: `${hashOf('one')}\n`, err: '1 session revoked\n' });
    expect(await stores.sessions.find(hashOf('one'))).toEqual({ ok: true, value: null });
    const again = await gatewayAuth(['sessions', 'show', hashOf('one'), '--config', config]);
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('there is no session') });
  });

  it('write an audit record of each revocation to the audit log of the configuration', async ({ cleanUp }) => {
    const path = folder.file('sessions.db');
    const stores = await succeeded(new SqliteStoreOpener().open({ kind: 'sqlite', path }, entityId));
    cleanUp.add(() => stores.close());
    for (const name of ['one', 'two']) await succeeded(stores.sessions.insert(testSession(name)));
    const block = samlConfiguration(samlBlockText(`session-store-path "${path}"`));
    const log = folder.file('audit.log');
    const toFile = folder.write('file.kdl', `${block}\naudit { file "${log}" }\n`);
    const revoked = ['sessions', 'revoke', '--agent', 'auth', '--config'];

    // The gateway creates its log: a file of another user would keep it from starting.
    const missing = await gatewayAuth([...revoked, toFile, hashOf('one').slice(0, 12)]);
    expect(missing).toMatchObject({ code: 1, out: '', err: expect.stringContaining('it does not exist') });
    expect(await succeeded(stores.sessions.count())).toBe(2);

    folder.write('audit.log', '{"earlier":1}\n');
    const done = await gatewayAuth([...revoked, toFile, hashOf('one').slice(0, 12)], { SUDO_USER: 'ada' });
    expect(done).toEqual({ code: 0, out: `${hashOf('one')}\n`, err: '1 session revoked\n' });
    const [, line = ''] = readFileSync(log, 'utf8').split('\n');
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/Z$/),
      stream: 'audit',
      event: 'admin',
      outcome: 'carried_out',
      command: 'sessions revoke',
      operator: userInfo().username,
      sudo_user: 'ada',
      agent: 'auth',
      subject: 'alice',
      auth_method: 'saml',
      session: hashOf('one').slice(0, 16),
    });

    const toOutput = folder.write('output.kdl', `${block}\naudit { output "stdout" }\n`);
    const shown = await gatewayAuth([...revoked, toOutput, '--user', 'alice']);
    const [record = '', summary] = shown.err.split('\n');
    expect([shown.out, summary]).toEqual([`${hashOf('two')}\n`, '1 session revoked']);
    expect(JSON.parse(record)).toMatchObject({
      stream: 'audit',
      subject: 'alice',
      session: hashOf('two').slice(0, 16),
    });
  });

  it('exit with 2 on wrong usage', async () => {
    expect(await gatewayAuth(['sessions', 'list'])).toMatchObject({ code: 2, out: '' });
    expect(await gatewayAuth(['saml', 'metadata'])).toMatchObject({ code: 2, out: '' });
  });
});

describeWithPeers(['redis-server', 'openssl'], 'gateway-auth sessions with Redis', () => {
  it('list and revoke sessions over TLS', async ({ cleanUp }) => {
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const authority = pki.authority('authority');
    const certificate = pki.server('localhost', { by: authority, names: ['DNS:localhost', 'IP:127.0.0.1'] });
    const [plain, secure] = [await freePort(), await freePort()];
    const redis = await startRedis({
      port: plain,
      password: 'hunter2',
      settings: [
        ['tls-port', String(secure)],
        ['tls-cert-file', certificate.certificateFile],
        ['tls-key-file', certificate.keyFile],
        ['tls-auth-clients', 'no'],
      ],
    });
    cleanUp.add(redis.remove);
    const opener = new RedisStoreOpener(new RecordingLogger());
    const stores = await succeeded(opener.open({ kind: 'redis', url: redis.url() }, entityId));
    cleanUp.add(() => stores.close());
    await succeeded(stores.sessions.insert(testSession('one')));

    const url = `rediss://:hunter2@localhost:${secure}`;
    const block = samlBlockText(`session-store "redis"; session-store-url "${url}"`);
    const place = ['--config', folder.write('gateway.kdl', samlConfiguration(block))];
    const trust = { NODE_EXTRA_CA_CERTS: authority.certificateFile };
    const listed = await gatewayAuth(['sessions', 'list', '--json', ...place], trust);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(listed.out)).toMatchObject({ sessions: [{ id: hashOf('one'), user: 'alice' }] });
    const revoked = await gatewayAuth(['sessions', 'revoke', '--user', 'alice', ...place], trust);
    expect(revoked).toEqual({ code: 0, out: `${hashOf('one')}\n`, err: '1 session revoked\n' });

    const distrustful = await gatewayAuth(['sessions', 'list', ...place]);
    expect(distrustful).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not trusted') });
    expect(distrustful.err).not.toContain('hunter2');
  });
});
