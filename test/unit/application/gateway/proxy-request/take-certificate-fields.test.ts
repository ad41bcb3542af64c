import { describe, expect, it } from 'vitest';
import { Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import {
  type CertificateHeaderRules,
  noCertificateHeaders,
  prepareHeaders,
  takeCertificateFields,
} from '../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import type {
  ClientRequest,
  ClientResponse,
  ConnectionTls,
} from '../../../../../src/application/ports/gateway/http-exchange.js';
import { allHeaders, type HeaderList } from '../../../../../src/domain/http/header-list.js';
import { ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';
import { strictOwner } from '../../../../support/gateway/exchanges.js';

const rules: CertificateHeaderRules = {
  stripped: ownedHeaders(['X-Peer-Cert', 'Client-Cert', 'Client-Cert-Chain', 'X-SSL-Cert']),
  byListener: new Map([
    ['tls', { forward: 'X-Peer-Cert', accept: null }],
    ['behind', { forward: null, accept: 'client-cert' }],
    ['behind-other', { forward: null, accept: 'x-ssl-cert' }],
    ['both', { forward: 'X-Peer-Cert', accept: 'x-ssl-cert' }],
  ]),
};

interface Arrival {
  readonly listener: string;
  readonly headers: HeaderList;
  readonly peerTrusted?: boolean;
  /** The TLS connection; absent on a plain one. */
  readonly certificate?: string | null;
}

const arrive = ({ listener, headers, peerTrusted = false, certificate }: Arrival): Exchange => {
  const tls: ConnectionTls | null =
    certificate === undefined
      ? null
      : { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', serverName: null, clientCertificate: certificate };
  const connection = {
    listener,
    peerAddress: '192.0.2.7',
    peerPort: 5,
    isUnnamed: false,
    scheme: tls === null ? 'http' : 'https',
    tls,
    known: null,
  } as const;
  const request = { headers, connection } as unknown as ClientRequest;
  const client = {
    address: '192.0.2.7',
    port: 5,
    peerTrusted,
    source: 'connection',
    scheme: null,
    host: null,
  } as const;
  return new Exchange(request, {} as unknown as ClientResponse, 'id', 'id', client, 0, strictOwner);
};

/** The certificate fields of a request after its headers are prepared, by lower-case name. */
const seen = (arrival: Arrival, owned: readonly string[] | null = null): Record<string, string> => {
  const exchange = arrive(arrival);
  takeCertificateFields(exchange, rules);
  const ownedByAgents = owned === null ? null : { current: () => ownedHeaders(owned) };
  void prepareHeaders(ownedByAgents as Parameters<typeof prepareHeaders>[0])(exchange);
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < exchange.forwarded.headers.length; index += 2) {
    const name = (exchange.forwarded.headers[index] as string).toLowerCase();
    if (/cert/.test(name)) fields[name] = `${fields[name] ?? ''}${exchange.forwarded.headers[index + 1]};`;
  }
  return fields;
};

const spellings = [
  'X-Peer-Cert',
  'x-peer-cert',
  'X_Peer_Cert',
  'x-Peer_cert',
  'X.Peer.Cert',
  'CLIENT-CERT',
  'client_cert',
];

describe('a certificate header from a client', () => {
  it.each(spellings)('is removed in the spelling %s on any listener', (name) => {
    for (const listener of ['plain', 'tls', 'behind', 'behind-other', 'both']) {
      expect(seen({ listener, headers: ['Host', 'a', name, 'forged'] })).toEqual({});
    }
  });

  it.each(spellings)('is removed on TLS without a certificate in the spelling %s', (name) => {
    expect(seen({ listener: 'tls', headers: [name, 'forged'], certificate: null })).toEqual({});
  });

  it('never stands beside the certificate of the handshake', () => {
    const headers = ['X-Peer-Cert', 'forged', 'x_peer_cert', 'forged', 'X-PEER-CERT', 'forged'];
    expect(seen({ listener: 'tls', headers, certificate: 'proved' })).toEqual({ 'x-peer-cert': 'proved;' });
  });

  it('cannot remove the certificate of the handshake with its Connection header', () => {
    const headers = ['Connection', 'X-Peer-Cert, x-peer-cert', 'X-Peer-Cert', 'forged'];
    expect(seen({ listener: 'tls', headers, certificate: 'proved' })).toEqual({ 'x-peer-cert': 'proved;' });
  });

  it('is invisible to routes, which see the certificate of the handshake', () => {
    const exchange = arrive({ listener: 'tls', headers: ['X-Peer-Cert', 'forged'], certificate: 'proved' });
    takeCertificateFields(exchange, rules);
    expect(allHeaders([...exchange.forwarded.headers, ...exchange.forwarded.certificateFields], 'x-peer-cert')).toEqual(
      ['proved'],
    );
  });

  it('from TLS is not forwarded by a listener that does not configure it', () => {
    expect(seen({ listener: 'behind', headers: [], certificate: 'proved' })).toEqual({});
  });

  it('stays when newly declared agent headers are removed', () => {
    const headers = ['X-Peer-Cert', 'forged'];
    const owned = ['X-Peer-Cert', 'X-User-Id'];
    expect(seen({ listener: 'tls', headers, certificate: 'proved' }, owned)).toEqual({ 'x-peer-cert': 'proved;' });
  });
});

describe('a certificate header from a trusted proxy', () => {
  const peerTrusted = true;

  it('is trusted on a listener that accepts it', () => {
    const headers = ['X-SSL-Cert', 'brought'];
    expect(seen({ listener: 'behind-other', headers, peerTrusted })).toEqual({ 'x-ssl-cert': 'brought;' });
    expect(seen({ listener: 'behind', headers, peerTrusted })).toEqual({});
    expect(seen({ listener: 'plain', headers, peerTrusted })).toEqual({});
  });

  it('is trusted only under its exact name, in any case', () => {
    const headers = ['x-ssl-CERT', 'brought', 'X_SSL_Cert', 'forged', 'X.SSL.Cert', 'forged'];
    expect(seen({ listener: 'behind-other', headers, peerTrusted })).toEqual({ 'x-ssl-cert': 'brought;' });
  });

  it('includes its chain with Client-Cert only', () => {
    const chain = ['Client-Cert-Chain', 'one', 'Client-Cert-Chain', 'two'];
    const headers = ['Client-Cert', 'brought', ...chain];
    expect(seen({ listener: 'behind', headers, peerTrusted })).toEqual({
      'client-cert': 'brought;',
      'client-cert-chain': 'one;two;',
    });
    expect(seen({ listener: 'behind', headers: chain, peerTrusted })).toEqual({});
    expect(seen({ listener: 'behind-other', headers: ['X-SSL-Cert', 'brought', ...chain], peerTrusted })).toEqual({
      'x-ssl-cert': 'brought;',
    });
  });

  it('is dropped if it has two certificates', () => {
    const headers = ['X-SSL-Cert', 'one', 'x-ssl-cert', 'two'];
    expect(seen({ listener: 'behind-other', headers, peerTrusted })).toEqual({});
  });

  it("cannot be removed by the client's Connection header", () => {
    const headers = ['Connection', 'X-SSL-Cert', 'X-SSL-Cert', 'brought'];
    expect(seen({ listener: 'behind-other', headers, peerTrusted })).toEqual({ 'x-ssl-cert': 'brought;' });
  });

  it('stands beside the certificate of its own connection', () => {
    const headers = ['X-SSL-Cert', 'brought', 'X-Peer-Cert', 'forged'];
    expect(seen({ listener: 'both', headers, peerTrusted, certificate: 'proved' })).toEqual({
      'x-ssl-cert': 'brought;',
      'x-peer-cert': 'proved;',
    });
  });
});

describe('without any certificate header configured', () => {
  it('the headers stay the same list', () => {
    const headers = ['X-Peer-Cert', 'value'];
    const exchange = arrive({ listener: 'plain', headers, peerTrusted: true });
    takeCertificateFields(exchange, noCertificateHeaders);
    expect(exchange.forwarded.headers).toBe(headers);
    expect(exchange.forwarded.certificateFields).toEqual([]);
  });
});
