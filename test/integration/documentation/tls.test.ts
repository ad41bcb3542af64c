import { beforeEach, describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { tlsCall, tlsConnection } from '../../support/gateway/tls-call.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, fencedBlocks, mainExample, tableOf } from '../../support/shared/documentation-examples.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const page = 'docs/guides/tls.md';
const main = mainExample(page);
const parts = fencedBlocks(documentationPage(page)).filter(({ info, text }) => info === 'kdl' && text !== main);

/** The main example with another listener, the one of this name. */
const withListener = (name: string): string => {
  const part = parts.find(({ text }) => text.startsWith(`listener "${name}"`) && text !== main);
  if (part === undefined) throw new Error(`the guide has no listener ${name}`);
  return main.replace(/^listeners \{\n.*?^\}\n/ms, `listeners {\n${part.text}}\n`);
};
const clients: Record<string, OpensslCertificate | null> = {};
const folder = temporaryFolder();
const pki = new OpensslCertificates();
let root: OpensslCertificate;
let partners: OpensslCertificate;

const write = (name: string, { certificate, key }: OpensslCertificate): void => {
  folder.write(`${name}.pem`, certificate);
  folder.write(`${name}.key`, key);
};

/** Sends its root too. */
const withRoot = (client: OpensslCertificate, root: OpensslCertificate): OpensslCertificate => ({
  ...client,
  intermediates: [root],
});

const dayMs = 86_400_000;
const between = (from: number, to: number) => [Date.now() + from * dayMs, Date.now() + to * dayMs] as const;

it.beforeAll(({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => folder.remove());
  cleanUp.add(() => pki.remove());
  root = pki.authority('root');
  for (const [name, dns] of [
    ['example.com', 'example.com'],
    ['shop.example', 'shop.example'],
    ['wildcard.example.net', '*.example.net'],
  ] as const) {
    write(name, pki.server(name, { by: root, names: [`DNS:${dns}`] }));
  }
  partners = pki.authority('partners');
  const intermediate = pki.authority('intermediate', { by: partners });
  const last = pki.authority('last', {
    by: partners,
    extensions: { basicConstraints: 'critical,CA:TRUE,pathlen:0' },
  });
  const other = pki.authority('other');
  const manyNames = Array.from({ length: 400 }, (_, index) => `DNS:a-rather-long-name-of-a-host-${index}.example`);
  const ofIntermediate = pki.client('client', { by: intermediate });
  Object.assign(clients, {
    good: ofIntermediate,
    none: null,
    expired: pki.client('client', { by: partners, validity: between(-9, -1) }),
    early: pki.client('client', { by: partners, validity: between(1, 9) }),
    foreign: pki.client('client', { by: other }),
    incomplete: { ...ofIntermediate, intermediates: [] },
    selfSigned: pki.client('client'),
    server: pki.server('client', { by: partners }),
    withRoot: withRoot(pki.client('client', { by: other }), other),
    tooDeep: pki.client('client', { by: pki.authority('below', { by: last }) }),
    critical: pki.client('client', { by: partners, extensions: { '1.2.3.4.5': 'critical,DER:05:00' } }),
    large: pki.client('client', { by: partners, names: manyNames }),
  });
});
beforeEach(() => void folder.write('partners-ca.pem', partners.certificate));

interface Stage {
  readonly running: DocumentedGateway;
  readonly upstream: RecordingUpstream;
  readonly address: { readonly host: string; readonly port: number };
}

/** The example on this machine, with the certificates that were made for it. */
const start = async (cleanUp: CleanUp, example: string, documentedPort: number): Promise<Stage> => {
  const upstream = new RecordingUpstream();
  const ports = { 3001: await upstream.listen() };
  cleanUp.add(() => upstream.close());
  const local = example.replace('0.0.0.0:', '127.0.0.1:').replace('10.0.0.0/24', '127.0.0.1');
  const texts = local.includes('/etc/portcullis') ? { '/etc/portcullis': folder.path } : {};
  const running = await startDocumented(cleanUp, local, { ports, texts });
  return { running, upstream, address: { host: '127.0.0.1', port: running.portOf(documentedPort) } };
};

/** What the upstream has got under a name, in the first request. */
const received = ({ upstream }: Stage, name: string): readonly string[] => {
  const [request] = upstream.received;
  if (request === undefined) throw new Error('the upstream has got nothing');
  return valuesOf(request, name);
};

const trusting = (servername = 'example.com') => ({ ca: root.certificate, servername });

const as = (who: string) => {
  const identity = clients[who];
  if (identity === undefined) throw new Error(`there is no client ${who}`);
  return { ...trusting(), ...(identity && { cert: pemChain(identity), key: identity.key }) };
};

describe('the guide to TLS', () => {
  it('begins with a listener that serves https, and disconnects a client with http', async ({ cleanUp }) => {
    const stage = await start(cleanUp, main, 8443);
    const { address } = stage;
    expect(await tlsCall(address, trusting())).toMatchObject({ status: 200, error: null });
    expect(received(stage, 'X-Forwarded-Proto')).toEqual(['https']);
    const plain = await rawExchange(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(plain.raw).not.toContain('HTTP/1.1');
  });

  it('describes certificate selection', async ({ cleanUp }) => {
    const { address } = await start(cleanUp, withListener('public'), 8443);
    const shown = async (servername: string) => {
      const socket = await tlsConnection(address, { ...trusting(servername), checkServerIdentity: () => undefined });
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN;
    };
    expect(await shown('shop.example')).toBe('shop.example');
    expect(await shown('a.example.net')).toBe('wildcard.example.net');
    for (const name of ['example.com', 'example.net', 'a.b.example.net', 'other.example', '']) {
      expect(await shown(name), name).toBe('example.com');
    }
  });

  it.for(
    tableOf(page, [
      'client-auth',
      'Client without a certificate',
      'Client with a certificate that is untrusted by `ca-cert-file`, or not valid now',
    ]),
  )('describes client-auth %s', async ([cell = '', without, withBad], { cleanUp }) => {
    const clientAuth = /none|request|require/.exec(cell)?.[0];
    let example = withListener('partners').replace('client-auth "require"', `client-auth "${clientAuth}"`);
    if (clientAuth === 'none') example = example.replace(/^ *(ca-cert-file|forward-client-cert-header).*\n/gm, '');
    const { address } = await start(cleanUp, example, 9443);
    const isServed = async (who: string) => (await tlsCall(address, as(who))).status === 200;
    expect(await isServed('none')).toBe(without === 'served');
    for (const who of ['expired', 'foreign'])
      expect(await isServed(who)).toBe(withBad === 'not asked for a certificate');
    expect(await isServed('good')).toBe(true);
  });

  it('describes the forwarded certificate, which no client can forge', async ({ cleanUp }) => {
    const stage = await start(cleanUp, withListener('partners'), 9443);
    const request = 'GET / HTTP/1.1\r\nHost: a\r\nX_CLIENT_CERT: forged\r\nConnection: close\r\n\r\n';
    expect((await tlsCall(stage.address, as('good'), request)).status).toBe(200);
    const certificates = decodeURIComponent(received(stage, 'X-Client-Cert')[0] ?? '');
    expect(certificates.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(certificates.startsWith(clients['good']?.certificate.trim() ?? 'none')).toBe(true);
    expect(JSON.stringify(stage.upstream.received)).not.toContain('forged');
  });

  it('describes how to revoke a client', async ({ cleanUp }) => {
    const { running, address } = await start(cleanUp, withListener('partners'), 9443);
    const standing = await tlsConnection(address, as('good'));
    const closed = new Promise((resolve) => standing.once('close', resolve));
    standing.resume();
    standing.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    folder.write('partners-ca.pem', root.certificate);
    expect((await running.gateway.reload()).ok).toBe(true);
    await closed;
    expect((await tlsCall(address, as('good'))).status).toBeNull();
  });

  it('describes which peers may send a certificate header', async ({ cleanUp }) => {
    const [example = ''] = parts.flatMap(({ text }) =>
      text.includes('"behind-balancer"') ? [main.replace(/^listeners \{\n.*?^\}\n/ms, text)] : [],
    );
    const ask = async (text: string, headers: readonly string[]) => {
      const stage = await start(cleanUp, text, 8080);
      await call(stage.address.port, { headers: ['Host', 'a', ...headers] });
      return received(stage, 'X-Client-Cert');
    };
    expect(await ask(example, ['X-Client-Cert', 'of the proxy'])).toEqual(['of the proxy']);
    const long = 'x'.repeat(16_000);
    expect(await ask(example, ['X-Client-Cert', long])).toEqual([long]);
    expect(await ask(example, ['X-Client-Cert', 'one', 'x-client-cert', 'other'])).toEqual([]);
    expect(await ask(example.replace('10.0.0.0/24', '192.0.2.1'), ['X-Client-Cert', 'forged'])).toEqual([]);
  });

  it.for([
    ['none', {}, 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
    ['expired', {}, 'CERT_HAS_EXPIRED'],
    ['early', {}, 'CERT_NOT_YET_VALID'],
    ['foreign', {}, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ['incomplete', {}, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ['selfSigned', {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['server', {}, 'INVALID_PURPOSE'],
    [
      'good',
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'ERR_SSL_UNSUPPORTED_PROTOCOL',
    ],
    ['good', { ALPNProtocols: ['spdy/3'] }, 'ERR_SSL_NO_APPLICATION_PROTOCOL'],
    ['good', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }, 'ERR_SSL_NO_SHARED_CIPHER'],
    ['withRoot', {}, 'SELF_SIGNED_CERT_IN_CHAIN'],
    ['tooDeep', {}, 'PATH_LENGTH_EXCEEDED'],
    ['critical', {}, 'UNSPECIFIED'],
    ['large', {}, 'CERTIFICATE_TOO_LARGE'],
    ['good', { ca: '' }, 'ECONNRESET'],
  ] as const)('names the code of a failed handshake: %s %j', async ([who, more, code], { cleanUp }) => {
    expect(tableOf(page, ['code', 'Cause']).some(([codes]) => codes?.includes(code))).toBe(true);
    const { running, address } = await start(cleanUp, withListener('partners'), 9443);
    await tlsCall(address, { ...as(who), ...more });
    const failures = () => running.logger.lines.filter(({ message }) => message === 'TLS handshake failed');
    await eventually(() => failures().length > 0);
    const fields = { listener: `127.0.0.1:${address.port}`, client_ip: '127.0.0.1', code };
    expect(failures()).toEqual([{ level: 'info', message: 'TLS handshake failed', fields }]);
  });
});
