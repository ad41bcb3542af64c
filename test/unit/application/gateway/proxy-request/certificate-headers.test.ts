import { describe, expect, it } from 'vitest';
import {
  certificateHeaderRules,
  noCertificateHeaders,
} from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import type { ListenerConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { isOwned } from '../../../../../src/domain/http/owned-headers.js';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';

const listener = (forward: string | null, accept: string | null): ListenerConfiguration => ({
  name: 'main',
  address: { host: '127.0.0.1', port: 0 },
  trustedProxies: [],
  timeouts: plainTimeouts,
  proxyProtocol: false,
  acceptClientCertHeader: accept,
  http2: false,
  tls:
    forward === null
      ? null
      : {
          certificates: [],
          clientAuth: 'require',
          caCertFile: 'ca.pem',
          forwardClientCertHeader: forward,
          minVersion: '1.2',
        },
});

const rulesOf = (listeners: Readonly<Record<string, ListenerConfiguration>>) =>
  certificateHeaderRules(new Map(Object.entries(listeners)));

describe('the certificate headers of listeners', () => {
  it('are empty if no listener names one', () => {
    expect(rulesOf({ a: listener(null, null) })).toBe(noCertificateHeaders);
  });

  it('are stripped by the names of all listeners', () => {
    const { stripped } = rulesOf({ a: listener('X-Peer', null), b: listener(null, 'X-SSL-Cert') });
    for (const name of ['X-Peer', 'x_peer', 'X-SSL-CERT', 'X.SSL.Cert']) expect(isOwned(stripped, name)).toBe(true);
    expect(isOwned(stripped, 'X-Peers')).toBe(false);
    expect(isOwned(stripped, 'Client-Cert')).toBe(false);
  });

  it('include the chain with Client-Cert only', () => {
    expect(isOwned(rulesOf({ a: listener(null, 'client-cert') }).stripped, 'Client_Cert_Chain')).toBe(true);
    expect(isOwned(rulesOf({ a: listener('Client-Cert', null) }).stripped, 'Client-Cert-Chain')).toBe(true);
    expect(isOwned(rulesOf({ a: listener(null, 'X-Client-Cert') }).stripped, 'Client-Cert-Chain')).toBe(false);
  });

  it('are found by listener', () => {
    const { byListener } = rulesOf({
      a: listener('X-Peer', null),
      b: listener(null, 'X-SSL-Cert'),
      c: listener(null, null),
    });
    expect([...byListener]).toEqual([
      ['a', { forward: 'X-Peer', accept: null }],
      ['b', { forward: null, accept: 'x-ssl-cert' }],
    ]);
  });
});
