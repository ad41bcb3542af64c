import { execFile } from 'node:child_process';
import { connect as connectPlain } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../../../support/gateway/raw-exchange.js';
import { jsonOf, tlsCall, tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let first: OpensslCertificate;
let second: OpensslCertificate;
let wild: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  const intermediate = pki.authority('intermediate', { by: root });
  first = pki.server('first', { by: intermediate, names: ['DNS:a.example'] });
  second = pki.server('c.example', { by: root, names: ['DNS:b.example', 'DNS:B2.Example'] });
  wild = pki.server('wild', { by: root, names: ['DNS:*.w.example'] });
});
afterAll(() => pki.remove());

/** What a client that trusts the root asks with. */
const trusting = (changes: object = {}) => ({ ca: root.certificate, servername: 'a.example', ...changes });

describe('a TLS handshake', () => {
  it('passes the negotiated TLS and the scheme https to request handling', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    const modern = await tlsCall(listener.address(), trusting({ servername: 'A.Example' }));
    expect(modern.error).toBeNull();
    expect(jsonOf(modern)).toMatchObject({
      listener: 'main',
      peerAddress: '127.0.0.1',
      scheme: 'https',
      tls: { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', serverName: 'a.example', clientCertificate: null },
    });
    const older = await tlsCall(listener.address(), trusting({ maxVersion: 'TLSv1.2' }));
    expect(jsonOf(older)).toMatchObject({
      tls: { version: 'TLSv1.2', cipher: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256' },
    });
  });

  it('has no server name if the client sends none or an invalid one', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    for (const servername of ['', 'a.example\n{"forged":1}']) {
      const answer = await tlsCall(listener.address(), { rejectUnauthorized: false, servername });
      expect(jsonOf(answer)).toMatchObject({ tls: { serverName: null } });
    }
  });

  it.for([
    ['TLSv1', '1.2'],
    ['TLSv1.1', '1.2'],
    ['TLSv1.2', '1.3'],
  ] as const)('of %s is refused with minimum version %s', async ([version, minVersion], { cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first], { minVersion }));
    const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const answer = await tlsCall(listener.address(), trusting(versions));
    expect(answer).toMatchObject({ text: '', error: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    expect(handler.requests).toEqual([]);
    expect(handler.failures).toEqual([
      { listener: 'main', peerAddress: '127.0.0.1', code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
    ]);
  });

  it.for(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256', 'NULL', 'aNULL'])(
    'with only the cipher %s is refused: no forward secrecy or no authenticated encryption',
    async (ciphers, { cleanUp }) => {
      const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
      const old = { maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` };
      const answer = await tlsCall(listener.address(), trusting(old));
      expect(answer).toMatchObject({ text: '', version: null });
      expect(handler.failures).toMatchObject([{ code: 'ERR_SSL_NO_SHARED_CIPHER' }]);
    },
  );

  it('sends the intermediates: a client with only the root trusts it', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    expect(await tlsCall(listener.address(), trusting())).toMatchObject({ status: 200, error: null });
  });

  it('that offers only HTTP/2 is refused, and one with HTTP/1.1 too gets HTTP/1.1', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const alone = await tlsCall(listener.address(), trusting({ ALPNProtocols: ['h2'] }));
    expect(alone.error).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
    expect(handler.failures).toMatchObject([{ code: 'ERR_SSL_NO_APPLICATION_PROTOCOL' }]);
    const socket = await tlsConnection(listener.address(), trusting({ ALPNProtocols: ['h2', 'http/1.1'] }));
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
  });

  it('is not renegotiated on an open connection', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first]));
    const socket = await tlsConnection(listener.address(), trusting({ maxVersion: 'TLSv1.2' }));
    const outcome = await new Promise<string>((resolve) => {
      socket.once('close', () => resolve('closed'));
      socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null ? 'made anew' : 'refused'));
    });
    expect(outcome).not.toBe('made anew');
    socket.destroy();
  });
});

describe('the selected certificate', () => {
  const subjectFor = async (cleanUp: CleanUp, servername: string): Promise<string> => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first, second, wild]));
    const socket = await tlsConnection(listener.address(), { servername, rejectUnauthorized: false });
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  };

  it.for([
    ['a.example', 'first'],
    ['b.example', 'c.example'],
    ['B.EXAMPLE', 'c.example'],
    ['b2.example', 'c.example'],
    ['one.w.example', 'wild'],
  ] as const)('for %s is the one of %s', async ([name, subject], { cleanUp }) => {
    expect(await subjectFor(cleanUp, name)).toBe(subject);
  });

  it.for(['', 'unknown.example', 'c.example', 'w.example', 'one.two.w.example', 'x'.repeat(250)])(
    'is the first for "%s", which no certificate covers',
    async (name, { cleanUp }) => {
      expect(await subjectFor(cleanUp, name)).toBe('first');
    },
  );

  it('is trusted by curl for each name', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([first, second, wild]));
    const { port } = listener.address();
    const ask = (name: string): Promise<string> =>
      new Promise((resolve) => {
        const resolved = ['--resolve', `${name}:${port}:127.0.0.1`, '--noproxy', '*'];
        const parameters = ['-sS', '--cacert', root.certificateFile, ...resolved, `https://${name}:${port}/`];
        execFile('curl', parameters, (error, stdout, stderr) => resolve(error ? stderr : stdout));
      });
    expect(await ask('b.example')).toContain('"serverName":"b.example"');
    expect(await ask('one.w.example')).toContain('"serverName":"one.w.example"');
    expect(await ask('c.example')).toContain('curl: (60)');
  });
});

