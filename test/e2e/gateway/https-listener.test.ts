import { Agent } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { beforeEach, expect } from 'vitest';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { tlsCall, tlsConnection } from '../../support/gateway/tls-call.js';
import { curl } from '../../support/shared/curl.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const key = 'a-key-of-the-https-listener';

describeWithPeers(['openssl', 'curl'], 'a listener of protocol https', () => {
  let folder: TemporaryFolder;
  let pki: OpensslCertificates;
  let root: OpensslCertificate;
  let issuing: OpensslCertificate;
  let stack: GatewayStack;

  const server = (name: string, names: readonly string[]): OpensslCertificate =>
    pki.server(name, { by: issuing, names });

  /** Puts a certificate where the listener reads it. */
  const install = (place: string, certificate: OpensslCertificate): void => {
    folder.write(`${place}.pem`, pemChain(certificate));
    folder.write(`${place}.key`, certificate.key);
  };
  const files = (place: string): string =>
    `cert-file "${folder.file(`${place}.pem`)}"; key-file "${folder.file(`${place}.key`)}"`;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    root = pki.authority('root');
    issuing = pki.authority('issuing', { by: root });
    install('main', server('main-1', ['DNS:main.example', 'IP:127.0.0.1']));
    install('shop', server('shop', ['DNS:shop.example', 'DNS:*.shop.example']));
    stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: `api-keys "${key}:alice"`,
      listeners: {
        https: `protocol "https"; tls { ${files('main')}; certificate { ${files('shop')} } }`,
        modern: `protocol "https"; tls { ${files('main')}; min-version "1.3" }`,
      },
    });
  });
  beforeEach(() => void stack.upstream.received.splice(0));

  const trusting = (more: ConnectionOptions = {}): ConnectionOptions => ({
    ca: root.certificate,
    servername: 'main.example',
    ...more,
  });
  const at = (listener = 'https') => ({ host: '127.0.0.1', port: stack.portOf(listener) });

  /** The common name of the certificate that a new connection gets. */
  const shown = async (servername = 'main.example'): Promise<string> => {
    const socket = await tlsConnection(at(), trusting({ servername }));
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  };

  const curlTo = (name: string, ...more: readonly string[]) => {
    const { port } = at();
    const resolved = ['--resolve', `${name}:${port}:127.0.0.1`, '--cacert', root.certificateFile];
    return curl(...resolved, '--header', `X-API-Key: ${key}`, ...more, `https://${name}:${port}/orders`);
  };

  it('serves a client that trusts only the root, and forwards the scheme https', async () => {
    expect(await curlTo('main.example')).toMatchObject({ code: 0, status: 200, body: 'ok' });
    const [received] = stack.upstream.received;
    expect(received && valuesOf(received, 'x-forwarded-proto')).toEqual(['https']);
    expect(received && valuesOf(received, 'x-forwarded-host')).toEqual([`main.example:${at().port}`]);
    expect(received && valuesOf(received, 'x-user-id')).toEqual(['alice']);
  });

  it.each([
    ['main.example', 'main-1'],
    ['shop.example', 'shop'],
    ['pay.shop.example', 'shop'],
  ])('selects the certificate by server name: %s', async (name, certificate) => {
    // curl checks the name, and would not go on with the other certificate.
    expect(await curlTo(name)).toMatchObject({ code: 0, status: 200 });
    expect(await shown(name)).toBe(certificate);
  });

  it('uses the first certificate for other names and for none', async () => {
    expect((await curlTo('unknown.example')).complaint).toMatch(/no alternative certificate subject name matches/);
    expect(await curl('--cacert', root.certificateFile, `https://127.0.0.1:${at().port}/health`)).toMatchObject({
      status: 200,
    });
  });

  it.each([
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ])('negotiates the protocol that the client prefers (%s), and refuses plain HTTP', async (option, version) => {
    const { body } = await curlTo('main.example', option, '--write-out', '\n%{http_version}\n%{http_code}');
    expect(body).toBe(`ok\n${version}`);
    await expect(call(at().port)).rejects.toThrow();
    await stack.gateway.wrote(/ERR_SSL_HTTP_REQUEST/);
  });

  it('enforces its minimum TLS version', async () => {
    const old = trusting({ maxVersion: 'TLSv1.2' });
    expect(await tlsCall(at('modern'), old)).toMatchObject({ status: null });
    expect(await tlsCall(at('modern'), trusting())).toMatchObject({ status: 401, version: 'TLSv1.3' });
    expect(await tlsCall(at(), old)).toMatchObject({ status: 401, version: 'TLSv1.2' });
    expect(await tlsCall(at(), trusting({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }))).toMatchObject({
      status: null,
    });
  });

  it('keeps its certificate if the new one does not match its key', async () => {
    const before = await shown();
    folder.write('main.pem', pemChain(server('unfit', ['DNS:main.example'])));
    stack.gateway.signal('SIGHUP');
    const log = await stack.gateway.wrote(/not reloaded/);
    expect(log).toContain(folder.file('main.pem'));
    expect(log).not.toContain('PRIVATE KEY');
    expect(await shown()).toBe(before);
  });

  it('reloads certificates on SIGHUP under load without a failed request', async ({ cleanUp }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanUp.add(() => agent.destroy());
    const headers = { 'X-API-Key': key };
    let turn = 0;
    const load = new SteadyLoad('reloads', 8, async () => {
      turn += 1;
      // Every other request has a connection of its own.
      const kept = turn % 2 === 0 ? { agent } : {};
      return (await call(at().port, { headers, tls: trusting(), ...kept })).status;
    });
    cleanUp.add(() => load.stop());
    const standing = await tlsConnection(at(), trusting());
    cleanUp.add(() => standing.destroy());
    for (const name of ['main-2', 'main-3', 'main-4']) {
      install('main', server(name, ['DNS:main.example', 'IP:127.0.0.1']));
      await stack.reload();
      expect(await shown()).toBe(name);
      const before = load.all().length;
      await untilTrue('requests go on', () => load.all().length > before + 20);
    }
    await load.stop();
    expect(new Set(load.all())).toEqual(new Set([200]));
    const answered = new Promise<string>((resolve) => standing.once('data', (data) => resolve(data.toString())));
    standing.write('GET /health HTTP/1.1\r\nHost: main.example\r\n\r\n');
    expect(await answered).toMatch(/^HTTP\/1\.1 200 /);
  });
});
