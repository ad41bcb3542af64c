import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareTls } from '../../../../../src/adapters/inbound/http-engines/connections/prepared-tls.js';
import { CoreHttpEngine } from '../../../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { NodeListeningSockets } from '../../../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { TlsMaterial } from '../../../../../src/application/ports/gateway/http-engine.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { testSocketLayers } from '../../../../support/gateway/socket-layers.js';
import { asTlsCertificate } from '../../../../support/gateway/tls-listener.js';
import {
  type OpensslCertificate,
  OpensslCertificates,
  pemChain,
} from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
let root: OpensslCertificate;
let intermediate: OpensslCertificate;
let server: OpensslCertificate;
let nameless: OpensslCertificate;

beforeAll(() => {
  root = pki.authority('root');
  intermediate = pki.authority('intermediate', { by: root });
  server = pki.server('server', { by: intermediate, names: ['DNS:a.example'] });
  nameless = pki.server('nameless.example', { by: intermediate });
});
afterAll(() => pki.remove());

const material = (changes: Partial<TlsMaterial> = {}): TlsMaterial => ({
  certificates: [asTlsCertificate(server)],
  clientAuth: 'none',
  clientAuthorities: null,
  minVersion: '1.2',
  http2: false,
  ...changes,
});

/** The error of a certificate and key that do not fit. */
const errorOf = (chain: string, key: string): string => {
  const prepared = new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(
    material({ certificates: [{ chain, privateKey: new Secret(key) }] }),
  );
  if (prepared.ok) throw new Error('it was taken');
  return prepared.error;
};

describe('consistent TLS material', () => {
  it('is accepted without a warning', () => {
    const prepared = new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(material());
    expect(prepared).toMatchObject({ ok: true, value: { isTlsContext: true, warnings: [] } });
  });

  it('is accepted with text around the certificates, and with the root after them', () => {
    const chain = `subject: me\n${pemChain(server)}\nand so on\n${root.certificate}`;
    const certificates = [{ chain, privateKey: new Secret(server.key) }];
    expect(
      new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(material({ certificates })),
    ).toMatchObject({
      ok: true,
    });
  });
});

describe('inconsistent TLS material', () => {
  it('is refused if the certificate file contains none', () => {
    expect(errorOf('', server.key)).toBe('the certificate file holds no certificate in PEM');
    expect(errorOf(server.key, server.key)).toBe('the certificate file holds no certificate in PEM');
  });

  it('is refused if a certificate is malformed', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(errorOf(broken, server.key)).toContain('cannot be read, the 1st');
    expect(errorOf(server.certificate + broken, server.key)).toContain('cannot be read, the 2nd');
  });

  it('is refused if the key file contains no key, without printing its content', () => {
    const error = errorOf(pemChain(server), 'my pass phrase');
    expect(error).toBe('the key file holds no private key in PEM that can be read');
    expect(errorOf(pemChain(server), server.certificate)).toBe(error);
    expect(errorOf(pemChain(server), server.key.slice(0, 120))).toBe(error);
  });

  it('is refused if the key is encrypted', () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    });
    expect(errorOf(pemChain(server), privateKey)).toContain('is encrypted');
    const older = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    });
    expect(errorOf(pemChain(server), older.privateKey)).toContain('is encrypted');
  });

  it('is refused if the key belongs to another certificate', () => {
    expect(errorOf(pemChain(server), root.key)).toBe('the private key does not belong to the certificate');
    expect(errorOf(pemChain(server), intermediate.key)).toBe(
      'the certificate of the private key has to be the first in its file',
    );
  });

  it('is refused if the chain is out of order', () => {
    const shuffled = server.certificate + root.certificate + intermediate.certificate;
    expect(errorOf(shuffled, server.key)).toContain('its 2nd certificate has not issued the one before it');
    expect(errorOf(pemChain(server) + server.certificate, server.key)).toContain('its 3rd certificate has not issued');
  });

  it('is refused if the key is too short for the TLS library', () => {
    const selfSigned = ['req', '-x509', '-newkey', 'rsa:512', '-nodes', '-subj', '/CN=short'];
    const both = pki.openssl(...selfSigned, '-keyout', '-');
    expect(errorOf(both, both)).toMatch(/^the TLS library refuses it: .*too small/);
  });

  it('names the wrong certificate of several', () => {
    const wrong = { chain: pemChain(server), privateKey: new Secret(root.key) };
    expect(
      new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(
        material({ certificates: [asTlsCertificate(server), wrong] }),
      ),
    ).toEqual({
      ok: false,
      error: 'the 2nd certificate: the private key does not belong to the certificate',
    });
    expect(
      new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(material({ certificates: [] })),
    ).toMatchObject({
      ok: false,
    });
  });

  it.each(['request', 'require'] as const)('is refused with client-auth %s without an authority', (clientAuth) => {
    const engine = new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers);
    expect(engine.prepareTls(material({ clientAuth }))).toMatchObject({ ok: false });
    expect(engine.prepareTls(material({ clientAuth, clientAuthorities: '# none yet' }))).toEqual({
      ok: false,
      error: 'the file of client authorities holds no certificate in PEM',
    });
    expect(engine.prepareTls(material({ clientAuth, clientAuthorities: root.certificate }))).toMatchObject({
      ok: true,
    });
  });
});

describe('the dates of certificates', () => {
  const day = 86_400_000;

  const warningsAt = (nowMs: number, changes: Partial<TlsMaterial> = {}): readonly string[] => {
    const prepared = prepareTls(material(changes), nowMs);
    if (!prepared.ok) throw new Error(prepared.error);
    return prepared.value.warnings;
  };

  it('cause warnings before the start, near the end and after the end, and no refusal', () => {
    const { validFrom, validTo } = new X509Certificate(server.certificate);
    expect(warningsAt(Date.parse(validFrom) - day)[0]).toBe(
      `the certificate "CN=server" is not valid before ${validFrom}`,
    );
    expect(warningsAt(Date.parse(validFrom) + day)).toEqual([]);
    expect(warningsAt(Date.parse(validTo) - 15 * day)).toEqual([]);
    expect(warningsAt(Date.parse(validTo) - 13 * day)[0]).toBe(
      `the certificate "CN=server" expires soon, on ${validTo}`,
    );
    expect(warningsAt(Date.parse(validTo) + 1_000)[0]).toBe(`the certificate "CN=server" has expired on ${validTo}`);
  });

  it('of intermediates and client authorities count too', () => {
    const late = Date.parse(new X509Certificate(root.certificate).validTo) + day;
    const warnings = warningsAt(late, { clientAuth: 'require', clientAuthorities: root.certificate });
    expect(warnings.map((text) => text.slice(0, text.indexOf(' has expired')))).toEqual([
      'the client authority "CN=root"',
      'the certificate "CN=server"',
      'the certificate "CN=intermediate"',
    ]);
  });
});

describe('a certificate without a DNS name', () => {
  it('causes a warning unless it is the first: its common name does not count', () => {
    const certificates = [asTlsCertificate(nameless), asTlsCertificate(nameless)];
    const prepared = new CoreHttpEngine(new NodeListeningSockets(), testSocketLayers).prepareTls(
      material({ certificates }),
    );
    expect(prepared).toMatchObject({ ok: true, value: { warnings: [expect.stringContaining('the 2nd certificate')] } });
  });
});
