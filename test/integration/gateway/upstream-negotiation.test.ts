import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
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

const pki = new OpensslCertificates();
const folder = temporaryFolder();
let good: OpensslCertificate;
let caCertFile: string;

beforeAll(() => {
  const root = pki.authority('root');
  good = pki.server('good', { by: root, names: ['DNS:api.test'] });
  caCertFile = folder.write('root.pem', root.certificate);
});
afterAll(() => {
  pki.remove();
  folder.remove();
});

const startBefore = async (
  cleanUp: CleanUp,
  port: number,
  changes: Partial<UpstreamConfiguration> = {},
): Promise<InProcessGateway> => {
  const tls = { serverName: 'api.test', caCertFile, certificate: null, minVersion: '1.2', verifies: true } as const;
  const upstream = testUpstream(port, { tls, httpVersion: 'auto', ...changes });
  const gateway = await startInProcess(testConfiguration([upstream]));
  cleanUp.add(() => gateway.stop());
  return gateway;
};

const statusOf = async (gateway: InProcessGateway): Promise<number> => {
  const answer = await fetch(`${gateway.url}/a`);
  await answer.text();
  return answer.status;
};

const upgradeStatus = async (cleanUp: CleanUp, { address }: InProcessGateway): Promise<string> => {
  const client = connect(address).setEncoding('latin1');
  cleanUp.add(() => void client.destroy());
  let text = '';
  client.on('data', (piece: string) => {
    text += piece;
  });
  client.write('GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
  client.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  await eventually(() => text.includes('\r\n\r\n'));
  return text.slice(9, 12);
};

describe('the negotiation of the protocol of an upstream', () => {
  it('is not repeated for an upgrade that a target of HTTP/2 alone refuses', async ({ cleanUp }) => {
    const upstream = await startTlsUpstream(cleanUp, {
      cert: pemChain(good),
      key: good.key,
      ALPNProtocols: ['h2'],
    });
    let connections = 0;
    const front = createServer((socket) => {
      connections += 1;
      const target = connect(upstream.port, '127.0.0.1');
      socket.on('error', () => undefined).on('close', () => target.destroy());
      target.on('error', () => undefined).on('close', () => socket.destroy());
      socket.pipe(target).pipe(socket);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void front.close());
    const gateway = await startBefore(cleanUp, (front.address() as { port: number }).port);
    expect(await statusOf(gateway)).toBe(200);
    expect(await upgradeStatus(cleanUp, gateway)).toBe('502');
    const before = connections;
    expect(await statusOf(gateway)).toBe(200);
    expect(connections).toBe(before);
  });

  it('blames a target that uses up the time of a request', async ({ cleanUp }) => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const timeouts = { connectMs: 20_000, readMs: 20_000, requestMs: 200 };
    for (const httpVersion of ['1.1', '2', 'auto'] as const) {
      expect(await statusOf(await startBefore(cleanUp, port, { httpVersion, timeouts }))).toBe(504);
    }
  });
});
