import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import type { UpstreamTlsConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import {
  type InProcessGateway,
  startInProcess,
  testConfiguration,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { startTlsUpstream } from '../../support/gateway/tls-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates, pemChain } from '../../support/shared/openssl-certificates.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const minuteMs = 60_000;
const pki = new OpensslCertificates();
const folder = temporaryFolder();
let root: OpensslCertificate;
let good: OpensslCertificate;
let caCertFile: string;

beforeAll(() => {
  root = pki.authority('root');
  good = pki.server('good', { by: root, names: ['DNS:api.test'] });
  caCertFile = folder.write('root.pem', root.certificate);
});
afterAll(() => {
  pki.remove();
  folder.remove();
});
afterEach(() => void vi.useRealTimers());

const keysOf = (certificate: OpensslCertificate) => ({ cert: pemChain(certificate), key: certificate.key });

/** A gateway that opens a connection for each request. */
const startBefore = async (cleanUp: CleanUp, port: number, connectMs = 20_000): Promise<InProcessGateway> => {
  const tls: UpstreamTlsConfiguration = {
    serverName: 'api.test',
    caCertFile,
    certificate: null,
    minVersion: '1.2',
    verifies: true,
  };
  const timeouts = { connectMs, readMs: 20_000, requestMs: 20_000 };
  const gateway = await startInProcess(testConfiguration([testUpstream(port, { tls, maxIdle: 0, timeouts })]));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const statusOf = async (gateway: InProcessGateway): Promise<number> => {
  const answer = await fetch(`${gateway.url}/a`);
  await answer.text();
  return answer.status;
};

/** A server that sends a new ticket on each resumption, as nginx does. */
const startOpensslServer = async (cleanUp: CleanUp, certificate: OpensslCertificate): Promise<number> => {
  const [cert, key] = [folder.write('s.pem', certificate.certificate), folder.write('s.key', certificate.key)];
  const server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-cert', cert, '-key', key, '-www']);
  cleanUp.add(() => void server.kill());
  let said = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const portPattern = /ACCEPT 127\.0\.0\.1:(\d+)/;
  await eventually(() => portPattern.test(said));
  return Number(portPattern.exec(said)?.[1]);
};

const passTime = (minutes: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * minuteMs });
};

describe('the TLS session of an upstream', () => {
  it('ends an hour after the certificate was verified, also if each resumption renews it', async ({ cleanUp }) => {
    const port = await startOpensslServer(cleanUp, good);
    const gateway = await startBefore(cleanUp, port);
    const kinds: (string | undefined)[] = [];
    for (const minutes of [0, 25, 25, 25]) {
      passTime(minutes);
      // The page of `openssl s_server -www` says whether the session was resumed.
      const answer = await fetch(`${gateway.url}/`);
      kinds.push(/(New|Reused), TLSv1\.3/.exec(await answer.text())?.[1]);
    }
    expect(kinds).toEqual(['New', 'Reused', 'Reused', 'New']);
  });

  it('ends with the first certificate of its chain', async ({ cleanUp }) => {
    const validity = [Date.now() - minuteMs, Date.now() + 30 * minuteMs] as const;
    const issuing = pki.authority('issuing', { by: root, validity });
    const upstream = await startTlsUpstream(
      cleanUp,
      keysOf(pki.server('leaf', { by: issuing, names: ['DNS:api.test'] })),
    );
    const gateway = await startBefore(cleanUp, upstream.port);
    expect(await statusOf(gateway)).toBe(200);
    passTime(20);
    expect(await statusOf(gateway)).toBe(200);
    passTime(15);
    await statusOf(gateway);
    expect(upstream.resumed).toEqual([false, true, false]);
  });

  it('is not offered again after a handshake that never ended', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, keysOf(good));
    const gateway = await startBefore(cleanUp, upstream.port, 300);
    expect(await statusOf(gateway)).toBe(200);
    await upstream.close();
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(upstream.port, '127.0.0.1', resolve));
    expect(await statusOf(gateway)).toBe(504);
    await new Promise<void>((resolve) => void silent.close(() => resolve()));
    const hellos: Buffer[] = [];
    const seen = createServer(
      (socket) => void socket.on('error', () => undefined).on('data', (octets) => hellos.push(octets)),
    );
    await new Promise<void>((listening) => seen.listen(upstream.port, '127.0.0.1', listening));
    cleanUp.add(() => void seen.close());
    expect(await statusOf(gateway)).toBe(504);
    // A gateway without a session sends an equally long hello (RFC 8446, section 4.2.11: the ticket is in the hello).
    await statusOf(await startBefore(cleanUp, upstream.port, 300));
    const [after, without] = hellos.map(({ length }) => length);
    expect(after).toBe(without);
  });
});
