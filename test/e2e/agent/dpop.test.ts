import { beforeEach, describe, expect } from 'vitest';
import { DpopClient } from '../../support/agent/dpop-client.js';
import { LiveOidcProvider, opaqueResource } from '../../support/agent/live-oidc-provider.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { everyTransport, startEveryTransport } from '../../support/shared/every-transport.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const provider = new LiveOidcProvider();
let client: DpopClient;
let stranger: DpopClient;
let stack: GatewayStack;

/** A token of the provider that is bound to the key of the client. */
const boundToken = (resource = 'urn:api'): Promise<string> =>
  provider.token({ resource, proof: (url) => client.proof({ url, method: 'POST' }) });

const oidc = (more = '', audience = 'api'): string =>
  `oidc "corp" { enabled #true; issuer "${provider.issuer}"; jwks-url "${provider.jwksUrl}"; audience "${audience}"; ${more} }`;

const introspection = (): string => {
  const { url, 'client-id': id, 'client-secret': secret } = provider.introspection;
  return `introspection { url "${url}"; client-id "${id}"; client-secret "${secret}" }`;
};

it.beforeAll(async ({ fileCleanUp }) => {
  await provider.start({ kid: 'first', algorithm: 'ES256' });
  fileCleanUp.add(() => provider.stop());
  [client, stranger] = [await DpopClient.create(), await DpopClient.create()];
  stack = await startEveryTransport(fileCleanUp, oidc(introspection(), 'api" "opaque'));
});
beforeEach(() => stack.upstream.reset());

describe.each(everyTransport)('a token that a provider bound to a key, agent over %s', (transport) => {
  const urlOf = (path = `/${transport}`) => `http://127.0.0.1:${stack.port}${path}`;
  const ask = (headers: Record<string, string>, path = `/${transport}`) => stack.ask({ path, headers });

  it('passes with a proof for each request, and is refused with a proof that was used', async () => {
    const token = await boundToken();
    const first = await client.fields(token, { url: urlOf() });
    expect((await ask(first)).status).toBe(200);
    const [received] = stack.upstream.received;
    expect(received && valuesOf(received, 'x-user-id')).toEqual(['orders-service']);
    const again = await ask(first);
    expect(again.status).toBe(401);
    expect(String(again.headers['www-authenticate'])).toMatch(
      /DPoP algs="[^"]*ES256[^"]*", error="invalid_dpop_proof"/,
    );
    expect((await ask(await client.fields(token, { url: urlOf() }))).status).toBe(200);
    expect(stack.upstream.received).toHaveLength(2);
  });

  it('is refused as a bearer token, without a proof, and with a proof of another key or request', async () => {
    const token = await boundToken();
    const good = await client.fields(token, { url: urlOf() });
    const attacks: readonly Record<string, string>[] = [
      { ...good, Authorization: `Bearer ${token}` },
      { Authorization: `Bearer ${token}` },
      { Authorization: `DPoP ${token}` },
      await stranger.fields(token, { url: urlOf() }),
      await client.fields(token, { url: urlOf('/') }),
      await client.fields(token, { url: urlOf(), method: 'POST' }),
      await client.fields(token, { url: `https://127.0.0.1:${stack.port}/${transport}` }),
      await client.fields(token, { url: `http://evil.example/${transport}` }),
      await client.fields(token, { url: urlOf(), claims: { iat: Math.floor(Date.now() / 1000) - 90 } }),
      { ...good, DPoP: `${good['DPoP']?.slice(0, -6)}AAAAAA` },
    ];
    for (const headers of attacks) {
      const { status, headers: answered } = await ask(headers);
      expect(status).toBe(401);
      expect(String(answered['www-authenticate'])).toContain('DPoP algs=');
    }
    expect(stack.upstream.received).toEqual([]);
    expect(stack.gateway.output()).not.toContain(token);
  });

  it('is compared with the normalised path, without a query', async () => {
    const token = await boundToken();
    const url = urlOf(`/x/../${transport}/%61?any=1`);
    expect((await ask(await client.fields(token, { url }), `/${transport}/./a?id=7`)).status).toBe(200);
  });

  it('may be opaque: the introspection names its key', async () => {
    const token = await boundToken(opaqueResource);
    expect(token).not.toContain('.');
    const first = await client.fields(token, { url: urlOf() });
    expect((await ask(first)).status).toBe(200);
    // From the cache of introspections; a proof is in no cache.
    expect((await ask(first)).status).toBe(401);
    expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await ask(await stranger.fields(token, { url: urlOf() }))).status).toBe(401);
    expect((await ask(await client.fields(token, { url: urlOf() }))).status).toBe(200);
  });
});

describe('require-proof', () => {
  it('refuses tokens that are bound to no key, and says that DPoP is needed', async ({ cleanUp }) => {
    const requiring = await startStack(cleanUp, { transport: 'embedded', agentConfig: oidc('require-proof "dpop"') });
    const ask = (headers: Record<string, string>) => requiring.ask({ headers });
    const refused = await ask({ Authorization: `Bearer ${await provider.token()}` });
    expect(refused.status).toBe(401);
    expect(String(refused.headers['www-authenticate'])).toContain('DPoP algs=');
    expect(String((await ask({})).headers['www-authenticate'])).toContain('DPoP algs=');
    const url = `http://127.0.0.1:${requiring.port}/`;
    expect((await ask(await client.fields(await boundToken(), { url }))).status).toBe(200);
  });
});

describeWithPeers(['openssl'], 'a proof over TLS', () => {
  it('names https and the port, over HTTP/1.1 and HTTP/2', async ({ cleanUp }) => {
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const root = pki.authority('root');
    const { certificateFile, keyFile } = pki.server('server', { by: root, names: ['DNS:localhost'] });
    const listener = `protocol "https"; tls { cert-file "${certificateFile}"; key-file "${keyFile}" }`;
    const secure = await startStack(cleanUp, {
      transport: 'embedded',
      agentConfig: oidc(),
      listeners: { secure: listener },
    });
    const port = secure.portOf('secure');
    const origin = `https://localhost:${port}`;
    const tls = { ca: root.certificate, servername: 'localhost' };
    const session = http2Session(cleanUp, origin, { ca: root.certificate });
    const token = await boundToken();
    const overHttp1 = async (url: string): Promise<number> => {
      const headers = { Host: `localhost:${port}`, ...(await client.fields(token, { url })) };
      return (await call(port, { tls, headers })).status;
    };
    const overHttp2 = async (url: string): Promise<number> =>
      (await http2Call(session, await client.fields(token, { url }))).status;
    for (const ask of [overHttp1, overHttp2]) {
      expect(await ask(`${origin}/`)).toBe(200);
      expect(await ask(`http://localhost:${port}/`)).toBe(401);
      expect(await ask('https://localhost/')).toBe(401);
    }
  });
});
