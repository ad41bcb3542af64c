import type { SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { tlsConnection } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import { it } from '../../../../support/shared/fixtures.js';
import { type OpensslCertificate, OpensslCertificates } from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let server: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  server = pki.server('server', { by: root, names: ['DNS:a.example'] });
});
afterAll(() => pki.remove());

const lastRequest = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a connection over %s whose client asks for its end', (version) => {
  const trusting = (maxVersion: SecureVersion) => ({
    ca: root.certificate,
    servername: 'a.example',
    maxVersion,
    allowHalfOpen: true,
  });

  it('closes with the response, also where the client never closes its side', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([server]));
    const socket = await tlsConnection(listener.address(), trusting(version));
    cleanUp.add(() => socket.destroy());
    const ended = new Promise((resolve) => socket.once('end', resolve));
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.write(lastRequest);
    // Without close_notify the client could not tell an end from a cut.
    await ended;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/);
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('delivers a large response whole to a client that reads late', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, preparedTls([server]));
    handler.held = true;
    const body = 'x'.repeat(8_000_000);
    const socket = await tlsConnection(listener.address(), trusting(version));
    cleanUp.add(() => socket.destroy());
    socket.pause();
    socket.write(lastRequest);
    await expect.poll(() => handler.responses.length).toBe(1);
    handler.responses[0]?.send(200, [], body, false);
    let octets = 0;
    const ended = new Promise((resolve, reject) => socket.once('end', resolve).once('error', reject));
    setImmediate(() => {
      socket.on('data', (piece: Buffer) => {
        octets += piece.length;
      });
      socket.resume();
    });
    await ended;
    expect(octets).toBeGreaterThan(body.length);
    await expect.poll(() => listener.connections()).toBe(0);
  });

  it('delivers the response to a client that sends more than it announced', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, preparedTls([server]));
    const socket = await tlsConnection(listener.address(), trusting(version));
    cleanUp.add(() => socket.destroy());
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    const ended = new Promise((resolve) => socket.once('end', resolve));
    socket.write(`${lastRequest}${'x'.repeat(10_000)}`);
    await ended;
    expect(text).toContain('200 OK');
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});
