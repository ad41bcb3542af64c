import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { startNginxUpstream } from '../../support/gateway/nginx-upstream.js';
import { startRawTlsUpstream } from '../../support/gateway/tls-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import {
  configurationOf,
  documentationPage,
  fencedBlocks,
  mainExample,
} from '../../support/shared/documentation-examples.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const page = 'docs/guides/upstream-tls.md';
const blocks = fencedBlocks(documentationPage(page));

/** The block of this language that holds a text. */
const shown = (language: string, text: string): string => {
  const block = blocks.find((each) => each.info === language && each.text.includes(text));
  if (block === undefined) throw new Error(`${page} has no ${language} with ${text}`);
  return block.text;
};

const run = (folder: TemporaryFolder, commands: string): void => {
  execFileSync('sh', ['-ec', commands], { cwd: folder.path, stdio: 'pipe' });
};

/** The certificates that the commands of the guide make, in one folder. */
const it = baseIt.extend('pki', { scope: 'file' }, ({ fileCleanUp }) => {
  const folder = temporaryFolder();
  fileCleanUp.add(() => folder.remove());
  run(folder, shown('sh', '-keyout ca.key'));
  run(folder, shown('sh', '-keyout gateway.key'));
  return folder;
});

/** A text of the guide with the places of this run. */
const placed = (text: string, pki: TemporaryFolder, ports: Readonly<Record<string, number>>): string => {
  let local = text.replaceAll('/etc/portcullis', pki.path).replaceAll('/etc/nginx', pki.path);
  for (const [documented, port] of Object.entries(ports)) {
    local = local.replaceAll(documented, `127.0.0.1:${port}`);
  }
  return local;
};

interface Running {
  readonly gateway: RunningProcess;
  readonly port: number;
}

/** The main example, or with one of its upstreams in the place of the first. */
const wholeOf = (upstream: string): string => {
  const { text, isWhole } = configurationOf(upstream) ?? { text: '', isWhole: false };
  if (isWhole) return text;
  const name = /^upstream "([^"]+)"/.exec(upstream)?.[1] ?? '';
  const head = mainExample(page).replace(/^upstreams \{\n.*?^\}\n/ms, '');
  return `${head.replace('upstream "orders"', `upstream "${name}"`)}upstreams {\n${upstream}}\n`;
};

