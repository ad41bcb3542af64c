import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { startedTestAgent, upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const dayMs = 86_400_000;
const nowMs = new ManualClock().wallMs();
const validity = [nowMs - dayMs, nowMs + dayMs] as const;

let pki: OpensslCertificates;
let root: OpensslCertificate;
let other: OpensslCertificate;
let alice: OpensslCertificate;
let stranger: OpensslCertificate;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root', { validity });
  other = pki.authority('other', { validity });
  alice = pki.client('alice', { by: root, subject: '/O=Zoë/CN=alice', validity });
  stranger = pki.client('alice', { by: other, validity });
});
afterAll(() => pki.remove());

const encoded = ({ certificate }: OpensslCertificate): string => encodeURIComponent(certificate);
const options = (mtls: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  mtls: { enabled: true, 'ca-cert-path': root.certificateFile, ...mtls },
  ...more,
});

describe('an agent with client certificates', () => {
  it('names their owner in headers that the client cannot set', async () => {
    const { ask } = await startedTestAgent(options());
    const forged = ['x-client-cert-cn', 'root', 'X_Client_Cert_DN', 'CN=root', 'x-user-id', 'root'];
    const headers = [...forged, 'x-client-cert', encoded(alice)];
    const answer = await ask(headers);
    expect(answer.decision.kind).toBe('allow');
    expect(upstreamHeaders(headers, answer)).toEqual([
      'X-User-Id',
      'alice',
      'X-Auth-Method',
      'mtls',
      'X-Client-Cert-CN',
      'alice',
      'X-Client-Cert-DN',
      'CN=alice,O=Zo%C3%AB',
    ]);
  });

  it('forwards only their names', async () => {
    const { ask } = await startedTestAgent(options({}, { 'forward-credentials': true }));
    const headers = ['x-client-cert', encoded(alice), 'client-cert', ':AA==:'];
    const upstream = upstreamHeaders(headers, await ask(headers));
    expect(firstHeader(upstream, 'x-client-cert')).toBe(encoded(alice));
    expect(firstHeader(upstream, 'client-cert')).toBeUndefined();
  });

  it('refuses those of another authority, and tries the next method', async () => {
    const { ask, agent } = await startedTestAgent(options({}, { 'api-keys': ['key:name'] }));
    const headers = ['x-client-cert', encoded(stranger)];
    expect((await ask(headers)).decision).toMatchObject({ kind: 'block', status: 401 });
    expect(agent.metrics().counters).toContainEqual(
      expect.objectContaining({ labels: { method: 'mtls', reason: 'certificate_untrusted' }, value: 1 }),
    );
    const withKey = [...headers, 'x-api-key', 'key'];
    expect(firstHeader(upstreamHeaders(withKey, await ask(withKey)), 'x-auth-method')).toBe('api_key');
  });

  it('refuses unlisted ones, with the reason only in the log', async () => {
    const { ask, logger } = await startedTestAgent(options({ 'allowed-dns': ['CN=bob,O=Zoë'] }));
    const { decision } = await ask(['x-client-cert', encoded(alice)]);
    expect(decision).toMatchObject({ kind: 'block', headers: expect.arrayContaining(['Bearer realm="gateway"']) });
    expect(JSON.stringify(decision)).not.toContain('certificate');
    expect(logger.lines.at(-1)?.fields).toMatchObject({ method: 'mtls', reason: 'certificate_not_allowed' });
  });

  it('distrusts an authority once its file is reloaded without it', async () => {
    const file = pki.bundle('trusted.pem', [root, other]);
    const { ask, agent } = await startedTestAgent(options({ 'ca-cert-path': file }));
    const kinds = async () =>
      Promise.all([alice, stranger].map(async (who) => (await ask(['x-client-cert', encoded(who)])).decision.kind));
    expect(await kinds()).toEqual(['allow', 'allow']);
    writeFileSync(file, root.certificate);
    expect((await agent.reload()).ok).toBe(true);
    expect(await kinds()).toEqual(['allow', 'block']);
    writeFileSync(file, 'no certificate');
    expect((await agent.reload()).ok).toBe(false);
    expect(await kinds()).toEqual(['allow', 'block']);
  });
});
