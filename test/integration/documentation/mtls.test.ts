import { beforeEach, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, fencedBlocks } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const upstream = new RecordingUpstream();
let pki: OpensslCertificates;
let root: OpensslCertificate;
let running: DocumentedGateway;

const example = fencedBlocks(documentationPage('docs/guides/mtls.md')).find(({ text }) =>
  text.includes('user-id-from'),
);

const start = async (cleanUp: CleanUp): Promise<void> => {
  pki = new OpensslCertificates();
  cleanUp.add(() => pki.remove());
  cleanUp.add(() => upstream.close());
  root = pki.authority('root');
  const server = pki.server('server', { by: root, names: ['DNS:a.example'] });
  running = await startDocumented(cleanUp, example?.text ?? '', {
    ports: { 3001: await upstream.listen() },
    texts: {
      '/etc/portcullis/example.com.pem': server.certificateFile,
      '/etc/portcullis/example.com.key': server.keyFile,
      '/etc/portcullis/spire-bundle.pem': root.certificateFile,
    },
  });
};

const ask = async (name: string, subject: string, names: readonly string[]) => {
  const client = pki.client(name, { by: root, subject, names });
  const { status } = await running.ask(9443, {
    path: '/orders',
    headers: { 'X-User-Id': 'root' },
    tls: { ca: root.certificate, servername: 'a.example', cert: client.certificate, key: client.key },
  });
  const [request] = upstream.received;
  return { status, user: request === undefined ? null : valuesOf(request, 'x-user-id') };
};

const billing = 'spiffe://example.org/ns/prod/sa/billing';

describeWithPeers(['openssl'], 'the guide to client certificates', () => {
  it.beforeAll(({ fileCleanUp }) => start(fileCleanUp));
  beforeEach(() => void upstream.received.splice(0));

  it('shows how a SPIFFE workload becomes a user', async () => {
    expect(await ask('billing', '/O=SPIRE', [`URI:${billing}`])).toEqual({ status: 200, user: [billing] });
  });

  it('shows that a DNS name is the user without a URI', async () => {
    const dnsName = 'reports.example.org';
    expect(await ask('reports', '/CN=some/CN=other', [`DNS:${dnsName}`])).toEqual({ status: 200, user: [dnsName] });
  });

  it('refuses unlisted workloads, and those with two URIs and no DNS name', async () => {
    const other = 'URI:spiffe://example.org/ns/dev/sa/billing';
    expect(await ask('dev', '/O=SPIRE', [other])).toEqual({ status: 401, user: null });
    expect(await ask('two', '/CN=billing', [`URI:${billing}`, other])).toEqual({ status: 401, user: null });
  });
});

const listExample = fencedBlocks(documentationPage('docs/guides/mtls.md')).find(({ text }) =>
  text.includes('crl-file'),
);

describeWithPeers(['openssl'], 'the guide to revocation lists', () => {
  it('shows that a revoked certificate gets 401, also after a new list has arrived', async ({ cleanUp }) => {
    const own = new OpensslCertificates();
    cleanUp.add(() => own.remove());
    const recording = new RecordingUpstream();
    cleanUp.add(() => recording.close());
    const authority = own.authority('devices');
    const server = own.server('server', { by: authority, names: ['DNS:a.example'] });
    const [first, second] = [own.client('first', { by: authority }), own.client('second', { by: authority })];
    const listFile = own.file('devices.crl', own.revocationList(authority, { revoked: [first] }));
    const gateway = await startDocumented(cleanUp, listExample?.text ?? '', {
      ports: { 3002: await recording.listen() },
      texts: {
        '/etc/portcullis/example.com.pem': server.certificateFile,
        '/etc/portcullis/example.com.key': server.keyFile,
        '/etc/portcullis/devices-ca.pem': authority.certificateFile,
        '/etc/portcullis/devices.crl': listFile,
      },
    });
    const statusOf = async (client: OpensslCertificate) => {
      const tls = { ca: authority.certificate, servername: 'a.example', cert: client.certificate, key: client.key };
      return (await gateway.ask(9444, { path: '/readings', tls })).status;
    };
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    const validity = [Date.now() - 60_000, Date.now() + 86_400_000] as const;
    own.file('devices.crl', own.revocationList(authority, { revoked: [first, second], validity }));
    await expect.poll(() => statusOf(second), { timeout: 20_000, interval: 500 }).toBe(401);
  });
});
