import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleOf, MutualTls, withChain } from '../../support/gateway/mutual-tls.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CertificateCast } from '../../support/shared/certificate-cast.js';
import { urlEncodedPem } from '../../support/shared/certificate-headers.js';
import { curl } from '../../support/shared/curl.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import type { OpensslCertificate } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import type { RunningProcess } from '../../support/shared/processes.js';

type Who = Exclude<keyof CertificateCast, 'pki'>;

for (const transport of ['embedded', 'socket'] as const) {
  describeWithPeers(['openssl', 'curl'], `client certificates, the agent ${transport}`, () => {
    const world = new MutualTls();
    const agent = (): RunningProcess => (transport === 'socket' ? world.stack.agent() : world.stack.gateway);
    const listed = (name: string, members: string): string => `
      agents { agent "${name}" { transport "embedded"; config { ${world.mtls(members)} } } }
      routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;
    const lists = (): string =>
      [
        listed('dn', 'allowed-dns "cn=Bob , O=\\"Example\\",c=de"'),
        listed('dns', 'allowed-sans "*.example.com"'),
        listed('email', 'allowed-sans "bob@example.com"; extract-san-email-as-user #true'),
        listed('both', 'allowed-dns "CN=bob,O=Example,C=DE"; allowed-sans "DNS:alice.example.com"'),
      ].join('\n');
    beforeAll(() =>
      world.start(() => ({
        transport,
        agentConfig: world.mtls(),
        blocks: transport === 'embedded' ? lists() : '',
      })),
    );
    beforeEach(() => void world.stack.upstream.received.splice(0));
    afterAll(() => world.cleanUp.run());

    const asCurl = (listener: string, client: OpensslCertificate | null) =>
      curl(
        ...['--cacert', world.cast.root.certificateFile],
        ...(client ? ['--cert', world.cast.pki.bundle('curl.pem', withChain(client)), '--key', client.keyFile] : []),
        `https://127.0.0.1:${world.stack.portOf(listener)}/orders?id=1`,
      );

    it.each([
      ['require', 'bob', 'CN=bob,O=Example,C=DE'],
      ['request', 'bob', 'CN=bob,O=Example,C=DE'],
      ['require', 'alice', 'CN=alice,O=Example'],
      ['request', 'alice', 'CN=alice,O=Example'],
    ] as const)('identify the caller to the upstream: listener %s, %s', async (listener, who, distinguishedName) => {
      expect(await asCurl(listener, world.cast[who])).toMatchObject({ code: 0, status: 200, body: 'ok' });
      const received = world.received();
      expect(valuesOf(received, 'x-user-id')).toEqual([who]);
      expect(valuesOf(received, 'x-auth-method')).toEqual(['mtls']);
      expect(valuesOf(received, 'x-client-cert-cn')).toEqual([who]);
      expect(valuesOf(received, 'x-client-cert-dn')).toEqual([distinguishedName]);
      expect(valuesOf(received, 'x-client-cert')).toEqual([]);
      expect(received.rawHeaders.join()).not.toMatch(/BEGIN|%0A/);
      expect(received.url).toBe('/orders?id=1');
    });

    it('are optional on a listener that only requests them, but the agent requires a credential', async () => {
      expect((await asCurl('request', null)).status).toBe(401);
      expect(await asCurl('require', null)).toMatchObject({ status: 0, body: '' });
      expect(world.stack.upstream.received).toEqual([]);
      await world.stack.gateway.wrote(/ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE/);
    });

    const bad: readonly (readonly [name: string, who: Who, chained: boolean, code: RegExp, reason: string])[] = [
      ['expired', 'expired', true, /CERT_HAS_EXPIRED/, 'certificate_expired'],
      ['not valid yet', 'notYetValid', true, /CERT_NOT_YET_VALID/, 'certificate_not_yet_valid'],
      ['for servers', 'forServers', true, /INVALID_PURPOSE/, 'certificate_wrong_usage'],
      ['of another authority', 'stranger', true, /UNABLE_TO_\w+/, 'certificate_untrusted'],
      ['without its intermediate', 'alice', false, /UNABLE_TO_\w+/, 'certificate_untrusted'],
    ];

    it.each(bad)('are refused in the handshake: %s', async (_name, who, chained, code) => {
      const shown = chained ? withChain(world.cast[who]) : [world.cast[who]];
      for (const listener of ['require', 'request']) {
        const seen = world.stack.gateway.output().length;
        expect(await world.connect(listener, shown)).toMatchObject({ text: '', status: null });
        const handshake = new RegExp(`"TLS handshake failed".*${code.source}|${code.source}.*"TLS handshake failed"`);
        await untilTrue('the log says why', () => handshake.test(world.stack.gateway.output().slice(seen)));
      }
      expect(world.stack.upstream.received).toEqual([]);
    });

    it.each(bad)(
      'are refused by the agent when the proxy did not verify them: %s',
      async (_name, who, chained, _, reason) => {
        const shown = chained ? withChain(world.cast[who]) : [world.cast[who]];
        await world.expectRefusal(await world.bring(shown), reason, agent());
        // What is remembered of it changes nothing.
        await world.expectRefusal(await world.bring(shown), reason, agent());
      },
    );

    it('are accepted from a trusted proxy', async () => {
      expect((await world.bring(withChain(world.cast.alice))).status).toBe(200);
      expect(valuesOf(world.received(), 'x-user-id')).toEqual(['alice']);
    });

    it('are refused after a SIGHUP that removes their authority from the agent', async () => {
      expect((await world.connect('require', [world.cast.paula])).status).toBe(200);
      world.folder.write('agent.pem', bundleOf([world.cast.root]));
      expect((await world.connect('require', [world.cast.paula])).status).toBe(200);
      if (transport === 'socket') {
        world.stack.agent().signal('SIGHUP');
        await world.stack.agent().wrote(/were reloaded/);
      } else await world.stack.reload();
      world.stack.upstream.received.splice(0);
      await world.expectRefusal(await world.bring([world.cast.paula]), 'certificate_untrusted', agent());
      expect((await world.connect('require', [world.cast.paula])).status).toBe(401);
      expect((await world.connect('require', [world.cast.bob])).status).toBe(200);
    });

    it('are refused after a SIGHUP that removes their authority from the listener', async () => {
      // Whoever gets as far as the agent has an answer, if a bad one.
      expect((await world.connect('request', [world.cast.paula])).status).not.toBeNull();
      world.folder.write('listener.pem', bundleOf([world.cast.root]));
      await world.stack.reload();
      for (const listener of ['require', 'request']) {
        expect(await world.connect(listener, [world.cast.paula])).toMatchObject({ text: '', status: null });
        expect((await world.connect(listener, [world.cast.bob])).status).toBe(200);
      }
    });

    // The gateway of the embedded agent has further ones, each with lists of its own.
    if (transport === 'embedded') {
      describe('lists of client certificates', () => {
        it.each([
          ['dn', 'bob', 'bob'],
          ['dns', 'alice', 'alice'],
          ['email', 'bob', 'bob@example.com'],
        ] as const)('admit a listed certificate: /%s, %s', async (path, who, userId) => {
          expect((await world.bring(withChain(world.cast[who]), `/${path}`)).status).toBe(200);
          expect(valuesOf(world.received(), 'x-user-id')).toEqual([userId]);
        });

        it.each([
          ['dn', 'alice', 'certificate_not_allowed'],
          ['dns', 'bob', 'certificate_not_allowed'],
          ['email', 'alice', 'certificate_not_allowed'],
          ['both', 'bob', 'certificate_not_allowed'],
          ['both', 'alice', 'certificate_not_allowed'],
          // The right names, of an authority that nobody knows.
          ['dn', 'stranger', 'certificate_untrusted'],
        ] as const)('refuse every other certificate: /%s, %s', async (path, who, reason) => {
          await world.expectRefusal(
            await world.bring(withChain(world.cast[who]), `/${path}`),
            reason,
            world.stack.gateway,
          );
          if (who === 'stranger') return;
          const { port, tls } = { port: world.stack.portOf('require'), tls: world.showing(withChain(world.cast[who])) };
          expect((await call(port, { path: `/${path}`, tls })).status).toBe(401);
        });

        it('apply to the certificate of the handshake, not to one in a header', async () => {
          const headers = { 'X-Client-Cert': urlEncodedPem([world.cast.bob.der]) };
          const tls = world.showing(withChain(world.cast.alice));
          for (const path of ['/dn', '/dns']) {
            const { status } = await call(world.stack.portOf('require'), { path, tls, headers });
            expect(status).toBe(path === '/dns' ? 200 : 401);
          }
          expect(valuesOf(world.received(), 'x-user-id')).toEqual(['alice']);
        });
      });
    }
  });
}
