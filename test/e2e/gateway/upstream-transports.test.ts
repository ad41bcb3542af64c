import { X509Certificate } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { PeerCertificate } from 'node:tls';
import {
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startNginxUpstream } from '../../support/gateway/nginx-upstream.js';
import { tlsConnection } from '../../support/gateway/tls-call.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, type StackPlan, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { callMethods, grpcClient, unaryCall } from '../../support/shared/grpc-calls.js';
import { call } from '../../support/shared/http-call.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../support/shared/peers.js';

interface Pki {
  readonly root: OpensslCertificate;
  readonly server: OpensslCertificate;
  /** Another for the same names. */
  readonly renewed: OpensslCertificate;
  /** Of an unknown authority. */
  readonly stranger: OpensslCertificate;
  readonly client: OpensslCertificate;
}

const it = baseIt.extend('pki', { scope: 'file' }, ({ fileCleanUp }): Pki => {
  const made = new OpensslCertificates();
  fileCleanUp.add(() => made.remove());
  const root = made.authority('root');
  const names = ['DNS:api.test', 'IP:127.0.0.1', 'IP:::1'];
  return {
    root,
    server: made.server('api', { by: root, names }),
    renewed: made.server('api', { by: root, names }),
    stranger: made.server('api', { names }),
    client: made.client('gateway', { by: root }),
  };
});

/** A block `tls` that trusts the root; with further members. */
const tlsBlock = ({ root }: Pki, more = ''): string =>
  `tls { sni "api.test"; ca-cert "${root.certificateFile}"; ${more} }`;

const startBefore = (cleanUp: CleanUp, upstream: string, plan: StackPlan = {}): Promise<GatewayStack> =>
  startStack(cleanUp, {
    ...plan,
    listeners: { grpc: 'http2 #true' },
    routes: 'route "peer" { priority 100; matches { path-prefix "/peer" }; upstream "peer" }',
    blocks: `upstreams { upstream "peer" { ${upstream} } }`,
  });

interface ReportedTarget {
  readonly address: string;
  readonly healthy: boolean;
  readonly last_error?: string | null;
}

const targetOf = async (stack: GatewayStack): Promise<ReportedTarget | undefined> => {
  const { upstreams } = (await stack.report('/admin/upstreams')) as {
    upstreams: Record<string, { targets: readonly ReportedTarget[] }>;
  };
  return upstreams['peer']?.targets[0];
};

const untilHealthy = (stack: GatewayStack, healthy: boolean): Promise<void> =>
  untilTrue(
    `the target is ${healthy ? 'healthy' : 'unhealthy'}`,
    async () => (await targetOf(stack))?.healthy === healthy,
  );

const quickly = 'interval-secs 1; timeout-secs 1; healthy-threshold 1; unhealthy-threshold 1';

const openedSocket = async (cleanUp: CleanUp, url: string): Promise<WebSocket> => {
  const client = new WebSocket(url);
  cleanUp.add(() => client.terminate());
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  return client;
};

const echoed = (client: WebSocket, text: string): Promise<string> => {
  const answer = new Promise<string>((resolve) => client.once('message', (data) => resolve(data.toString())));
  client.send(text);
  return answer;
};

/** What a server shows to a client that asks for api.test. */
const shownCertificate = async (port: number, { certificate }: OpensslCertificate): Promise<PeerCertificate> => {
  const address = { host: '127.0.0.1', port };
  const socket = await tlsConnection(address, { ca: certificate, servername: 'api.test' });
  const shown = socket.getPeerCertificate();
  socket.destroy();
  return shown;
};

const nginxServer = ({ server }: Pki, listen: string, more = ''): string => `server {
    listen ${listen};
    ssl_certificate ${server.certificateFile}; ssl_certificate_key ${server.keyFile};
    ${more}
    location / { return 200 "$server_protocol $ssl_server_name $ssl_session_reused $ssl_client_s_dn"; }
  }`;