describe('octets that are not TLS', () => {
  it.for([
    ['HTTP', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'ERR_SSL_HTTP_REQUEST'],
    ['garbage', '\x00\x01\x02\xff'.repeat(64), 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['the hello of SSL 2', '\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10', null],
    ['a record that is too long', `\x16\x03\x01\xff\xff${'\x01'.repeat(200)}`, null],
    ['an alert', '\x15\x03\x01\x00\x02\x02\x28', null],
    ['a hello that is none', `\x16\x03\x01\x00\x40\x01\x00\x00\x3c${'\xff'.repeat(60)}`, null],
  ] as const)('end the connection for %s without a request', async ([_, octets, code], { cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), {
      handshakeTimeoutMs: 1_000,
    });
    const { raw } = await rawExchange(listener.address(), octets);
    expect(raw).not.toContain('HTTP/');
    const failure = await handler.failure();
    expect(failure).toMatchObject({ listener: 'main', peerAddress: '127.0.0.1' });
    if (code) expect(failure.code).toBe(code);
    expect(handler.requests).toEqual([]);
    expect(handler.failures).toHaveLength(1);
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('end the connection also after the handshake', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const raw = connectPlain(listener.address().port, '127.0.0.1');
    const socket = await tlsConnection(listener.address(), { ...trusting(), socket: raw });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    raw.write(Buffer.from(`\x17\x03\x03\x00\x20${'\x55'.repeat(32)}`, 'latin1'));
    await closed;
    await expect.poll(() => listener.connections()).toBe(0);
    expect(handler.requests).toEqual([]);
  });

  it('with a silent close cause no failure', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const socket = connectPlain(listener.address().port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    await expect.poll(() => listener.connections()).toBe(1);
    socket.destroy();
    await expect.poll(() => listener.connections()).toBe(0);
    expect(handler.failures).toEqual([]);
  });

  it('with an immediate reset cause one failure each', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const count = 50;
    for (let index = 0; index < count; index += 1) {
      const socket = connectPlain({ port: listener.address().port, host: '127.0.0.1', localAddress: '127.0.0.9' });
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('connect', resolve));
      await new Promise((resolve) => socket.write('GET / HTTP/1.1\r\n\r\n', resolve));
      socket.resetAndDestroy();
    }
    await expect.poll(() => listener.connections()).toBe(0);
    // Those that were reset before they had been accepted are gone without a trace.
    expect(handler.failures.length).toBeLessThanOrEqual(count);
    expect(new Set(handler.failures.map(({ peerAddress }) => peerAddress))).toEqual(new Set(['127.0.0.9']));
  });

  it('with a close within the handshake cause a failure', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]));
    const socket = connectPlain(listener.address().port, '127.0.0.1');
    socket.end(Buffer.from('\x16\x03\x01\x01\x00\x01\x00', 'latin1'));
    socket.resume();
    expect(await handler.failure()).toMatchObject({ code: 'ECONNRESET', peerAddress: '127.0.0.1' });
    await expect.poll(() => listener.connections()).toBe(0);
  });
});

describe('a handshake that takes too long', () => {
  it.for(['', '\x16\x03\x01'])('ends after %j', async (octets, { cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), { handshakeTimeoutMs: 200 });
    await rawExchange(listener.address(), octets);
    expect(handler.failures).toEqual([
      { listener: 'main', peerAddress: '127.0.0.1', code: 'ERR_TLS_HANDSHAKE_TIMEOUT' },
    ]);
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('ends even if octets keep arriving', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), { handshakeTimeoutMs: 300 });
    const socket = connectPlain(listener.address().port, '127.0.0.1');
    socket.on('error', () => undefined);
    let isClosed = false;
    socket.once('close', () => {
      isClosed = true;
    });
    socket.write(Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1'));
    // A hello of 512 octets would last for ever at this pace; the test's own time-out ends the loop otherwise.
    while (!isClosed) {
      socket.write(Buffer.from([0]));
      await sleep(50);
    }
    expect(handler.failures).toMatchObject([{ code: 'ERR_TLS_HANDSHAKE_TIMEOUT' }]);
  });

  it('ends at the head timeout if that is sooner, also after a reload', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), {
      proxyHeaderMs: 5_000,
      headMs: 200,
    });
    await rawExchange(listener.address(), '');
    expect(handler.failures).toMatchObject([{ code: 'ERR_TLS_HANDSHAKE_TIMEOUT' }]);
    const patient = await recordedListener(cleanUp, preparedTls([first]));
    patient.listener.waitFor({ ...plainTimeouts, headMs: 200 });
    await rawExchange(patient.listener.address(), '');
    expect(patient.handler.failures).toMatchObject([{ code: 'ERR_TLS_HANDSHAKE_TIMEOUT' }]);
  });

  it('has no effect after the handshake', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), { handshakeTimeoutMs: 100 });
    const socket = await tlsConnection(listener.address(), trusting());
    await sleep(300);
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await answer).toContain('200 OK');
    expect(handler.failures).toEqual([]);
    socket.destroy();
  });

  it('leaves request timeouts to HTTP', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([first]), {
      proxyHeaderMs: 5_000,
      headMs: 1_000,
    });
    const silent = await tlsCall(listener.address(), trusting(), '');
    const slow = await tlsCall(listener.address(), trusting(), 'GET / HTTP/1.1\r\nHost:');
    expect([silent.status, slow.status]).toEqual([400, 400]);
    expect(handler.rejections).toMatchObject([
      { reason: 'timed_out', connection: { scheme: 'https', tls: { serverName: 'a.example' } } },
      { reason: 'timed_out', connection: { scheme: 'https', tls: { serverName: 'a.example' } } },
    ]);
    expect(handler.failures).toEqual([]);
  });
});
