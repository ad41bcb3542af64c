import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type {
  UpstreamConfiguration,
  UpstreamTlsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { startRawTlsUpstream, startTlsUpstream } from '../../support/gateway/tls-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import {
  type CertificatePlan,
  type OpensslCertificate,
  OpensslCertificates,
  pemChain,
} from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const dayMs = 86_400_000;
const pki = new OpensslCertificates();
const folder = temporaryFolder();
let root: OpensslCertificate;
let stranger: OpensslCertificate;
let good: OpensslCertificate;
let caCertFile: string;

beforeAll(() => {
  root = pki.authority('root');
  stranger = pki.authority('stranger');
  good = pki.server('good', { by: root, names: ['DNS:api.test', 'IP:127.0.0.1'] });
  caCertFile = folder.write('root.pem', root.certificate);
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

const verified = (changes: Partial<UpstreamTlsConfiguration> = {}): UpstreamTlsConfiguration => ({
  serverName: 'api.test',
  caCertFile,
  certificate: null,
  minVersion: '1.2',
  verifies: true,
  ...changes,
});

const startBefore = async (
  cleanUp: CleanUp,
  port: number,
  changes: Partial<UpstreamConfiguration> = {},
): Promise<InProcessGateway> => {
  const upstream = testUpstream(port, { tls: verified(), ...changes });
  const gateway = await startInProcess(testConfiguration([upstream]));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const keysOf = (certificate: OpensslCertificate) => ({ cert: pemChain(certificate), key: certificate.key });

/** The causes of failures in the log. */
const causes = ({ logger }: InProcessGateway): readonly string[] =>
  logger.lines.flatMap(({ fields: { cause } }) => (typeof cause === 'string' ? [cause] : []));

const get = async (gateway: InProcessGateway): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${gateway.url}/a`);
  return { status: answer.status, text: await answer.text() };
};

const failures = async (gateway: InProcessGateway): Promise<number> =>
  Number(/^gateway_upstream_failures_total\{.*\} (\d+)$/m.exec(await gateway.metrics())?.[1] ?? '0');

/** The gateway refuses: the log says why, the client learns only that the upstream cannot be reached. */
const expectRefusal = async (gateway: InProcessGateway, cause: RegExp): Promise<void> => {
  const before = await failures(gateway);
  const { status, text } = await get(gateway);
  expect(status).toBe(502);
  expect(JSON.parse(text)).toMatchObject({
    code: 'upstream_unreachable',
    detail: 'The connection to the upstream failed.',
  });
  expect(text).not.toMatch(/certificate|TLS|api\.test/i);
  expect(causes(gateway).at(-1)).toMatch(cause);
  expect(await failures(gateway)).toBeGreaterThan(before);
};

describe('the certificate of an upstream', () => {
  it('is accepted if it is right, by HTTP/1.1', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const gateway = await startBefore(cleanUp, upstream.port);
    expect((await get(gateway)).status).toBe(200);
    expect(upstream.serverNames).toEqual(['api.test']);
  });

  const names = ['DNS:api.test'];
  const faults: readonly [name: string, plan: () => CertificatePlan, cause: RegExp][] = [
    ['has expired', () => ({ validity: [Date.now() - 9 * dayMs, Date.now() - dayMs] }), /the certificate has expired/],
    ['is not valid yet', () => ({ validity: [Date.now() + dayMs, Date.now() + 9 * dayMs] }), /is not valid yet/],
    ['is for another name', () => ({ names: ['DNS:other.test'] }), /it is for DNS:other\.test, not for api\.test/],
    [
      'has the name as common name alone',
      () => ({ subject: '/CN=api.test', names: [] }),
      /it is for no name, not for api\.test/,
    ],
    [
      'has the name as common name beside another',
      () => ({ subject: '/CN=api.test', names: ['DNS:b.test'] }),
      /not for api/,
    ],
    ['has a partial wildcard', () => ({ names: ['DNS:a*.test'] }), /not for api\.test/],
    ['has a wildcard for a public suffix', () => ({ names: ['DNS:*.test'] }), /not for api\.test/],
    ['is signed by an unknown authority', () => ({ by: stranger }), /authority of the certificate is unknown/],
    ['is self-signed', () => ({ by: null }), /the certificate is self-signed/],
    ['has a weak key', () => ({ key: 'rsa-1024' }), /key too weak|EE certificate key too weak/i],
    ['is signed with SHA-1', () => ({ digest: 'sha1' }), /digest algorithm too weak|md too weak/i],
    ['is for clients', () => ({ extensions: { extendedKeyUsage: 'clientAuth' } }), /not meant for servers|purpose/i],
    ['is issued by no authority', () => ({ by: good }), /key usage|authority|CA/],
    [
      'has an unknown critical extension',
      () => ({ extensions: { '1.2.3.4.5': 'critical,DER:05:00' } }),
      /certificate refused/,
    ],
  ];
  it.for(faults)('is refused if it %s', async ([name, plan, cause], { cleanUp }) => {
    const certificate = pki.server(name.replaceAll(' ', '-'), { by: root, names, ...plan() });
    const upstream = await startTlsUpstream(cleanUp, { ...keysOf(certificate), ciphers: 'DEFAULT:@SECLEVEL=0' });
    const gateway = await startBefore(cleanUp, upstream.port);
    await expectRefusal(gateway, cause);
  });

  it('is refused without its intermediate', async ({ cleanUp }) => {
    const issuing = pki.authority('issuing', { by: root });
    const leaf = pki.server('leaf', { by: issuing, names });
    const { cert, key } = { cert: leaf.certificate, key: leaf.key };
    const without = await startBefore(cleanUp, (await startTlsUpstream(cleanUp, { cert, key })).port);
    await expectRefusal(without, /intermediate is missing/);
    const complete = await startBefore(cleanUp, (await startTlsUpstream(cleanUp, keysOf(leaf))).port);
    expect((await get(complete)).status).toBe(200);
  });

  it('may have a wildcard for one label only', async ({ cleanUp }) => {
    const certificate = pki.server('wildcard', { by: root, names: ['DNS:*.api.test'] });
    const upstream = await startTlsUpstream(cleanUp, keysOf(certificate));
    const one = await startBefore(cleanUp, upstream.port, { tls: verified({ serverName: 'a.api.test' }) });
    expect((await get(one)).status).toBe(200);
    for (const serverName of ['a.b.api.test', 'api.test']) {
      const other = await startBefore(cleanUp, upstream.port, { tls: verified({ serverName }) });
      await expectRefusal(other, /it is for DNS:\*\.api\.test/);
    }
  });

  it('must have an address as an IP name, and no SNI is sent', async ({ cleanUp }) => {
    const asName = pki.server('as-name', { by: root, names: ['DNS:127.0.0.1'] });
    const byAddress = { tls: verified({ serverName: '127.0.0.1' }) };
    const wrong = await startTlsUpstream(cleanUp, keysOf(asName));
    await expectRefusal(await startBefore(cleanUp, wrong.port, byAddress), /not for 127\.0\.0\.1/);
    const right = await startTlsUpstream(cleanUp, keysOf(good));
    const gateway = await startBefore(cleanUp, right.port, byAddress);
    expect((await get(gateway)).status).toBe(200);
    expect(right.serverNames).toEqual(['']);
  });

  it('is compared with the host of the target by default', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const gateway = await startBefore(cleanUp, upstream.port, { tls: verified({ serverName: null }) });
    expect((await get(gateway)).status).toBe(200);
  });

  it('is not checked with insecure-skip-verify', async ({ cleanUp }) => {
    const certificate = pki.server('bad', { by: null, names: ['DNS:other.test'] });
    const upstream = await startTlsUpstream(cleanUp, keysOf(certificate));
    const tls = verified({ verifies: false, caCertFile: null });
    expect((await get(await startBefore(cleanUp, upstream.port, { tls }))).status).toBe(200);
  });

  it('is refused over HTTP/2 and by negotiation too', async ({ cleanUp }) => {
    const certificate = pki.server('other', { by: root, names: ['DNS:other.test'] });
    const upstream = await startTlsUpstream(cleanUp, { ...keysOf(certificate), ALPNProtocols: ['h2', 'http/1.1'] });
    for (const httpVersion of ['2', 'auto'] as const) {
      await expectRefusal(await startBefore(cleanUp, upstream.port, { httpVersion }), /it is for DNS:other\.test/);
    }
  });

  it('is refused again on each connection: a failed handshake leaves no session behind', async ({ cleanUp }) => {
    const certificate = pki.server('wrong', { by: root, names: ['DNS:other.test'] });
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const upstream = await startTlsUpstream(cleanUp, { ...keysOf(certificate), maxVersion });
      const gateway = await startBefore(cleanUp, upstream.port);
      for (let round = 0; round < 3; round += 1) await expectRefusal(gateway, /it is for DNS:other\.test/);
      expect(upstream.resumed).not.toContain(true);
    }
  });
});

describe('a TLS connection to an upstream', () => {
  it.for([
    ['1.1', ['http/1.1'], '1.1'],
    ['1.1', undefined, '1.1'],
    ['2', ['h2'], '2.0'],
    ['2', ['h2', 'http/1.1'], '2.0'],
    ['auto', ['h2', 'http/1.1'], '2.0'],
    ['auto', ['http/1.1'], '1.1'],
    ['auto', undefined, '1.1'],
  ] as const)('with http-version %s to a target of %s uses HTTP/%s', async ([version, offered, used], { cleanUp }) => {
    const alpn = offered === undefined ? {} : { ALPNProtocols: [...offered] };
    const upstream = await startTlsUpstream(cleanUp, { ...keysOf(good), ...alpn });
    const gateway = await startBefore(cleanUp, upstream.port, { httpVersion: version });
    const answers = await Promise.all(Array.from({ length: 5 }, () => get(gateway)));
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ version: used });
    }
  });

  it('with http-version 2 is refused by a target of HTTP/1.1 alone', async ({ cleanUp }) => {
    const port = await startRawTlsUpstream(cleanUp, { ...keysOf(good), ALPNProtocols: ['http/1.1'] }, () => undefined);
    await expectRefusal(await startBefore(cleanUp, port, { httpVersion: '2' }), /no application protocol|ALPN/i);
    const without = await startRawTlsUpstream(cleanUp, keysOf(good), () => undefined);
    await expectRefusal(await startBefore(cleanUp, without, { httpVersion: '2' }), /none of the offered protocols/);
  });

  it('follows a target that changes its protocol', async ({ cleanUp }) => {
    const first = await startTlsUpstream(cleanUp, { ...keysOf(good), ALPNProtocols: ['h2', 'http/1.1'] });
    const gateway = await startBefore(cleanUp, first.port, {
      httpVersion: 'auto',
      retries: { maxAttempts: 1, budgetPercent: 0 },
    });
    expect(JSON.parse((await get(gateway)).text)).toMatchObject({ version: '2.0' });
    const { port } = first;
    await first.close();
    const second = await startRawTlsUpstream(
      cleanUp,
      { ...keysOf(good), ALPNProtocols: ['http/1.1'] },
      (socket) => socket.on('data', () => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')),
      port,
    );
    expect(second).toBe(port);
    let text = '';
    for (let round = 0; round < 5 && text !== 'ok'; round += 1) ({ text } = await get(gateway));
    expect(text).toBe('ok');
  });

  it('resumes its session, within one upstream only', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const tls = verified();
    const one = { ...testUpstream(upstream.port, { tls, maxIdle: 0 }), name: 'one' };
    const two = { ...testUpstream(upstream.port, { tls: verified({ minVersion: '1.3' }), maxIdle: 0 }), name: 'two' };
    const routes = [one, two].map(({ name }) =>
      testRoute({ id: name, upstream: name, matches: { ...testRoute().matches, pathPrefixes: [`/${name}`] } }),
    );
    const gateway = await startInProcess(testConfiguration([one, two], { routes }));
    cleanUp.add(() => gateway.stop());
    for (const name of ['one', 'one', 'two', 'two']) {
      expect((await fetch(`${gateway.url}/${name}`)).status).toBe(200);
      await eventually(() => upstream.resumed.length > 0);
    }
    expect(upstream.resumed).toEqual([false, true, false, true]);
  });

  it('is kept for the next request', async ({ cleanUp }) => {
    for (const httpVersion of ['1.1', '2'] as const) {
      const upstream = await startTlsUpstream(cleanUp, { ...keysOf(good), ALPNProtocols: ['h2', 'http/1.1'] });
      const gateway = await startBefore(cleanUp, upstream.port, { httpVersion });
      for (let round = 0; round < 20; round += 1) expect((await get(gateway)).status).toBe(200);
      expect(upstream.resumed).toEqual([false]);
      await Promise.all(Array.from({ length: 200 }, () => get(gateway)));
      const opened = upstream.resumed.length;
      for (let round = 0; round < 20; round += 1) await Promise.all([get(gateway), get(gateway), get(gateway)]);
      expect(upstream.resumed).toHaveLength(opened);
    }
  });

  it('uses the Host that is configured', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, { ...keysOf(good), ALPNProtocols: ['h2', 'http/1.1'] });
    for (const httpVersion of ['1.1', '2'] as const) {
      const hostOf = async (changes: Partial<UpstreamConfiguration>): Promise<unknown> => {
        const gateway = await startBefore(cleanUp, upstream.port, { httpVersion, ...changes });
        const { text } = await get(gateway);
        return { host: (JSON.parse(text) as { host: string }).host, own: gateway.url.slice(7) };
      };
      const kept = await hostOf({});
      expect(kept).toMatchObject({ host: (kept as { own: string }).own });
      expect(await hostOf({ hostHeader: { kind: 'target' } })).toMatchObject({ host: `127.0.0.1:${upstream.port}` });
      expect(await hostOf({ hostHeader: { kind: 'fixed', host: 'x.test' } })).toMatchObject({ host: 'x.test' });
    }
  });
});

describe('a client certificate for an upstream', () => {
  it('is presented where it is configured', async ({ cleanUp }) => {
    const own = pki.client('gateway', { by: root });
    const options = { ...keysOf(good), requestCert: true, rejectUnauthorized: true, ca: root.certificate };
    const upstream = await startTlsUpstream(cleanUp, options);
    const certificate = { certFile: folder.write('own.pem', pemChain(own)), keyFile: folder.write('own.key', own.key) };
    const gateway = await startBefore(cleanUp, upstream.port, { tls: verified({ certificate }) });
    expect((await get(gateway)).status).toBe(200);
    const without = await startBefore(cleanUp, upstream.port);
    const { status, text } = await get(without);
    expect(status).toBe(502);
    expect(text).not.toMatch(/certificate/i);
    expect(causes(without).at(-1)).toMatch(/certificate required|handshake/i);
  });

  it.for([
    ['a key of another certificate', () => [good, stranger.key], /the private key does not belong to the certificate/],
    ['a key that is no key', () => [good, 'nonsense'], /holds no private key in PEM/],
  ] as const)('is refused at load with %s', async ([_name, pair, message]) => {
    const [certificate, key] = pair() as [OpensslCertificate, string];
    const files = { certFile: folder.write('c.pem', pemChain(certificate)), keyFile: folder.write('c.key', key) };
    const upstream = testUpstream(1, { tls: verified({ certificate: files }) });
    await expect(startInProcess(testConfiguration([upstream]))).rejects.toThrow(message);
    await expect(startInProcess(testConfiguration([upstream]))).rejects.not.toThrow(key);
  });

  it('is refused at load if a file is missing', async () => {
    const upstream = testUpstream(1, { tls: verified({ caCertFile: folder.file('absent.pem') }) });
    await expect(startInProcess(testConfiguration([upstream]))).rejects.toThrow(
      /upstream "upstream": ca-cert: the file .*absent\.pem cannot be read/,
    );
  });
});

describe('a TLS server that misbehaves', () => {
  it('and never ends its handshake is given up after connect-secs', async ({ cleanUp }) => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void silent.close());
    const { port } = silent.address() as { port: number };
    for (const httpVersion of ['1.1', '2', 'auto'] as const) {
      const gateway = await startBefore(cleanUp, port, {
        httpVersion,
        timeouts: { connectMs: 200, readMs: 20_000, requestMs: 20_000 },
      });
      expect((await get(gateway)).status).toBe(504);
      expect(causes(gateway).at(-1)).toMatch(/no TLS connection .*within 200 ms/);
    }
  });

  it('and says nothing after its handshake is given up after request-secs', async ({ cleanUp }) => {
    const port = await startRawTlsUpstream(cleanUp, keysOf(good), (socket) => void socket.resume());
    const timeouts = { connectMs: 20_000, readMs: 20_000, requestMs: 200 };
    expect((await get(await startBefore(cleanUp, port, { timeouts }))).status).toBe(504);
  });

  it('and speaks no TLS is 502', async ({ cleanUp }) => {
    const plain = createServer(
      (socket) => void socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void plain.close());
    const { port } = plain.address() as { port: number };
    await expectRefusal(await startBefore(cleanUp, port), /TLS handshake failed: /);
  });

  it('and knows only an old version is 502', async ({ cleanUp }) => {
    const options = { ...keysOf(good), maxVersion: 'TLSv1.2' as const };
    const port = await startRawTlsUpstream(cleanUp, options, () => undefined);
    await expectRefusal(
      await startBefore(cleanUp, port, { tls: verified({ minVersion: '1.3' }) }),
      /TLS handshake failed: /,
    );
  });

  it('and closes in the middle of a body is noticed, with and without its close_notify', async ({ cleanUp }) => {
    for (const end of ['end', 'destroy'] as const) {
      const port = await startRawTlsUpstream(cleanUp, keysOf(good), (socket) => {
        socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () => socket[end]()));
      });
      const gateway = await startBefore(cleanUp, port);
      await expect(get(gateway)).rejects.toThrow();
    }
  });

  it('and asks for another handshake loses its connection', async ({ cleanUp }) => {
    const options = { ...keysOf(good), maxVersion: 'TLSv1.2' as const };
    const port = await startRawTlsUpstream(cleanUp, options, (socket) => {
      socket.once('data', () => void socket.renegotiate({}, () => undefined));
    });
    const timeouts = { connectMs: 20_000, readMs: 20_000, requestMs: 1_000 };
    const { status } = await get(await startBefore(cleanUp, port, { timeouts }));
    expect([502, 504]).toContain(status);
  });

  it.for([
    ['in the same record', 100],
    // A record holds at most 16384 octets, so the second response is a record, in the same segment.
    ['in the next record', 16_384],
  ] as const)(
    'and sends a second response behind the first, %s, never gets it to a client',
    async ([_name, length], { cleanUp }) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length - 100}\r\nX: `;
      const first = `${head.padEnd(96, 'x')}\r\n\r\n`.padEnd(length, 'g');
      const port = await startRawTlsUpstream(cleanUp, keysOf(good), (socket) => {
        socket.on('data', () => socket.write(`${first}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`));
      });
      const gateway = await startBefore(cleanUp, port, { maxConnections: 1 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => get(gateway)));
      for (const { text } of answers) expect(text).not.toBe('evil');
      expect(answers.filter(({ text }) => /^g+$/.test(text) || text === '').length).toBe(20);
    },
  );

  it('and changes its certificate is refused from then on', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const gateway = await startBefore(cleanUp, upstream.port, { maxIdle: 0 });
    expect((await get(gateway)).status).toBe(200);
    upstream.use(keysOf(pki.server('changed', { by: stranger, names: ['DNS:api.test'] })));
    await expectRefusal(gateway, /authority of the certificate is unknown/);
  });
});