const startGuide = async (
  cleanUp: CleanUp,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const port = await freePort();
  const file = folder.write('gateway.kdl', text.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
  const gateway = await startBuiltGateway(file, [port], env);
  cleanUp.add(() => gateway.stop());
  return { gateway, port };
};

const startNginx = async (cleanUp: CleanUp, text: string, pki: TemporaryFolder) => {
  const port = await freePort();
  const nginx = await startNginxUpstream(cleanUp, port, placed(text, pki, { '10.0.0.11:8443': port }));
  return { port, nginx };
};

const ask = async ({ port }: Running, path = '/') => {
  const { status, body } = await call(port, { path });
  return [status, body];
};

/** Resolves once the log of the gateway has a request with this cause. */
const untilCause = ({ gateway }: Running, cause: RegExp): Promise<string> =>
  gateway.wrote(new RegExp(`"cause":"[^\\n]*(?:${cause.source})`));

describeWithPeers(['nginx', 'openssl'], 'the guide to TLS to upstreams', () => {
  it('begins with an upstream that has its own authority', async ({ pki, cleanUp }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', '$server_protocol'), pki);
    const running = await startGuide(cleanUp, placed(mainExample(page), pki, { '10.0.0.11:8443': port }));
    expect(await ask(running)).toEqual([200, 'orders over HTTP/1.1\n']);
  });

  it('reaches the same service over HTTP/2 with auto, and with 2', async ({ pki, cleanUp }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', '$server_protocol'), pki);
    const example = wholeOf(shown('kdl', 'http-version "auto"'));
    for (const version of ['auto', '2']) {
      const text = example.replace('http-version "auto"', `http-version "${version}"`);
      const running = await startGuide(cleanUp, placed(text, pki, { '10.0.0.11:8443': port }));
      expect(await ask(running)).toEqual([200, 'orders over HTTP/2.0\n']);
    }
  });

  it('says with auto that a target without HTTP/2 gets HTTP/1.1, and with 2 nothing', async ({ pki, cleanUp }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', '$server_protocol').replace(' http2', ''), pki);
    const example = placed(wholeOf(shown('kdl', 'http-version "auto"')), pki, { '10.0.0.11:8443': port });
    expect(await ask(await startGuide(cleanUp, example))).toEqual([200, 'orders over HTTP/1.1\n']);
    const strict = await startGuide(cleanUp, example.replace('http-version "auto"', 'http-version "2"'));
    expect((await ask(strict))[0]).toBe(502);
    await untilCause(strict, /ALPN|no application protocol/);
  });

  it('presents the certificate of the gateway', async ({ pki, cleanUp }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', 'ssl_verify_client on'), pki);
    const example = placed(wholeOf(shown('kdl', 'client-cert')), pki, { '10.0.0.11:8443': port });
    for (const version of ['1.1', '2', 'auto']) {
      const text = example.replace('target', `http-version "${version}"\n  target`);
      expect(await ask(await startGuide(cleanUp, text)), version).toEqual([200, 'orders for CN=portcullis\n']);
    }
    const without = await startGuide(cleanUp, example.replace(/^ *client-.*\n/gm, ''));
    expect((await ask(without))[0]).toBe(400);
  });

  it('forwards to an application on a unix socket, which may go and come back', async ({ cleanUp, folder }) => {
    const socket = folder.file('app.sock');
    const program = folder.write('app.mjs', shown('js', 'createServer').replace('/run/app/app.sock', socket));
    const startApp = (): RunningProcess => {
      const app = startProcess(process.execPath, [program]);
      cleanUp.add(() => app.stop());
      return app;
    };
    let app = startApp();
    const running = await startGuide(
      cleanUp,
      wholeOf(shown('kdl', 'unix:/run/app/app.sock')).replace('/run/app/app.sock', socket),
    );
    await untilTrue('the application serves', async () => (await ask(running))[0] === 200);
    expect((await ask(running, '/a?b=c'))[1]).toBe(`/a?b=c for 127.0.0.1:${running.port}\n`);
    app.signal('SIGKILL');
    await app.exited;
    await untilTrue('the socket has no process', async () => (await ask(running))[0] === 502);
    await untilCause(running, /ECONNREFUSED/);
    execFileSync('rm', [socket]);
    expect((await ask(running))[0]).toBe(502);
    await untilCause(running, /connect ENOENT/);
    app = startApp();
    await untilTrue('the application serves again', async () => (await ask(running))[0] === 200);
  });

  it('sends an external API its own Host, verified by the authorities of Node.js', async ({ pki, cleanUp, folder }) => {
    run(
      pki,
      `openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=partner -addext subjectAltName=DNS:localhost -keyout orders2.key -out orders2.csr
       openssl x509 -req -in orders2.csr -CA internal-ca.pem -CAkey ca.key -days 9 -copy_extensions copy -out orders2.pem`,
    );
    const server = shown('nginx', '$server_protocol').replace('orders over $server_protocol', '$host for $http_host');
    const { port } = await startNginx(cleanUp, server.replaceAll('/orders.', '/orders2.'), pki);
    const example = wholeOf(shown('kdl', 'host-header "target"')).replace(
      'api.partner.example:443',
      `localhost:${port}`,
    );
    const unknown = await startGuide(cleanUp, example);
    expect((await ask(unknown))[0]).toBe(502);
    await untilCause(unknown, /authority of the certificate is unknown/);
    const running = await startGuide(cleanUp, example, { NODE_EXTRA_CA_CERTS: pki.file('internal-ca.pem') });
    expect(await ask(running)).toEqual([200, `localhost for localhost:${port}\n`]);
    const preserving = await startGuide(cleanUp, example.replace('host-header "target"', ''), {
      NODE_EXTRA_CA_CERTS: folder.write('extra.pem', readFileSync(pki.file('internal-ca.pem'), 'utf8')),
    });
    expect(await ask(preserving)).toEqual([200, `127.0.0.1 for 127.0.0.1:${preserving.port}\n`]);
  });

  it('reads certificates again within ten seconds, and keeps the old ones if the new are bad', async ({
    pki,
    cleanUp,
    folder,
  }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', 'ssl_verify_client on'), pki);
    for (const name of ['internal-ca.pem', 'gateway.pem', 'gateway.key']) {
      folder.write(name, readFileSync(pki.file(name), 'utf8'));
    }
    const example = wholeOf(shown('kdl', 'client-cert'));
    const text = placed(example, folder, { '10.0.0.11:8443': port }).replace(
      'target',
      'connection-pool { max-idle 0 }\n  target',
    );
    const running = await startGuide(cleanUp, text);
    expect((await ask(running))[1]).toBe('orders for CN=portcullis\n');
    run(
      pki,
      `${shown('sh', '-keyout gateway.key').replaceAll('gateway.', 'next.').replace('/CN=portcullis', '/CN=next')}`,
    );
    const put = (name: string, source: string): void => {
      folder.write('arriving', readFileSync(pki.file(source), 'utf8'));
      renameSync(folder.file('arriving'), folder.file(name));
    };
    put('gateway.pem', 'next.pem');
    const line = await running.gateway.wrote(/TLS files of an upstream are unusable: the old ones stay.*\n/);
    expect(line).toMatch(/the private key does not belong to the certificate/);
    expect((await ask(running))[1]).toBe('orders for CN=portcullis\n');
    const changedMs = Date.now();
    put('gateway.key', 'next.key');
    await untilTrue('the new certificate is used', async () => (await ask(running))[1] === 'orders for CN=next\n');
    expect(Date.now() - changedMs).toBeLessThan(10_000);
    await running.gateway.wrote(/TLS files of an upstream have changed: new connections use them/);
  });

  describe('names the cause of a refusal in the log alone', () => {
    it.for<[name: string, commands: string, cause: RegExp]>([
      [
        'another name',
        '-addext subjectAltName=DNS:other.internal',
        /it is for DNS:other\.internal, not for orders\.internal/,
      ],
      ['a common name alone', '-subj /CN=orders.internal', /it is for no name, not for orders\.internal/],
      [
        'no use for servers',
        '-addext subjectAltName=DNS:orders.internal -addext extendedKeyUsage=clientAuth',
        /not meant for servers/,
      ],
    ])('%s', async ([_name, options, cause], { pki, cleanUp }) => {
      run(
        pki,
        `openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x ${options} -keyout bad.key -out bad.csr
         openssl x509 -req -in bad.csr -CA internal-ca.pem -CAkey ca.key -days 9 -copy_extensions copy -out bad.pem`,
      );
      const server = shown('nginx', '$server_protocol').replaceAll('/orders.', '/bad.');
      const { port } = await startNginx(cleanUp, server, pki);
      const running = await startGuide(cleanUp, placed(mainExample(page), pki, { '10.0.0.11:8443': port }));
      const [status, body] = await ask(running);
      expect(status).toBe(502);
      expect(JSON.parse(String(body))).toMatchObject({ code: 'upstream_unreachable' });
      expect(body).not.toMatch(/certificate|internal/);
      await untilCause(running, cause);
    });

    it('a server without TLS', async ({ pki, cleanUp }) => {
      const server = 'server { listen 10.0.0.11:8443; location / { return 200 "plain"; } }';
      const { port } = await startNginx(cleanUp, server, pki);
      const running = await startGuide(cleanUp, placed(mainExample(page), pki, { '10.0.0.11:8443': port }));
      expect((await ask(running))[0]).toBe(502);
      await untilCause(running, /TLS handshake failed: (?:wrong version number|packet length too long)/);
    });
  });

  it('says which cut responses the gateway cannot detect', async ({ pki, cleanUp }) => {
    const keys = { cert: readFileSync(pki.file('orders.pem')), key: readFileSync(pki.file('orders.key')) };
    const answerOf = async (fields: string, body: string): Promise<string> => {
      // Destroying the connection sends no close_notify.
      const port = await startRawTlsUpstream(cleanUp, keys, (socket) => {
        socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${fields}\r\n${body}`, () => socket.destroy()));
      });
      const running = await startGuide(cleanUp, placed(mainExample(page), pki, { '10.0.0.11:8443': port }));
      return call(running.port).then(
        ({ body: received }) => received,
        () => 'broken off',
      );
    };
    expect(await answerOf('', 'half')).toBe('half');
    expect(await answerOf('Content-Length: 8\r\n', 'half')).toBe('broken off');
    expect(await answerOf('Transfer-Encoding: chunked\r\n', '8\r\nhalf')).toBe('broken off');
    expect(await answerOf('Transfer-Encoding: chunked\r\n', '4\r\nhalf\r\n')).toBe('broken off');
  });

  it('says that insecure-skip-verify accepts any certificate, with a warning at start', async ({ pki, cleanUp }) => {
    const { port } = await startNginx(cleanUp, shown('nginx', '$server_protocol'), pki);
    const example = placed(mainExample(page), pki, { '10.0.0.11:8443': port });
    const tls = 'tls { sni "other.internal"; insecure-skip-verify #true }';
    const running = await startGuide(cleanUp, example.replace(/tls \{[^}]*\}/, tls));
    expect(await ask(running)).toEqual([200, 'orders over HTTP/1.1\n']);
    await running.gateway.wrote(/insecure-skip-verify #true: upstream \\?"orders/);
  });

  it('trusts a self-signed certificate that is named as its own authority, and checks its name', async ({
    pki,
    cleanUp,
  }) => {
    run(
      pki,
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -addext subjectAltName=DNS:orders.internal -keyout self.key -out self.pem',
    );
    const server = shown('nginx', '$server_protocol').replaceAll('/orders.', '/self.');
    const { port } = await startNginx(cleanUp, server, pki);
    const example = placed(mainExample(page), pki, { '10.0.0.11:8443': port });
    expect((await ask(await startGuide(cleanUp, example)))[0]).toBe(502);
    const trusting = example.replace('internal-ca.pem', 'self.pem');
    expect((await ask(await startGuide(cleanUp, trusting)))[0]).toBe(200);
    const other = await startGuide(cleanUp, trusting.replace('sni "orders.internal"', 'sni "other.internal"'));
    expect((await ask(other))[0]).toBe(502);
    await untilCause(other, /not for other\.internal/);
  });
});
