import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { CoreHttpEngine } from '../../../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import type { TlsMaterial } from '../../../../../src/application/ports/gateway/http-engine.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { type OpensslClient, opensslSession } from '../../../../support/gateway/openssl-session.js';
import {
  newEngine,
  preparedTls,
  type RecordedListener,
  recordedListener,
} from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let partners: OpensslCertificate;
let others: OpensslCertificate;
let first: OpensslCertificate;
let second: OpensslCertificate;
let client: OpensslCertificate;
let stranger: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  partners = pki.authority('partners');
  others = pki.authority('others');
  first = pki.server('first', { by: root, names: ['DNS:a.example'] });
  second = pki.server('second', { by: root, names: ['DNS:b.example'] });
  client = pki.client('client', { by: partners });
  stranger = pki.client('stranger', { by: others });
});
afterAll(() => pki.remove());

/** 48 octets that are all alike. */
const key = (digits: string): Secret => new Secret(digits.repeat(48));
const keys = (current: string, previous: string | null = null) => ({
  current: key(current),
  previous: previous === null ? null : key(previous),
});

const engineWith = (current: string, previous: string | null = null): CoreHttpEngine => {
  const engine = newEngine();
  engine.useTicketKeys(keys(current, previous));
  return engine;
};

const listening = (
  cleanUp: CleanUp,
  engine: CoreHttpEngine,
  changes: Partial<TlsMaterial> = {},
  identities = [first],
): Promise<RecordedListener> => recordedListener(cleanUp, preparedTls(identities, changes, engine));

const trusting = (authority: OpensslCertificate, clientAuth: 'request' | 'require'): Partial<TlsMaterial> => ({
  clientAuth,
  clientAuthorities: authority.certificate,
});

const showing = ({ certificateFile, keyFile }: OpensslCertificate): readonly string[] => [
  '-cert',
  certificateFile,
  '-key',
  keyFile,
];

const portOf = ({ listener }: RecordedListener): number => listener.address().port;

const each = [
  { version: '1.3', isHttp2: false },
  { version: '1.3', isHttp2: true },
  { version: '1.2', isHttp2: false },
  { version: '1.2', isHttp2: true },
] as const;

