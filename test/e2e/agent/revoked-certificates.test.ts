import { renameSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MutualTls, type Shown, withChain } from '../../support/gateway/mutual-tls.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { OpensslCertificate } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const dayMs = 86_400_000;
/** The agent looks at its files every five seconds. */
const untilRead = { timeout: 20_000, interval: 100 };

describeWithPeers(['openssl'], 'certificates with user-id-from and crl-file', () => {
  const world = new MutualTls();
  let twoUris: OpensslCertificate;

  const listOf = (by: OpensslCertificate, revoked: Shown, fromMs: number): string => {
    const validity = [fromMs, fromMs + 2 * dayMs] as const;
    return world.cast.pki.revocationList(by, { revoked, validity });
  };
  /** Replaces a list as tools do: in one step. */
  const publish = (name: string, content: string | Uint8Array): void => {
    writeFileSync(world.folder.file(`${name}.new`), content);
    renameSync(world.folder.file(`${name}.new`), world.folder.file(name));
  };
  const derOf = (pem: string): Uint8Array => Buffer.from(pem.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');

  beforeAll(() =>
    world.start(() => {
      const { pki, root, partners } = world.cast;
      const names = ['URI:spiffe://example.org/one', 'URI:spiffe://example.org/two'];
      twoUris = pki.client('two', { by: root, subject: '/O=Example/CN=two', names });
      world.folder.write('root.crl', listOf(root, [], Date.now() - dayMs));
      writeFileSync(world.folder.file('partners.crl'), derOf(listOf(partners, [], Date.now() - dayMs)));
      const files = `"${world.folder.file('root.crl')}" "${world.folder.file('partners.crl')}"`;
      return {
        transport: 'socket',
        agentConfig: world.mtls(`user-id-from "san-uri" "san-dns" "cn"; crl-file ${files}`),
      };
    }),
  );
  beforeEach(() => void world.stack.upstream.received.splice(0));
  afterAll(() => world.cleanUp.run());

  const statusOf = async (shown: Shown): Promise<number | null> => (await world.connect('require', shown)).status;

  it('have the user of the first kind with exactly one value', async () => {
    expect(await statusOf(withChain(world.cast.alice))).toBe(200);
    expect(valuesOf(world.received(), 'x-user-id')).toEqual(['alice.example.com']);
    world.stack.upstream.received.splice(0);
    expect(await statusOf([twoUris])).toBe(200);
    expect(valuesOf(world.received(), 'x-user-id')).toEqual(['two']);
  });

  it('are refused once a new list names them, or the list of their authority is outdated', async () => {
    const { root, partners, bob, paula, alice } = world.cast;
    expect([await statusOf([bob]), await statusOf([paula])]).toEqual([200, 200]);
    publish('root.crl', listOf(root, [bob], Date.now() - dayMs / 2));
    await expect.poll(() => statusOf([bob]), untilRead).toBe(401);
    expect([await statusOf([paula]), await statusOf([twoUris])]).toEqual([200, 200]);
    publish('partners.crl', listOf(partners, [], Date.now() - 9 * dayMs));
    await expect.poll(() => statusOf([paula]), untilRead).toBe(401);
    expect(await statusOf(withChain(alice))).toBe(200);
    const reasons = () => world.stack.agent().output();
    await expect.poll(reasons).toContain('"reason":"certificate_revoked"');
    await expect.poll(reasons).toContain('"reason":"certificate_revocation_unknown"');
    await expect.poll(reasons).toContain('certificate revocation lists cannot be relied on');
  });

  it('stay refused while a list of a stranger is in place of the one that names them', async () => {
    const stranger = world.cast.pki.authority('forger', { subject: '/O=Example/CN=Root' });
    publish('root.crl', listOf(stranger, [], Date.now() - dayMs / 4));
    const text = 'holds a list that no authority of ca-cert-path signed';
    await expect.poll(() => world.stack.agent().output(), untilRead).toContain(text);
    expect([await statusOf([world.cast.bob]), await statusOf([twoUris])]).toEqual([401, 200]);
  });
});
