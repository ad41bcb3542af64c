import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { tlsCall } from '../../../../support/gateway/tls-call.js';
import { preparedTls, recordedListener } from '../../../../support/gateway/tls-listener.js';
import { it } from '../../../../support/shared/fixtures.js';
import {
  type OpensslCertificate,
  OpensslCertificates,
  pemChain,
} from '../../../../support/shared/openssl-certificates.js';

const pki = new OpensslCertificates();
const made: Record<string, OpensslCertificate> = {};

beforeAll(() => {
  const dayMs = 86_400_000;
  const root = pki.authority('root');
  const intermediate = pki.authority('intermediate', { by: root });
  const validity = [Date.now() - 9 * dayMs, Date.now() - dayMs] as const;
  Object.assign(made, {
    root,
    intermediate,
    server: pki.server('server', { by: root, names: ['DNS:a.example'] }),
    client: pki.client('client', { by: intermediate }),
    sibling: pki.client('sibling', { by: intermediate }),
    direct: pki.client('direct', { by: root }),
    expired: pki.client('expired', { by: intermediate, validity }),
    foreign: pki.client('client', { by: pki.authority('intermediate', { by: pki.authority('root') }) }),
    'for servers': pki.server('for servers', { by: intermediate }),
    'self-signed': pki.client('client'),
  });
});
afterAll(() => pki.remove());

const certificate = (name: string): OpensslCertificate => {
  const found = made[name];
  if (!found) throw new Error(`there is no certificate ${name}`);
  return found;
};

const asking = (who: string | null, servername: string, version: SecureVersion): ConnectionOptions => ({
  rejectUnauthorized: false,
  servername,
  minVersion: version,
  maxVersion: version,
  ...(who === null ? {} : { cert: pemChain(certificate(who)), key: certificate(who).key }),
});

const serverNames = [
  ['names a server', 'a.example'],
  ['names a server that nobody is', 'b.example'],
  ['names no server', ''],
] as const;

/** What is in the file of authorities, who is let in by it, and who is not, with the code of the log. */
const anchors = [
  {
    anchor: 'root',
    good: ['client', 'direct'],
    bad: [
      ['foreign', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['expired', 'CERT_HAS_EXPIRED'],
      ['for servers', 'INVALID_PURPOSE'],
      ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ],
  },
  {
    anchor: 'intermediate',
    good: ['client', 'sibling'],
    bad: [
      ['direct', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['foreign', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['expired', 'CERT_HAS_EXPIRED'],
      ['for servers', 'INVALID_PURPOSE'],
      ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ],
  },
  {
    anchor: 'client',
    good: ['client'],
    bad: [
      ['sibling', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['direct', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['foreign', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ],
  },
] as const;

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('over %s, a client that', (version) => {
  describe.each(serverNames)('%s', (_, servername) => {
    describe.each(['request', 'require'] as const)('with client-auth %s', (clientAuth) => {
      it.for(anchors)(
        'is admitted and refused by the file with only the $anchor',
        async ({ anchor, good, bad }, { cleanUp }) => {
          const clientAuthorities = certificate(anchor).certificate;
          const tls = preparedTls([certificate('server')], { clientAuth, clientAuthorities });
          const { listener, handler } = await recordedListener(cleanUp, tls);
          for (const who of good) {
            const answer = await tlsCall(listener.address(), asking(who, servername, version));
            expect({ who, status: answer.status, version: answer.version }).toEqual({ who, status: 200, version });
            expect(handler.connection().tls?.clientCertificate).not.toBeNull();
          }
          const refused: string[] = [];
          for (const [who, code] of bad) {
            expect((await tlsCall(listener.address(), asking(who, servername, version))).text).toBe('');
            refused.push(code);
            await expect.poll(() => handler.failures.map((failure) => failure.code)).toEqual(refused);
          }
          const without = await tlsCall(listener.address(), asking(null, servername, version));
          expect(without.status).toBe(clientAuth === 'request' ? 200 : null);
          expect(handler.requests).toHaveLength(good.length + (clientAuth === 'request' ? 1 : 0));
        },
      );
    });
  });
});