describe.each(each)('a session of TLS $version, HTTP/2 $isHttp2', ({ version, isHttp2 }) => {
  const connect = (at: RecordedListener, more: Partial<OpensslClient> = {}) =>
    opensslSession({ port: portOf(at), version, isHttp2, servername: 'a.example', ...more });

  /** The file of a session that `at` has begun. */
  const sessionOf = async (folder: string, at: RecordedListener, more: Partial<OpensslClient> = {}) => {
    const to = join(folder, 'session.pem');
    const { isResumed, output } = await connect(at, { to, ...more });
    expect(isResumed, output).toBe(false);
    return to;
  };

  it('resumes where another process has the same keys', async ({ cleanUp, folder }) => {
    const changes = { http2: isHttp2 };
    const begun = await listening(cleanUp, engineWith('01'), changes);
    const from = await sessionOf(folder.path, begun);
    const other = await listening(cleanUp, engineWith('01'), changes);
    for (const at of [begun, other]) {
      const { isResumed, output } = await connect(at, { from });
      expect(isResumed, output).toBe(true);
      // OpenSSL forgets the name of a resumed session of TLS 1.2.
      const serverName = version === '1.3' ? 'a.example' : null;
      if (!isHttp2) expect(at.handler.connection().tls).toMatchObject({ serverName });
    }
  });

  it('makes a full handshake where the keys are others', async ({ cleanUp, folder }) => {
    const from = await sessionOf(folder.path, await listening(cleanUp, engineWith('01'), { http2: isHttp2 }));
    const other = await listening(cleanUp, engineWith('02'), { http2: isHttp2 });
    expect((await connect(other, { from })).isResumed).toBe(false);
  });

  it('resumes after one rotation of the keys with a new ticket, and not after two', async ({ cleanUp, folder }) => {
    const engine = engineWith('01');
    const at = await listening(cleanUp, engine, { http2: isHttp2 });
    const from = await sessionOf(folder.path, at);
    engine.useTicketKeys(keys('02', '01'));
    const renewed = await connect(at, { from });
    expect(renewed.isResumed).toBe(true);
    // A ticket begins with the name of its key (RFC 5077, section 4).
    expect(renewed.output).toMatch(/TLS session ticket:\n +0000 - 02 02 02 02 02 02 02 02/);
    engine.useTicketKeys(keys('03', '02'));
    expect((await connect(at, { from })).isResumed).toBe(false);
  });

  it('resumes after a reload with the same files', async ({ cleanUp, folder }) => {
    const engine = engineWith('01');
    const at = await listening(cleanUp, engine, { http2: isHttp2 });
    const from = await sessionOf(folder.path, at);
    at.listener.secure(preparedTls([first], { http2: isHttp2 }, engine), 0);
    expect((await connect(at, { from })).isResumed).toBe(true);
  });

  it('resumes with the key of every certificate of a listener', async ({ cleanUp, folder }) => {
    const at = await listening(cleanUp, engineWith('01'), { http2: isHttp2 }, [first, second]);
    const from = await sessionOf(folder.path, at, { servername: 'b.example' });
    const { isResumed, output } = await connect(at, { from, servername: 'b.example' });
    expect(isResumed, output).toBe(true);
  });

  it('does not resume with another certificate', async ({ cleanUp, folder }) => {
    const engine = engineWith('01');
    const at = await listening(cleanUp, engine, { http2: isHttp2 });
    const from = await sessionOf(folder.path, at);
    at.listener.secure(preparedTls([second], { http2: isHttp2 }, engine), 0);
    const { isResumed, output } = await connect(at, { from });
    expect(isResumed).toBe(false);
    expect(output).toContain('subject=CN = second');
  });

  it.for(['request', 'require'] as const)(
    'does not pass a listener that begins to ask for certificates (%s)',
    async (clientAuth, { cleanUp, folder }) => {
      const engine = engineWith('01');
      const at = await listening(cleanUp, engine, { http2: isHttp2 });
      const from = await sessionOf(folder.path, at);
      const before = at.handler.requests.length;
      at.listener.secure(preparedTls([first], { http2: isHttp2, ...trusting(partners, clientAuth) }, engine), 0);
      const without = await connect(at, { from });
      expect(without.isResumed).toBe(false);
      expect(without.output).toContain('Acceptable client certificate CA names');
      if (clientAuth === 'require') expect(at.handler.requests).toHaveLength(before);
      else if (!isHttp2) expect(at.handler.connection().tls?.clientCertificate).toBeNull();
    },
  );

  it.for(['request', 'require'] as const)(
    'of an authenticated client does not outlive its authority (%s)',
    async (clientAuth, { cleanUp, folder }) => {
      const engine = engineWith('01');
      const at = await listening(cleanUp, engine, { http2: isHttp2, ...trusting(partners, clientAuth) });
      const from = await sessionOf(folder.path, at, { options: showing(client) });
      if (!isHttp2) expect(at.handler.connection().tls?.clientCertificate).not.toBeNull();
      at.listener.secure(preparedTls([first], { http2: isHttp2, ...trusting(others, clientAuth) }, engine), 0);
      const before = at.handler.requests.length;
      if (existsSync(from)) {
        for (const options of [[], showing(client)]) {
          expect((await connect(at, { from, options })).isResumed).toBe(false);
        }
      }
      // Without a certificate, `request` serves it as nobody; with one of the old authority, neither does.
      const served = at.handler.requests.slice(before);
      for (const { connection } of served) expect(connection.tls?.clientCertificate).toBeNull();
      if (clientAuth === 'require') expect(served).toEqual([]);
      expect((await connect(at, { options: showing(stranger) })).isResumed).toBe(false);
    },
  );

  it('of an authenticated client never resumes, for no server name and at no other listener', async ({
    cleanUp,
    folder,
  }) => {
    const engine = engineWith('01');
    const strict = { http2: isHttp2, ...trusting(partners, 'require') };
    const at = await listening(cleanUp, engine, strict, [first, second]);
    const open = await listening(cleanUp, engine, { http2: isHttp2 }, [first, second]);
    const lenient = await listening(cleanUp, engine, { ...strict, clientAuth: 'request' }, [first, second]);
    const from = await sessionOf(folder.path, at, { options: showing(client) });
    if (!existsSync(from)) return;
    for (const other of [at, open, lenient]) {
      for (const servername of ['a.example', 'b.example', undefined]) {
        for (const options of [[], showing(client)]) {
          const answer = await opensslSession({
            port: portOf(other),
            version,
            isHttp2,
            from,
            options,
            ...(servername === undefined ? {} : { servername }),
          });
          expect(answer.isResumed, `${servername} ${options.join(' ')}`).toBe(false);
        }
      }
    }
  });
});

describe('a session of TLS 1.2', () => {
  it('does not resume by its id without a ticket', async ({ cleanUp, folder }) => {
    const at = await listening(cleanUp, engineWith('01'));
    const client = { port: portOf(at), version: '1.2', servername: 'a.example', options: ['-no_ticket'] } as const;
    const file = join(folder.path, 'session.pem');
    await opensslSession({ ...client, to: file });
    expect(existsSync(file)).toBe(true);
    expect((await opensslSession({ ...client, from: file })).isResumed).toBe(false);
  });

  it('has tickets that are valid for an hour', async ({ cleanUp }) => {
    const at = await listening(cleanUp, engineWith('01'));
    const { output } = await opensslSession({ port: portOf(at), version: '1.2', servername: 'a.example' });
    expect(output).toContain('TLS session ticket lifetime hint: 3600 (seconds)');
  });
});