describeWithPeers(['nginx', 'openssl'], 'nginx as a TLS upstream', () => {
  it.for([
    ['1.1', 'HTTP/1.1'],
    ['2', 'HTTP/2.0'],
    ['auto', 'HTTP/2.0'],
  ] as const)(
    'with http-version %s and a client certificate serves %s',
    async ([version, protocol], { pki, cleanUp }) => {
      const port = await freePort();
      const more = `ssl_client_certificate ${pki.root.certificateFile}; ssl_verify_client on;`;
      await startNginxUpstream(cleanUp, port, nginxServer(pki, `127.0.0.1:${port} ssl http2`, more));
      const own = `client-cert "${pki.client.certificateFile}"; client-key "${pki.client.keyFile}"`;
      const stack = await startBefore(
        cleanUp,
        `target "127.0.0.1:${port}"; http-version "${version}"; ${tlsBlock(pki, own)}`,
      );
      const answers = await Promise.all(Array.from({ length: 40 }, () => stack.ask({ path: '/peer' })));
      for (const { status: code, body } of answers) {
        expect(code).toBe(200);
        expect(body).toMatch(new RegExp(`^${protocol} api\\.test [r.] CN=gateway$`));
      }
    },
  );

  it('resumes sessions with TLS 1.2 and 1.3', async ({ pki, cleanUp }) => {
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const port = await freePort();
      await startNginxUpstream(cleanUp, port, nginxServer(pki, `127.0.0.1:${port} ssl`, `ssl_protocols ${version};`));
      const stack = await startBefore(
        cleanUp,
        `target "127.0.0.1:${port}"; connection-pool { max-idle 0 }; ${tlsBlock(pki)}`,
      );
      const reused: string[] = [];
      for (let count = 0; count < 6; count += 1) {
        reused.push((await stack.ask({ path: '/peer' })).body.split(' ')[2] ?? '');
      }
      expect(reused[0]).toBe('.');
      expect(reused.at(-1), version).toBe('r');
    }
  });

  it('is reached by an IPv6 literal, with and without TLS', async ({ pki, cleanUp }) => {
    const [port, secure] = [await freePort(), await freePort()];
    const plain = `server { listen 127.0.0.1:${port}; listen [::1]:${port}; location / { return 200 "plain $http_host"; } }`;
    await startNginxUpstream(cleanUp, port, plain + nginxServer(pki, `[::1]:${secure} ssl http2`));
    const open = await startBefore(cleanUp, `target "[::1]:${port}"; host-header "target"`);
    expect((await open.ask({ path: '/peer' })).body).toBe(`plain [::1]:${port}`);
    for (const version of ['1.1', 'auto']) {
      const tls = `tls { ca-cert "${pki.root.certificateFile}" }`;
      const stack = await startBefore(cleanUp, `target "[::1]:${secure}"; http-version "${version}"; ${tls}`);
      const { status: code, body } = await stack.ask({ path: '/peer' });
      expect(code).toBe(200);
      // An address is never sent as server name.
      expect(body).toMatch(/^HTTP\/(?:1\.1|2\.0) {2}[r.] $/);
      expect((await targetOf(stack))?.address).toBe(`[::1]:${secure}`);
    }
  });

  it('loses no request while nginx reloads with a new certificate', async ({ pki, cleanUp, folder }) => {
    const port = await freePort();
    const { root, renewed } = pki;
    const [certificateFile, keyFile] = [folder.file('api.pem'), folder.file('api.key')];
    const put = ({ certificate, key }: OpensslCertificate): void => {
      folder.write('api.pem', certificate);
      folder.write('api.key', key);
    };
    put(pki.server);
    const servers = nginxServer(
      { ...pki, server: { ...pki.server, certificateFile, keyFile } },
      `127.0.0.1:${port} ssl http2`,
    );
    const nginx = await startNginxUpstream(cleanUp, port, servers, 'keepalive_requests 7;');
    const stack = await startBefore(cleanUp, `target "127.0.0.1:${port}"; http-version "auto"; ${tlsBlock(pki)}`);
    let ended = false;
    const codes = new Map<number, number>();
    const lane = async (): Promise<void> => {
      while (!ended) {
        const { status: code } = await stack.ask({ path: '/peer' });
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    const lanes = Array.from({ length: 8 }, lane);
    put(renewed);
    await nginx.reload();
    const { serialNumber } = await shownCertificate(port, root);
    expect(serialNumber).toBe(new X509Certificate(renewed.certificate).serialNumber);
    put(pki.server);
    await nginx.reload();
    ended = true;
    await Promise.all(lanes);
    expect([...codes.keys()]).toEqual([200]);
  });

  it('gets each POST that another target could not get, because its certificate does not verify', async ({
    pki,
    cleanUp,
  }) => {
    const [port, wrong] = [await freePort(), await freePort()];
    const { stranger } = pki;
    const servers =
      nginxServer(pki, `127.0.0.1:${port} ssl http2`) +
      nginxServer({ ...pki, server: stranger }, `127.0.0.1:${wrong} ssl http2`);
    await startNginxUpstream(cleanUp, port, servers);
    for (const version of ['1.1', '2', 'auto']) {
      const targets = `target "127.0.0.1:${wrong}" "127.0.0.1:${port}"`;
      const stack = await startBefore(cleanUp, `${targets}; http-version "${version}"; ${tlsBlock(pki)}`);
      const codes = new Set<number>();
      for (let count = 0; count < 12; count += 1) {
        codes.add((await stack.ask({ path: '/peer', method: 'POST', body: `order ${count}` })).status);
      }
      expect([...codes], version).toEqual([200]);
      await untilTrue('the target is ejected', async () => (await targetOf(stack))?.healthy === false);
    }
  });

  it.for(['1.1', 'auto'] as const)('with http-version %s carries WebSockets', async (version, { pki, cleanUp }) => {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => sockets.once('listening', resolve));
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
    cleanUp.add(() => {
      for (const each of sockets.clients) each.terminate();
      sockets.close();
    });
    const port = await freePort();
    const { port: behind } = sockets.address() as { port: number };
    const location = `location /peer/chat {
      proxy_pass http://127.0.0.1:${behind}; proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
    }`;
    await startNginxUpstream(cleanUp, port, nginxServer(pki, `127.0.0.1:${port} ssl http2`, location));
    const stack = await startBefore(cleanUp, `target "127.0.0.1:${port}"; http-version "${version}"; ${tlsBlock(pki)}`);
    // With auto, a connection of HTTP/2 is open already.
    expect((await stack.ask({ path: '/peer' })).status).toBe(200);
    const client = await openedSocket(cleanUp, `ws://127.0.0.1:${stack.port}/peer/chat`);
    expect(await echoed(client, 'one')).toBe('echo one');
    expect((await stack.ask({ path: '/peer' })).status).toBe(200);
    expect(await echoed(client, 'x'.repeat(200_000))).toHaveLength(200_005);
  });

  it.for(['http', 'tcp'] as const)(
    'is checked by %s over TLS, with its name and authority',
    async (type, { pki, cleanUp }) => {
      const port = await freePort();
      await startNginxUpstream(cleanUp, port, nginxServer(pki, `127.0.0.1:${port} ssl http2`));
      for (const version of ['1.1', '2', 'auto']) {
        const common = `target "127.0.0.1:${port}"; http-version "${version}"; health-check { type "${type}"; ${quickly} }`;
        const stack = await startBefore(cleanUp, `${common}; ${tlsBlock(pki)}`);
        await untilHealthy(stack, true);
        const named = `tls { sni "other.test"; ca-cert "${pki.root.certificateFile}" }`;
        const refused = await startBefore(cleanUp, `${common}; ${named}`);
        await untilHealthy(refused, false);
        expect((await targetOf(refused))?.last_error).toMatch(/not for other\.test/);
        expect((await refused.ask({ path: '/peer' })).status).toBe(503);
      }
    },
  );
});

