import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import type { SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { SocketAddress } from '../../../../../src/domain/configuration/network-addresses.js';
import { tlsCall, tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, type RecordedListener, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import {
  type OpensslCertificate,
  OpensslCertificates,
  pemChain,
} from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
const dayMs = 86_400_000;
const past = [Date.now() - 9 * dayMs, Date.now() - dayMs] as const;
const future = [Date.now() + dayMs, Date.now() + 9 * dayMs] as const;
const clients: Record<string, OpensslCertificate> = {};
let root: OpensslCertificate;
let intermediate: OpensslCertificate;
let server: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  intermediate = pki.authority('intermediate', { by: root });
  server = pki.server('server', { by: root, names: ['DNS:a.example'] });
  const other = pki.authority('root');
  const old = pki.authority('old', { by: root, validity: past });
  const good = pki.client('client', { by: intermediate });
  const direct = pki.client('direct', { by: root });
  Object.assign(clients, {
    good,
    direct,
    expired: pki.client('expired', { by: root, validity: past }),
    early: pki.client('early', { by: root, validity: future }),
    foreign: pki.client('client', { by: other }),
    'self-signed': pki.client('client'),
    'without its intermediate': { ...good, intermediates: [] },
    'under an expired intermediate': pki.client('client', { by: old }),
    'for servers': pki.server('client', { by: root }),
    'issued by a client': pki.client('client', { by: direct }),
  });
});
afterAll(() => pki.remove());

type Asked = 'request' | 'require';

const listen = (
  cleanUp: CleanUp,
  clientAuth: Asked | 'none',
  authorities: string = root.certificate,
): Promise<RecordedListener> =>
  recordedListener(
    cleanUp,
    preparedTls([server], { clientAuth, clientAuthorities: clientAuth === 'none' ? null : authorities }),
  );

/** What a client asks with that has this certificate, or none. */
const asking = (who: string | null, version: SecureVersion = 'TLSv1.3') => {
  const identity = who === null ? undefined : clients[who];
  if (who !== null && !identity) throw new Error(`there is no client ${who}`);
  const shown = identity && { cert: pemChain(identity), key: identity.key };
  return { ca: root.certificate, servername: 'a.example', minVersion: version, maxVersion: version, ...shown };
};

/** The certificates of a header, leaf first. */
const subjectsOf = (header: string | null | undefined): readonly string[] =>
  decodeURIComponent(header ?? '')
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((pem) => pem !== '')
    .map((pem) => new X509Certificate(pem).subject);

const refusals: readonly (readonly [who: string, code: string])[] = [
  ['expired', 'CERT_HAS_EXPIRED'],
  ['early', 'CERT_NOT_YET_VALID'],
  ['foreign', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['without its intermediate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['under an expired intermediate', 'CERT_HAS_EXPIRED'],
  ['for servers', 'INVALID_PURPOSE'],
  // Node has no name for what OpenSSL calls an invalid authority.
  ['issued by a client', 'UNSPECIFIED'],
];

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a client certificate over %s', (version) => {
  describe.each(['request', 'require'] as const)('with client-auth %s', (clientAuth) => {
    it('that is valid is passed to request handling with its intermediates and without the root', async ({
      cleanUp,
    }) => {
      const { listener, handler } = await listen(cleanUp, clientAuth);
      expect(await tlsCall(listener.address(), asking('good', version))).toMatchObject({ status: 200 });
      expect(subjectsOf(handler.connection().tls?.clientCertificate)).toEqual(['CN=client', 'CN=intermediate']);
      expect(await tlsCall(listener.address(), asking('direct', version))).toMatchObject({ status: 200 });
      expect(subjectsOf(handler.connection().tls?.clientCertificate)).toEqual(['CN=direct']);
      expect(handler.failures).toEqual([]);
    });

    it.for(refusals)('that is %s ends the connection', async ([who, code], { cleanUp }) => {
      const { listener, handler } = await listen(cleanUp, clientAuth);
      const answer = await tlsCall(listener.address(), asking(who, version));
      expect(answer.text).toBe('');
      const failure = await handler.failure();
      expect(failure).toMatchObject({ listener: 'main', peerAddress: '127.0.0.1' });
      expect(failure.code).toBe(code);
      expect(handler.requests).toEqual([]);
      await expect.poll(() => listener.connections()).toBe(0);
    });
  });

  it('that is missing is accepted with client-auth request', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'request');
    expect(await tlsCall(listener.address(), asking(null, version))).toMatchObject({ status: 200 });
    expect(handler.connection().tls?.clientCertificate).toBeNull();
  });

  it('that is missing fails the handshake with client-auth require', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'require');
    const answer = await tlsCall(listener.address(), asking(null, version));
    expect(answer.text).toBe('');
    expect(answer.error).toMatch(/ALERT/);
    expect(handler.failures).toMatchObject([{ code: 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE' }]);
    expect(handler.requests).toEqual([]);
  });

  it('is neither requested nor trusted with client-auth none', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'none');
    expect(await tlsCall(listener.address(), asking('good', version))).toMatchObject({ status: 200 });
    expect(handler.connection().tls?.clientCertificate).toBeNull();
  });

  it.for(['request', 'require'] as const)('creates no resumable session with %s', async (clientAuth, { cleanUp }) => {
    const { listener } = await listen(cleanUp, clientAuth);
    const begun = await tlsCall(listener.address(), asking('good', version));
    expect(begun.status).toBe(200);
    for (const session of begun.sessions) {
      const again = await tlsCall(listener.address(), { ...asking('good', version), session });
      expect(again).toMatchObject({ status: 200, isResumed: false });
      // Whoever has the session and no certificate gets nowhere with it.
      const stolen = await tlsCall(listener.address(), { ...asking(null, version), session });
      expect(stolen.isResumed).toBe(false);
      if (clientAuth === 'require') expect(stolen.text).toBe('');
    }
  });

  it('that is not requested allows session resumption', async ({ cleanUp }) => {
    const { listener } = await listen(cleanUp, 'none');
    const begun = await tlsCall(listener.address(), asking(null, version));
    const again = await tlsCall(listener.address(), { ...asking(null, version), session: begun.sessions[0] });
    expect(again).toMatchObject({ status: 200, isResumed: true });
  });

  it('is sent again on each connection of openssl s_client -reconnect', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'require');
    expect(await reconnecting(listener.address(), version)).toEqual({ made: 6, resumed: 0 });
    expect(handler.failures).toEqual([]);
  });
});

