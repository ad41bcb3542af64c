import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { TargetTls } from '../../application/ports/gateway/upstream-tls.js';
import { isUnixSocket, type StreamAddress } from '../../domain/configuration/network-addresses.js';
import { streamAddressText } from '../../domain/configuration/schema/grpc-address.js';
import { TlsPeerError } from './tls-failure.js';
import { PreparedUpstreamTls, type StoredSession, sessionMs } from './upstream-tls-context.js';

/** Idle time before TCP keep-alive probes, in milliseconds. */
const keepAliveMs = 60_000;

/** Protocols of ALPN (RFC 7301, section 6). */
export type AlpnProtocol = 'h2' | 'http/1.1';

export interface TlsConnecting {
  readonly address: StreamAddress;
  readonly tls: TargetTls;
  /** Offered to the target, most wanted first. */
  readonly protocols: readonly AlpnProtocol[];
  /** Passed to `tls.connect`, as `onread`. */
  readonly options?: ConnectionOptions;
  /**
   * The handshake is complete and the certificate verified: the first octets may be written. Called
   * before other listeners of `secureConnect`.
   */
  readonly opened?: (protocol: AlpnProtocol) => void;
}

/**
 * Opens a TLS connection to a target. Nothing is sent before the certificate is verified. After a
 * failure the socket emits `error`: see `tlsFailureText`.
 */
export const connectTls = ({ address, tls, protocols, options, opened }: TlsConnecting): TLSSocket => {
  const { context, serverName } = tls;
  if (!(context instanceof PreparedUpstreamTls)) throw new TypeError('the TLS context is from another adapter');
  const { sessions, secureContext, verifies } = context;
  const target = `${streamAddressText(address)} ${serverName}`;
  const stored = sessions.find(target);
  const socket = connect({
    ...options,
    ...(isUnixSocket(address) ? { path: address.path } : { host: address.host, port: address.port }),
    secureContext,
    ALPNProtocols: [...protocols],
    // SNI holds no addresses (RFC 6066, section 3).
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    ...(stored === undefined ? {} : { session: stored.session }),
    rejectUnauthorized: verifies,
    checkServerIdentity: (_host, certificate) => nameFault(serverName, certificate),
  });
  if (!isUnixSocket(address)) socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
  keepSessions(socket, { target, stored, context });
  socket.once('secureConnect', () => {
    const protocol = selectedProtocol(socket, protocols);
    if (protocol !== null) opened?.(protocol);
    else
      socket.destroy(
        new TlsPeerError(`the target selected none of the offered protocols (ALPN): ${protocols.join(', ')}`),
      );
  });
  return socket;
};

/** The protocol of the connection; null if it was not offered. A server without ALPN speaks HTTP/1.1. */
const selectedProtocol = ({ alpnProtocol }: TLSSocket, offered: readonly AlpnProtocol[]): AlpnProtocol | null => {
  const selected = alpnProtocol === false || alpnProtocol === null ? 'http/1.1' : alpnProtocol;
  return offered.find((protocol) => protocol === selected) ?? null;
};

interface SessionKeeping {
  readonly target: string;
  /** The session that the connection offers. */
  readonly stored: StoredSession | undefined;
  readonly context: PreparedUpstreamTls;
}

/**
 * Keeps sessions for resumption. INVARIANT: only those of verified connections, because a resumed
 * session does not check the name. A session from a resumed connection ends with the first one: it
 * was not verified again.
 */
const keepSessions = (socket: TLSSocket, { target, stored, context }: SessionKeeping): void => {
  const { sessions } = context;
  let endMs: number | null = null;
  let early: Buffer | null = null;
  socket.on('session', (session: Buffer) => {
    if (endMs === null) early = session;
    else sessions.keep(target, session, endMs);
  });
  socket.once('secureConnect', () => {
    const isResumed = stored !== undefined && socket.isSessionReused();
    endMs = isResumed ? stored.usableUntilMs : Math.min(Date.now() + sessionMs, chainEndMs(socket));
    if (early !== null) sessions.keep(target, early, endMs);
    early = null;
  });
  // A target may refuse a connection because of the session, or never answer.
  socket.once('close', () => {
    if (endMs === null) sessions.forget(target);
  });
};

/** The first end of a certificate in the peer's chain, in milliseconds since the Unix epoch; 0 if unknown. */
const chainEndMs = (socket: TLSSocket): number => {
  let endMs = Number.POSITIVE_INFINITY;
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // A root is its own issuer.
  for (const seen = new Set<DetailedPeerCertificate>(); certificate !== undefined && !seen.has(certificate); ) {
    seen.add(certificate);
    endMs = Math.min(endMs, Date.parse(certificate.valid_to) || 0);
    certificate = certificate.issuerCertificate;
  }
  return endMs;
};

/**
 * Compares the server name with subjectAltName; the common name never counts (RFC 9525, section
 * 6.3). A wildcard stands for one whole label.
 */
const nameFault = (serverName: string, { raw }: PeerCertificate): Error | undefined => {
  if (raw === undefined) return new TlsPeerError('the target has sent no certificate');
  const certificate = new X509Certificate(raw);
  const matches =
    isIP(serverName) === 0
      ? certificate.checkHost(serverName, { subject: 'never', partialWildcards: false, multiLabelWildcards: false })
      : certificate.checkIP(serverName);
  if (matches !== undefined) return undefined;
  const names = (certificate.subjectAltName ?? 'no name').slice(0, 200);
  return new TlsPeerError(`certificate refused: it is for ${names}, not for ${serverName}`);
};