describe('the files of tls of an upstream', () => {
  it('are read again when they change, and a bad one keeps the old one', async ({ cleanUp }) => {
    const file = folder.write('changing.pem', root.certificate);
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const tasks: (() => void)[] = [];
    const later = { cancel: () => undefined };
    const scheduler = {
      after: (ms: number, task: () => void) => {
        setTimeout(task, ms).unref();
        return later;
      },
      every: (ms: number, task: () => void) => {
        if (ms === 5_000) tasks.push(task);
        return later;
      },
    };
    const gateway = await startInProcess(
      testConfiguration([testUpstream(upstream.port, { tls: verified({ caCertFile: file }), maxIdle: 0 })]),
      { scheduler },
    );
    cleanUp.add(() => gateway.stop());
    const reread = async (message: string): Promise<void> => {
      const before = gateway.logger.lines.length;
      for (const task of tasks) task();
      await eventually(() => gateway.logger.lines.slice(before).some((line) => line.message.includes(message)));
    };
    expect((await get(gateway)).status).toBe(200);
    folder.write('changing.pem', 'nonsense');
    await reread('TLS files of an upstream are unusable: the old ones stay');
    expect((await get(gateway)).status).toBe(200);
    folder.write('changing.pem', stranger.certificate);
    await reread('TLS files of an upstream have changed');
    await expectRefusal(gateway, /authority of the certificate is unknown/);
    folder.write('changing.pem', root.certificate);
    await reread('TLS files of an upstream have changed');
    expect((await get(gateway)).status).toBe(200);
  });
});

