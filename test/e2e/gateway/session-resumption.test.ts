import { expect } from 'vitest';
import { type OpensslClient, opensslSession } from '../../support/gateway/openssl-session.js';
import { it } from '../../support/shared/fixtures.js';
import type { GatewayStack } from '../../support/shared/gateway-stack.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';
import { asAdmin, ofEachWorker, startWorkerStack } from '../../support/shared/worker-stack.js';

describeWithPeers(['openssl'], 'TLS sessions of a gateway with two workers', () => {
  let folder: TemporaryFolder;
  let stack: GatewayStack;
  let partners: OpensslCertificate;
  let others: OpensslCertificate;
  let client: OpensslCertificate;

  const install = (server: OpensslCertificate): void => {
    folder.write('server.pem', server.certificate);
    folder.write('server.key', server.key);
  };
  let renewed: OpensslCertificate;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const root = pki.authority('root');
    [partners, others] = [pki.authority('partners'), pki.authority('others')];
    client = pki.client('client', { by: partners });
    renewed = pki.server('renewed', { by: root, names: ['DNS:a.example'] });
    install(pki.server('server', { by: root, names: ['DNS:a.example'] }));
    folder.write('clients.pem', partners.certificate);
    const files = `cert-file "${folder.file('server.pem')}"; key-file "${folder.file('server.key')}"`;
    const clients = `client-auth "require"; ca-cert-file "${folder.file('clients.pem')}"`;
    stack = await startWorkerStack(cleanUp, {
      listeners: {
        open: `protocol "https"; tls { ${files} }`,
        strict: `protocol "https"; tls { ${files}; ${clients} }`,
      },
    });
  });

  const connect = (version: '1.2' | '1.3', more: Partial<OpensslClient> = {}, listener = 'open') =>
    opensslSession({ port: stack.portOf(listener), version, servername: 'a.example', ...more });

  const reload = async (): Promise<void> => {
    expect((await asAdmin(stack, '/admin/reload', 'POST')).body).toContain('"reloaded":true');
  };

  it.each([
    { version: '1.3', isHttp2: false },
    { version: '1.3', isHttp2: true },
    { version: '1.2', isHttp2: false },
    { version: '1.2', isHttp2: true },
  ] as const)(
    'resume at each worker and after a reload: TLS $version, HTTP/2 $isHttp2',
    async ({ version, isHttp2 }) => {
      const file = folder.file(`${version}-${isHttp2}.pem`);
      expect((await connect(version, { isHttp2, to: file })).isResumed).toBe(false);
      const ofEach = () => ofEachWorker(stack, async () => (await connect(version, { isHttp2, from: file })).isResumed);
      expect(await ofEach()).toEqual([true, true]);
      await reload();
      expect(await ofEach()).toEqual([true, true]);
    },
  );

  it('of a client do not outlive its authority at any worker', async () => {
    const options = ['-cert', client.certificateFile, '-key', client.keyFile];
    for (const version of ['1.2', '1.3'] as const) {
      folder.write('clients.pem', partners.certificate);
      await reload();
      const to = folder.file(`strict-${version}.pem`);
      expect((await connect(version, { to, options }, 'strict')).output).toContain('HTTP/1.1 ');
      folder.write('clients.pem', others.certificate);
      await reload();
      const answers = await ofEachWorker(stack, async () => [
        await connect(version, { from: to }, 'strict'),
        await connect(version, { from: to, options }, 'strict'),
      ]);
      for (const { isResumed, output } of answers.flat()) {
        expect(isResumed).toBe(false);
        expect(output).not.toContain('HTTP/1.1 ');
      }
    }
  });

  it('end with the certificate, and no key is logged', async () => {
    const file = folder.file('before.pem');
    await connect('1.3', { to: file });
    install(renewed);
    await reload();
    const answers = await ofEachWorker(stack, () => connect('1.3', { from: file }));
    expect(answers.map(({ isResumed }) => isResumed)).toEqual([false, false]);
    expect(answers[0]?.output).toContain('subject=CN = renewed');
    expect(stack.gateway.output()).not.toMatch(/[0-9a-f]{96}/i);
  });
});
