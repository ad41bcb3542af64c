import { X509Certificate } from 'node:crypto';
import { expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { type OpensslCertificate, OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';
import { asAdmin, startWorkerStack, workersOf } from '../../support/shared/worker-stack.js';

const dayMs = 86_400_000;

describeWithPeers(['openssl'], 'the metric of certificates, with two workers', () => {
  it('has one series for each, and follows changed files and reloads', { timeout: 60_000 }, async ({ cleanUp }) => {
    const folder = temporaryFolder();
    const pki = new OpensslCertificates();
    cleanUp.add(() => {
      pki.remove();
      folder.remove();
    });
    const install = (name: string, days: number): OpensslCertificate => {
      const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
      const made = pki.client(name, { key: 'rsa-2048', validity: [nowMs - dayMs, nowMs + days * dayMs] });
      folder.write(`${name}.pem`, made.certificate);
      folder.write(`${name}.key`, made.key);
      return made;
    };
    const [server, client, agent, sp, idp] = [
      install('server', 10),
      install('client', 20),
      install('agent', 30),
      install('sp', 40),
      install('idp', 50),
    ];
    const endOf = ({ certificate }: OpensslCertificate): number =>
      Date.parse(new X509Certificate(certificate).validTo) / 1_000;
    const pair = (name: string, cert: string, key: string): string =>
      `${cert} "${folder.file(`${name}.pem`)}"; ${key} "${folder.file(`${name}.key`)}"`;
    const upstreams = `upstreams { upstream "secured" { target "127.0.0.1:1"; tls {
      sni "a.test"; ${pair('client', 'client-cert', 'client-key')} } } }`;
    const plan = {
      transport: 'embedded' as const,
      awaitsAgent: false,
      agentMembers: 'events "request_headers" "request_body_chunk"',
      agentConfig: `saml {
        enabled #true
        entity-id "https://gateway.example/saml/metadata"
        acs-url "https://gateway.example/saml/acs"
        idp-entity-id "https://idp.example"
        idp-sso-url "https://idp.example/sso"
        idp-cert-file "${folder.file('idp.pem')}"
        ${pair('sp', 'sp-cert-file', 'sp-key-file')}
        session-store-path "${folder.file('sessions.db')}"
      }`,
      listeners: { https: `protocol "https"; tls { ${pair('server', 'cert-file', 'key-file')} }` },
      blocks: `${upstreams}
agents { agent "remote" { transport { grpc { address "127.0.0.1:1"; tls { ${pair('agent', 'cert-file', 'key-file')} } } } } }`,
    };
    const stack = await startWorkerStack(cleanUp, plan);
    await workersOf(stack);
    const shown = async (): Promise<Record<string, number>> => {
      const { body } = await asAdmin(stack, '/metrics');
      const series =
        /^gateway_certificate_expiry_timestamp_seconds\{use="(\w+)",name="(\w+)",subject="([^"]*)",[^}]*\} (\S+)$/gm;
      return Object.fromEntries(
        Array.from(body.matchAll(series), ([, use, name, subject, value]) => [
          `${use} ${name} ${subject}`,
          Number(value),
        ]),
      );
    };
    const others = {
      'listener https CN=server': endOf(server),
      'agent remote CN=agent': endOf(agent),
      'saml auth CN=sp': endOf(sp),
      'saml auth CN=idp': endOf(idp),
    };
    await untilTrue('each certificate has its series', async () => Object.keys(await shown()).length === 5);
    expect(await shown()).toEqual({ ...others, 'upstream secured CN=client': endOf(client) });
    const renewed = { client: install('client', 400), agent: install('agent', 500) };
    await untilTrue('both workers have read the files again', async () => {
      const now = await shown();
      return (
        now['upstream secured CN=client'] === endOf(renewed.client) &&
        now['agent remote CN=agent'] === endOf(renewed.agent)
      );
    });
    stack.rewrite({ ...plan, listeners: {}, blocks: '', agentConfig: 'api-keys "key-1:alice"' });
    await stack.reload();
    await untilTrue('no series is left', async () => Object.keys(await shown()).length === 0);
  });
});