/** Connections that openssl makes with one session, and how many of them it was allowed to go on with. */
const reconnecting = (
  { port }: SocketAddress,
  version: 'TLSv1.2' | 'TLSv1.3',
): Promise<{ readonly made: number; readonly resumed: number }> => {
  const { good } = clients as { readonly good: OpensslCertificate };
  const chain = pki.bundle('chain.pem', good.intermediates);
  const shown = ['-cert', good.certificateFile, '-key', good.keyFile, '-cert_chain', chain];
  const flag = version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3';
  return new Promise((resolve) => {
    let text = '';
    const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-reconnect', flag, ...shown]);
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      if ((text.match(/^(New|Reused), /gm) ?? []).length >= 6) child.stdin.end();
    });
    child.on('close', () =>
      resolve({
        made: (text.match(/^(New|Reused), /gm) ?? []).length,
        resumed: (text.match(/^Reused, /gm) ?? []).length,
      }),
    );
  });
};

describe('clients that are refused at the same time', () => {
  it('are each reported with their own address and code', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'require');
    const kinds = [
      ['expired', 'CERT_HAS_EXPIRED'],
      ['foreign', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['for servers', 'INVALID_PURPOSE'],
      [null, 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
      ['good', null],
    ] as const;
    const told: string[] = [];
    const { host, port } = listener.address();
    const calls = Array.from({ length: 60 }, (_, index) => {
      const [who, code] = kinds[index % kinds.length] as (typeof kinds)[number];
      const localAddress = `127.0.0.${index + 2}`;
      if (code !== null) told.push(`${localAddress} ${code}`);
      // What the type of TLS options leaves out, and hands on all the same.
      const options = { ...asking(who), localAddress };
      return tlsCall({ host, port }, options);
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
    await expect.poll(() => handler.failures.length).toBe(told.length);
    expect(handler.failures.map(({ peerAddress, code }) => `${peerAddress} ${code}`).sort()).toEqual(told.sort());
  });
});

describe('the authorities of clients', () => {
  it('may be intermediates, which are trusted directly', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'require', intermediate.certificate);
    expect(await tlsCall(listener.address(), asking('good'))).toMatchObject({ status: 200 });
    expect(subjectsOf(handler.connection().tls?.clientCertificate)[0]).toBe('CN=client');
    expect((await tlsCall(listener.address(), asking('direct'))).text).toBe('');
  });

  it('apply to every server name', async ({ cleanUp }) => {
    const clientAuthorities = root.certificate;
    const tls = preparedTls([server, server], { clientAuth: 'require', clientAuthorities });
    const { listener, handler } = await recordedListener(cleanUp, tls);
    for (const servername of ['a.example', 'b.example', '']) {
      const loose = { rejectUnauthorized: false, servername };
      expect((await tlsCall(listener.address(), { ...asking('foreign'), ...loose })).text).toBe('');
      expect((await tlsCall(listener.address(), { ...asking(null), ...loose })).text).toBe('');
      expect(await tlsCall(listener.address(), { ...asking('good'), ...loose })).toMatchObject({ status: 200 });
    }
    expect(handler.requests).toHaveLength(3);
  });
});

describe('a chain of intermediates', () => {
  it('that is too long for a header is left out, and only the certificate is passed', async ({ cleanUp }) => {
    let issuer = root;
    for (let depth = 0; depth < 8; depth += 1) {
      const names = Array.from({ length: 60 }, (_, index) => `DNS:host-${index}.depth-${depth}.example`);
      issuer = pki.authority(`depth ${depth}`, { by: issuer, names });
    }
    clients['deep'] = pki.client('deep', { by: issuer });
    const { listener, handler } = await listen(cleanUp, 'require');
    expect(await tlsCall(listener.address(), asking('deep'))).toMatchObject({ status: 200 });
    expect(subjectsOf(handler.connection().tls?.clientCertificate)).toEqual(['CN=deep']);
  });

  it('whose certificate alone is too long for a header ends the connection', async ({ cleanUp }) => {
    const names = Array.from({ length: 400 }, (_, index) => `DNS:a-rather-long-name-of-a-host-${index}.example`);
    clients['huge'] = pki.client('huge', { by: root, names });
    const { listener, handler } = await listen(cleanUp, 'require');
    expect((await tlsCall(listener.address(), asking('huge'))).text).toBe('');
    expect(await handler.failure()).toMatchObject({ code: 'CERTIFICATE_TOO_LARGE' });
  });
});

describe('requests of one connection', () => {
  it('share one certificate verification', async ({ cleanUp }) => {
    const { listener, handler } = await listen(cleanUp, 'require');
    const socket = await tlsConnection(listener.address(), asking('good'));
    socket.resume();
    for (const expected of [1, 2, 3]) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await expect.poll(() => handler.requests.length).toBe(expected);
    }
    expect(new Set(handler.requests.map(({ connection }) => connection.tls)).size).toBe(1);
    socket.destroy();
  });
});