describe('a WebSocket to a TLS upstream', () => {
  it.for(['1.1', 'auto'] as const)('with http-version %s offers http/1.1 alone', async (version, { pki, cleanUp }) => {
    const offered: string[][] = [];
    const server = createHttpsServer({
      cert: pemChain(pki.server),
      key: pki.server.key,
      ALPNCallback: ({ protocols }) => {
        offered.push(protocols);
        return 'http/1.1';
      },
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => {
      for (const each of sockets.clients) each.terminate();
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as { port: number };
    const stack = await startBefore(cleanUp, `target "127.0.0.1:${port}"; http-version "${version}"; ${tlsBlock(pki)}`);
    const client = await openedSocket(cleanUp, `ws://127.0.0.1:${stack.port}/peer`);
    for (const text of ['one', 'x'.repeat(200_000)]) {
      expect(await echoed(client, text)).toBe(`echo ${text}`);
    }
    expect(offered).toEqual([['http/1.1']]);
  });
});

const octets = (message: Buffer): Buffer => message;
const check: MethodDefinition<Buffer, Buffer> = {
  path: '/grpc.health.v1.Health/Check',
  requestStream: false,
  responseStream: false,
  requestSerialize: octets,
  requestDeserialize: octets,
  responseSerialize: octets,
  responseDeserialize: octets,
};

interface GrpcPeer {
  /** ServingStatus of grpc.health.v1. */
  serving: number;
}

/** A gRPC server with a health service, at `host:port` or `unix:/path`. */
const startGrpcPeer = async (
  cleanUp: CleanUp,
  address: string,
  credentials: ServerCredentials,
): Promise<GrpcPeer & { readonly port: number }> => {
  const peer: GrpcPeer = { serving: 1 };
  const server = new Server();
  server.addService(
    { unary: callMethods.unary, check },
    {
      unary: (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) =>
        reply(null, Buffer.from(`${call.request} served`)),
      check: (_call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) =>
        reply(null, Buffer.from([8, peer.serving])),
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  cleanUp.add(() => void setImmediate(() => server.forceShutdown()));
  return Object.assign(peer, { port });
};

describe('gRPC', () => {
  const startGrpcBefore = (cleanUp: CleanUp, upstream: string): Promise<GatewayStack> =>
    startStack(cleanUp, {
      listeners: { grpc: 'http2 #true' },
      routes: 'route "peer" { priority 100; matches { path-prefix "/test.Calls" }; upstream "peer" }',
      blocks: `upstreams { upstream "peer" { ${upstream} } }`,
    });

  const expectCalls = async (cleanUp: CleanUp, stack: GatewayStack, peer: GrpcPeer): Promise<void> => {
    await untilHealthy(stack, true);
    const client = grpcClient(cleanUp, stack.portOf('grpc'));
    const answer = await unaryCall(client, Buffer.from('call'), new Metadata());
    expect(answer.error === null && answer.message.toString()).toBe('call served');
    peer.serving = 2;
    await untilHealthy(stack, false);
    expect((await targetOf(stack))?.last_error).toBe('not serving');
    expect((await unaryCall(client, Buffer.from('call'), new Metadata())).error?.code).toBe(status.UNAVAILABLE);
    peer.serving = 1;
    await untilHealthy(stack, true);
  };

  it.for(['2', 'auto'] as const)(
    'with http-version %s is called and checked over mutual TLS',
    async (version, { pki, cleanUp }) => {
      const credentials = ServerCredentials.createSsl(
        Buffer.from(pki.root.certificate),
        [{ cert_chain: Buffer.from(pemChain(pki.server)), private_key: Buffer.from(pki.server.key) }],
        true,
      );
      const peer = await startGrpcPeer(cleanUp, '127.0.0.1:0', credentials);
      const own = `client-cert "${pki.client.certificateFile}"; client-key "${pki.client.keyFile}"`;
      const common = `target "127.0.0.1:${peer.port}"; http-version "${version}"; health-check { type "grpc"; ${quickly} }`;
      await expectCalls(cleanUp, await startGrpcBefore(cleanUp, `${common}; ${tlsBlock(pki, own)}`), peer);
      const stranger = await startGrpcBefore(cleanUp, `${common}; ${tlsBlock(pki)}`);
      await untilHealthy(stranger, false);
    },
  );

  it('is called and checked over a unix socket, with and without TLS', async ({ pki, cleanUp, folder }) => {
    const keys = { cert_chain: Buffer.from(pemChain(pki.server)), private_key: Buffer.from(pki.server.key) };
    const kinds = [
      ['plain.sock', ServerCredentials.createInsecure(), ''],
      ['tls.sock', ServerCredentials.createSsl(null, [keys]), `; ${tlsBlock(pki)}`],
    ] as const;
    for (const [name, credentials, tls] of kinds) {
      const path = folder.file(name);
      const peer = await startGrpcPeer(cleanUp, `unix:${path}`, credentials);
      const stack = await startGrpcBefore(
        cleanUp,
        `target "unix:${path}"; http-version "2"; health-check { type "grpc"; ${quickly} }${tls}`,
      );
      expect((await targetOf(stack))?.address).toBe(`unix:${path}`);
      await expectCalls(cleanUp, stack, peer);
    }
  });
});

describe('a unix socket', () => {
  const serveOn = async (cleanUp: CleanUp, path: string, server: HttpServer): Promise<void> => {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    chmodSync(path, 0o660);
    cleanUp.add(() => {
      server.close();
      server.closeAllConnections();
    });
  };

  it.for(['http', 'tcp'] as const)('is checked by %s, vanishes and comes back', async (type, { cleanUp, folder }) => {
    const path = folder.file('app.sock');
    const start = async (name: string): Promise<HttpServer> => {
      const server = createServer((request, response) => response.end(`${name} ${request.headers.host}`));
      await serveOn(cleanUp, path, server);
      return server;
    };
    const first = await start('first');
    const stack = await startBefore(
      cleanUp,
      `target "unix:${path}"; host-header "target"; health-check { type "${type}"; ${quickly} }`,
    );
    expect((await stack.ask({ path: '/peer' })).body).toBe('first localhost');
    await untilHealthy(stack, true);
    first.close();
    first.closeAllConnections();
    rmSync(path, { force: true });
    await untilHealthy(stack, false);
    expect((await stack.ask({ path: '/peer' })).status).toBe(503);
    await start('second');
    await untilHealthy(stack, true);
    expect((await stack.ask({ path: '/peer' })).body).toBe('second localhost');
  });

  it('is drained by its address, and restored', async ({ cleanUp, folder }) => {
    const path = folder.file('app.sock');
    await serveOn(
      cleanUp,
      path,
      createServer((_request, response) => response.end('served')),
    );
    const adminToken = 'a-token-for-the-test';
    const stack = await startBefore(cleanUp, `target "unix:${path}"`, { adminToken });
    const change = async (address: string, action: string): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${adminToken}` };
      const target = `/admin/upstreams/peer/targets/${address}/${action}`;
      return JSON.parse((await call(stack.adminPort, { method: 'POST', path: target, headers })).body);
    };
    for (const address of [`unix:${path}`, `unix:${path.replaceAll('/', '%2F')}`]) {
      const target = `unix:${path}`;
      expect(await change(address, 'drain')).toEqual({ upstream: 'peer', target, drained: true });
      expect((await stack.ask({ path: '/peer' })).status).toBe(503);
      expect(await change(address, 'undrain')).toMatchObject({ target, drained: false });
      expect((await stack.ask({ path: '/peer' })).body).toBe('served');
    }
  });

  it('carries TLS and WebSockets', async ({ pki, cleanUp, folder }) => {
    const path = folder.file('tls.sock');
    const server = createHttpsServer({ cert: pemChain(pki.server), key: pki.server.key }, (_request, response) =>
      response.end('over TLS'),
    );
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
    cleanUp.add(() => {
      for (const each of sockets.clients) each.terminate();
    });
    await serveOn(cleanUp, path, server);
    const stack = await startBefore(
      cleanUp,
      `target "unix:${path}"; health-check { type "http" { path "/" }; ${quickly} }; ${tlsBlock(pki)}`,
    );
    await untilHealthy(stack, true);
    expect((await stack.ask({ path: '/peer' })).body).toBe('over TLS');
    const client = await openedSocket(cleanUp, `ws://127.0.0.1:${stack.port}/peer`);
    expect(await echoed(client, 'one')).toBe('echo one');
  });
});
