import { createHash } from 'node:crypto';
import { beforeEach, expect } from 'vitest';
import { signToken } from '../../support/agent/test-tokens.js';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, fencedBlocks } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';
const upstream = new RecordingUpstream();
let root: OpensslCertificate;
let partner: OpensslCertificate;
let other: OpensslCertificate;
let running: DocumentedGateway;

const example = fencedBlocks(documentationPage('docs/guides/jwt.md')).find(({ text }) => text.includes('client-auth'));

const start = async (cleanUp: CleanUp): Promise<void> => {
  const pki = new OpensslCertificates();
  cleanUp.add(() => pki.remove());
  cleanUp.add(() => upstream.close());
  root = pki.authority('root');
  partner = pki.client('partner', { by: root });
  other = pki.client('other', { by: root });
  const server = pki.server('server', { by: root, names: ['DNS:a.example'] });
  running = await startDocumented(cleanUp, example?.text ?? '', {
    ports: { 3001: await upstream.listen() },
    environment: { JWT_SECRET: secret },
    texts: {
      '/etc/portcullis/example.com.pem': server.certificateFile,
      '/etc/portcullis/example.com.key': server.keyFile,
      '/etc/portcullis/partners-ca.pem': root.certificateFile,
    },
  });
};

const ask = async (client: OpensslCertificate | null, cnf: unknown): Promise<number> => {
  const exp = Math.floor(Date.now() / 1000) + 300;
  const token = signToken('HS256', secret, { sub: 'ann', aud: 'orders', exp, cnf });
  const own = client === null ? {} : { cert: client.certificate, key: client.key };
  const { status } = await running.ask(8443, {
    path: '/orders',
    headers: { Authorization: `Bearer ${token}` },
    tls: { ca: root.certificate, servername: 'a.example', ...own },
  });
  return status;
};

describeWithPeers(['openssl'], 'the guide to bearer tokens', () => {
  it.beforeAll(({ fileCleanUp }) => start(fileCleanUp));
  beforeEach(() => void upstream.received.splice(0));

  it('shows that a token bound to a certificate is accepted only with it', async () => {
    const cnf = { 'x5t#S256': createHash('sha256').update(partner.der).digest('base64url') };
    expect(await ask(partner, cnf)).toBe(200);
    expect(upstream.received.flatMap((request) => valuesOf(request, 'x-user-id'))).toEqual(['ann']);
    expect(await ask(other, cnf)).toBe(401);
    expect(await ask(null, cnf)).toBe(401);
    expect(await ask(partner, { jkt: 'thumbprint' })).toBe(401);
    expect(upstream.received).toHaveLength(1);
  });
});
