import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { privatePem } from '../../support/agent/exchange-company.js';
import { newSamlKey } from '../../support/agent/live-saml-provider.js';
import { publicPem, rsaPair } from '../../support/agent/test-tokens.js';
import { type CertificateCast, certificateCast } from '../../support/shared/certificate-cast.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { runGateway } from '../../support/shared/running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const environment = {
  ADMIN_TOKEN: 'a-token-of-the-test-that-is-long',
  API_KEYS: 'key:alice',
  OIDC_SECRET: 'a-secret-of-the-test-that-is-long',
  ORDERS_SECRET: 'a-secret-of-the-test-that-is-long',
  RATE_LIMIT_REDIS: 'rediss://:a-password@redis.internal:6379/0',
};

describeWithPeers(['openssl'], 'the shipped configurations that refer to files, on a machine with these files', () => {
  let folder: TemporaryFolder;
  let cast: CertificateCast;

  beforeAll(() => {
    folder = temporaryFolder();
    cast = certificateCast();
    mkdirSync(folder.file('tls'));
    for (const name of [
      'api.example.com',
      'app.example.com',
      'portal.example.com',
      'uploads.example.com',
      'wildcard.example.net',
    ]) {
      const { certificate, key } = cast.pki.server(name, { by: cast.root, names: [`DNS:${name}`] });
      folder.write(`tls/${name}.pem`, certificate);
      folder.write(`tls/${name}.key`, key);
    }
    for (const name of ['tls/partners-ca.pem', 'clients-ca.pem']) folder.write(name, cast.partners.certificate);
    const single = newSamlKey('app.example.com');
    folder.write('saml.key', single.key);
    folder.write('saml.crt', single.certificate);
    const issuer = rsaPair();
    folder.write('issuer.key', privatePem(issuer));
    folder.write('billing.pub.pem', publicPem(issuer.publicKey));
    folder.write('portcullis-api-keys', 'key:alice\n');
    cpSync(fileURLToPath(new URL('../../../config/policies/', import.meta.url)), folder.file('policies'), {
      recursive: true,
    });
  });
  afterAll(() => {
    cast?.pki.remove();
    folder?.remove();
  });

  /** As shipped, but for the folders that a test cannot write to. */
  const placed = (name: string): string => {
    const text = readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8');
    return folder.write(
      name,
      text.replaceAll('"/etc/portcullis/', `"${folder.path}/`).replaceAll('"/run/secrets/', `"${folder.path}/`),
    );
  };

  it.each([
    ['behind-load-balancer.kdl', '1 listener'],
    ['openid-connect.kdl', '1 listener'],
    ['production.kdl', '2 listeners'],
    ['single-sign-on.kdl', '1 listener'],
    ['token-exchange.kdl', '1 listener'],
  ])('pass --validate: %s', async (name, listeners) => {
    const gateway = runGateway(['--validate', '--config', placed(name)], environment);
    const { code } = await gateway.exited;
    expect({ code, output: gateway.output() }).toEqual({
      code: 0,
      output: expect.stringContaining(`The configuration is fine: ${listeners}`),
    });
    // The provider of the example exists nowhere.
    const warnings = gateway.output().match(/^warning: .*$/gm) ?? [];
    expect(warnings.filter((line) => !line.endsWith('so sign-ons fail until they are fetched'))).toEqual([]);
  });
});
