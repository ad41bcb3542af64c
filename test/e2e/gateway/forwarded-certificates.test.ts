import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startCaddy, startHaproxy, startNginx } from '../../support/gateway/load-balancers.js';
import { MutualTls } from '../../support/gateway/mutual-tls.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CertificateCast } from '../../support/shared/certificate-cast.js';
import { base64Der, byteSequence, pemOf, urlEncodedPem, xfccOf } from '../../support/shared/certificate-headers.js';
import { freePort } from '../../support/shared/free-port.js';
import { call, type HttpAnswer } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const world = new MutualTls();

const judged = (name: string, header: string): string => `
  agents { agent "${name}" { transport "embedded"; config { ${world.mtls(`client-cert-header "${header}"`)} } } }
  routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;

const start = (): Promise<void> =>
  world.start(() => ({
    transport: 'embedded',
    agentConfig: world.mtls(),
    listeners: {
      elsewhere: 'trusted-proxies "192.0.2.0/24" "::1"; accept-client-cert-header "X-Client-Cert"',
      balancer: 'trusted-proxies "127.0.0.1"; accept-client-cert-header "X-Client-Cert"',
      envoy: 'trusted-proxies "127.0.0.1"; accept-client-cert-header "X-Forwarded-Client-Cert"',
      rfc9440: 'trusted-proxies "127.0.0.1"; accept-client-cert-header "Client-Cert"',
      forwarding: 'trusted-proxies "127.0.0.1"',
    },
    routes: 'route "open" { matches { path-prefix "/open" }; upstream "back" }',
    blocks: [
      judged('envoy', 'X-Forwarded-Client-Cert'),
      judged('rfc9440', 'Client-Cert'),
      // Room for a certificate with its chain, and for many forged ones.
      'limits { max-header-size-bytes 65536; max-header-value-bytes 16384 }',
    ].join('\n'),
  }));

/** Each is what an agent would take, if it came from a peer that may bring it. */
const goodFields = ({ bob }: CertificateCast): readonly (readonly [name: string, value: string])[] => [
  ['X-Client-Cert', urlEncodedPem([bob.der])],
  ['x_client_cert', urlEncodedPem([bob.der])],
  ['X-Client_Cert', base64Der(bob.der)],
  ['X-CLIENT-CERT', base64Der(bob.der)],
  ['X-Forwarded-Client-Cert', xfccOf([['Cert', urlEncodedPem([bob.der])]])],
  ['x_forwarded-client_cert', xfccOf([['Cert', urlEncodedPem([bob.der])]])],
  ['Client-Cert', byteSequence(bob.der)],
  ['client_cert', byteSequence(bob.der)],
];

describeWithPeers(['openssl'], 'a certificate in a header', () => {
  beforeAll(start);
  beforeEach(() => void world.stack.upstream.received.splice(0));
  afterAll(() => world.cleanUp.run());

  const askPlain = (listener: string, path: string, headers: readonly string[]): Promise<HttpAnswer> =>
    call(listener === 'main' ? world.stack.port : world.stack.portOf(listener), {
      path,
      headers: ['Host', 'a.example', ...headers],
    });

  const expectUser = (userId: string): void => {
    expect(valuesOf(world.received(), 'x-user-id')).toEqual([userId]);
    expect(valuesOf(world.received(), 'x-auth-method')).toEqual(['mtls']);
    expect(world.received().rawHeaders.join()).not.toMatch(/BEGIN|MII/);
  };

  /** Listeners that a client reaches itself, and one whose trusted peer brings no certificates. */
  it.each(['main', 'elsewhere', 'forwarding', 'request'])(
    'is never trusted from a client: listener %s',
    async (listener) => {
      const tls = listener === 'request' ? { tls: world.showing([]) } : {};
      const port = listener === 'main' ? world.stack.port : world.stack.portOf(listener);
      const fields = goodFields(world.cast);
      for (const path of ['/', '/envoy', '/rfc9440']) {
        for (const [name, value] of fields) {
          const { status } = await call(port, { path, headers: { [name]: value }, ...tls });
          expect({ path, name, status }).toEqual({ path, name, status: 401 });
        }
      }
      expect(world.stack.upstream.received).toEqual([]);
      const all = fields.flat();
      // Nor does it get past by being named as a field of one connection alone.
      const headers = ['Host', 'a.example', 'Connection', 'X-Client-Cert, Client-Cert', ...all, ...all];
      expect((await call(port, { path: '/', headers, ...tls })).status).toBe(401);
      expect((await call(port, { path: '/open', headers, ...tls })).status).toBe(200);
      expect(world.received().rawHeaders.filter((text) => /cert/i.test(text) || text.includes('MII'))).toEqual([]);
    },
  );

  it('does not replace the certificate of the handshake', async () => {
    const headers = Object.fromEntries(goodFields(world.cast));
    const tls = world.showing([world.cast.paula]);
    expect((await call(world.stack.portOf('require'), { headers, tls })).status).toBe(200);
    expectUser('paula');
  });

  it.each([
    ['URL-encoded PEM', ({ bob }: CertificateCast) => urlEncodedPem([bob.der])],
    ['PEM on one line', ({ bob }: CertificateCast) => pemOf([bob.der], ' ').trim()],
    ['base64 of DER', ({ bob }: CertificateCast) => base64Der(bob.der)],
  ])('is accepted from a trusted proxy: %s', async (_name, write) => {
    const value = write(world.cast);
    expect((await askPlain('balancer', '/', ['X-Client-Cert', value])).status).toBe(200);
    expectUser('bob');
  });

  it('is accepted from a trusted proxy only in the header of its listener, and only once', async () => {
    const good = urlEncodedPem([world.cast.bob.der]);
    for (const name of ['x_client_cert', 'X-Forwarded-Client-Cert', 'Client-Cert']) {
      expect((await askPlain('balancer', '/', [name, good])).status).toBe(401);
    }
    expect((await askPlain('envoy', '/', ['X-Client-Cert', good])).status).toBe(401);
    expect((await askPlain('balancer', '/', ['X-Client-Cert', good, 'x-client-cert', good])).status).toBe(401);
    expect(world.stack.upstream.received).toEqual([]);
  });

  it('is read in the format of Envoy (X-Forwarded-Client-Cert)', async () => {
    const { alice, bob, pki } = world.cast;
    const hash = pki.openssl('x509', '-in', alice.certificateFile, '-noout', '-fingerprint', '-sha256');
    const element = (client: typeof alice): string =>
      xfccOf([
        ['By', 'spiffe://example/gateway'],
        ['Hash', hash.replace(/^.*=/, '').replaceAll(/[:\s]/g, '').toLowerCase()],
        ['Cert', urlEncodedPem([client.der])],
        ['Chain', urlEncodedPem([client.der, ...client.intermediates.map(({ der }) => der)])],
        ['Subject', 'CN=alice,O=Example'],
        ['DNS', 'alice.example.com'],
      ]);
    const ask = (value: string) => askPlain('envoy', '/envoy', ['X-Forwarded-Client-Cert', value]);
    expect((await ask(element(alice))).status).toBe(200);
    expectUser('alice');
    // Another certificate than the one whose hash is stated, and an element that a client wrote before Envoy's own.
    expect((await ask(element(bob))).status).toBe(401);
    expect((await ask(`${element(alice)},${element(alice)}`)).status).toBe(401);
  });

  it('is read in the format of RFC 9440', async () => {
    const { alice } = world.cast;
    const own = ['Client-Cert', byteSequence(alice.der)];
    const chain = ['Client-Cert-Chain', alice.intermediates.map(({ der }) => byteSequence(der)).join(', ')];
    expect((await askPlain('rfc9440', '/rfc9440', [...own, ...chain])).status).toBe(200);
    expectUser('alice');
    expect((await askPlain('rfc9440', '/rfc9440', own)).status).toBe(401);
    expect((await askPlain('forwarding', '/rfc9440', [...own, ...chain])).status).toBe(401);
  });

  for (const [balancer, startBalancer] of [
    ['nginx', startNginx],
    ['haproxy', startHaproxy],
    ['caddy', startCaddy],
  ] as const) {
    describeWithPeers(
      [balancer, 'openssl'],
      `${balancer}, which terminates TLS and forwards the client's certificate`,
      () => {
        let port = 0;

        beforeAll(async () => {
          const { server, root, partners } = world.cast;
          const tls = { server, authorities: [root, partners] };
          port = await freePort();
          const started = await startBalancer(world.folder, port, world.stack.portOf('balancer'), tls);
          world.cleanUp.add(() => started.stop());
        });

        const ask = (who: 'bob' | 'paula' | null, headers: readonly string[] = [], path = '/'): Promise<HttpAnswer> => {
          const tls = { ...world.showing(who === null ? [] : [world.cast[who]]), servername: 'localhost' };
          return call(port, { path, headers: ['Host', `localhost:${port}`, ...headers], tls });
        };

        it('identifies its clients', async () => {
          for (const who of ['bob', 'paula'] as const) {
            world.stack.upstream.received.splice(0);
            expect((await ask(who)).status).toBe(200);
            expect(valuesOf(world.received(), 'x-user-id')).toEqual([who]);
            expect(valuesOf(world.received(), 'x-auth-method')).toEqual(['mtls']);
            expect(valuesOf(world.received(), 'x-client-cert')).toEqual([]);
          }
        });

        it('gets 401 for clients without a certificate', async () => {
          expect((await ask(null)).status).toBe(401);
          expect(world.stack.upstream.received).toEqual([]);
        });

        it('cannot carry a forged certificate', async () => {
          for (const [name, value] of goodFields(world.cast)) {
            expect((await ask(null, [name, value])).status).toBe(401);
            expect(world.stack.upstream.received).toEqual([]);
            expect((await ask(null, [name, value], '/open')).status).toBe(200);
            expect(world.received().rawHeaders.join()).not.toMatch(/MII|BEGIN/);
            world.stack.upstream.received.splice(0);
            expect((await ask('paula', [name, value])).status).toBe(200);
            expect(valuesOf(world.received(), 'x-user-id')).toEqual(['paula']);
            world.stack.upstream.received.splice(0);
          }
        });
      },
    );
  }
});