describe('the metric of certificates', () => {
  const files = (name: string, made: OpensslCertificate) => ({
    certFile: folder.write(`${name}.pem`, pemChain(made)),
    keyFile: folder.write(`${name}.key`, made.key),
  });

  const expiries = async (gateway: InProcessGateway): Promise<Record<string, number>> =>
    Object.fromEntries(
      [
        ...(await gateway.metrics()).matchAll(
          /^gateway_certificate_expiry_timestamp_seconds\{use="(\w+)",name="(\w+)",subject="([^"]*)",instance="test"\} (\d+)$/gm,
        ),
      ].map(([, use, name, subject, value]) => [`${use} ${name} ${subject}`, Number(value)]),
    );

  const endOf = ({ certificate }: OpensslCertificate): number =>
    Date.parse(new X509Certificate(certificate).validTo) / 1_000;

  /** Ends in so many days. */
  const days = (count: number) => ({
    validity: [Date.now() - dayMs, Math.floor(Date.now() / 1_000) * 1_000 + count * dayMs] as const,
  });

  it('follows a changed file of an upstream, and keeps the value of a bad one', { timeout: 30_000 }, async ({
    cleanUp,
  }) => {
    const [first, second] = [pki.client('me', { by: root, ...days(20) }), pki.client('me', { by: root, ...days(60) })];
    const certificate = files('me', first);
    const gateway = await startInProcess(testConfiguration([testUpstream(1, { tls: verified({ certificate }) })]));
    cleanUp.add(() => gateway.stop());
    const key = 'upstream upstream CN=me';
    expect(await expiries(gateway)).toEqual({ 'upstream upstream CN=root': endOf(root), [key]: endOf(first) });
    folder.write('me.pem', 'nonsense');
    await eventually(() => gateway.logger.lines.some(({ message }) => message.includes('unusable')));
    expect((await expiries(gateway))[key]).toBe(endOf(first));
    files('me', second);
    await expect.poll(async () => (await expiries(gateway))[key], { timeout: 10_000 }).toBe(endOf(second));
  });

  it('has the certificates of a listener with its client authorities, and loses what a reload removes', async ({
    cleanUp,
  }) => {
    const between = pki.authority('between', { by: root, ...days(90) });
    const main = pki.server('main', { by: between, names: ['DNS:b.test'], ...days(30) });
    const unnamed = pki.server('unnamed', { by: root, subject: '/', names: ['DNS:a.test'], ...days(5) });
    const [listener] = testConfiguration([]).listeners;
    const secured = {
      ...(listener as NonNullable<typeof listener>),
      tls: {
        certificates: [files('main', main), files('unnamed', unnamed)],
        clientAuth: 'request' as const,
        caCertFile: folder.write('stranger.pem', stranger.certificate),
        forwardClientCertHeader: null,
        minVersion: '1.2' as const,
      },
    };
    const upstream = testUpstream(1, { tls: verified() });
    const gateway = await startInProcess(testConfiguration([upstream], { listeners: [secured] }));
    cleanUp.add(() => gateway.stop());
    expect(await expiries(gateway)).toEqual({
      'listener main CN=main': endOf(main),
      'listener main CN=between': endOf(between),
      'listener main DNS:a.test': endOf(unnamed),
      'listener main CN=stranger': endOf(stranger),
      'upstream upstream CN=root': endOf(root),
    });
    expect(gateway.logger.lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('the certificate "DNS:a.test" expires soon'),
    );
    expect(await gateway.reload(testConfiguration([testUpstream(1)], { listeners: [secured] }))).toMatchObject({
      ok: true,
    });
    expect(Object.keys(await expiries(gateway)).filter((key) => key.startsWith('upstream'))).toEqual([]);
    expect(await gateway.reload(testConfiguration([testUpstream(1)]))).toMatchObject({ ok: true });
    expect(await expiries(gateway)).toEqual({});
  });
});
