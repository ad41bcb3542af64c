import { isIP, type Socket } from 'node:net';
import { type SecureContext, connect as secure } from 'node:tls';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { checkUnixSocket } from './unix-socket-trust.js';

/** The check that a socket must pass before any data is sent. */
export type SocketTrust =
  | { readonly kind: 'none' }
  /**
   * Checks the file's owner after the connection, because the file may have been replaced since the
   * first check.
   */
  | { readonly kind: 'owner'; readonly path: string; readonly owner: string | null }
  /** `name`: host name or address that the agent's certificate must contain. */
  | { readonly kind: 'tls'; readonly context: SecureContext; readonly name: string };

type Admitted = Result<Socket, ConnectionEnd>;

const ended = (detail: string): Admitted => err({ kind: 'ended', detail });

const shakeHands = (socket: Socket, secureContext: SecureContext, name: string): Promise<Admitted> =>
  new Promise((resolve) => {
    const secured = secure({
      socket,
      secureContext,
      host: name,
      // SNI does not allow addresses (RFC 6066, section 3).
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ALPNProtocols: ['h2'],
      rejectUnauthorized: true,
    });
    secured.on('error', (error) => {
      // Set if the handshake completed and the certificate was rejected.
      const isUntrusted = (secured.authorizationError ?? null) !== null;
      const detail = `its certificate is not trusted: ${error.message}`;
      resolve(isUntrusted ? err({ kind: 'refused', detail }) : ended(error.message));
    });
    secured.once('close', () => resolve(ended('the connection ended during the TLS handshake')));
    secured.once('secureConnect', () =>
      resolve(secured.alpnProtocol === 'h2' ? ok(secured) : ended('the agent does not offer HTTP/2')),
    );
  });

/**
 * Checks that a connected socket leads to a trusted agent, and resolves with the socket to use.
 * Never rejects. Has no timeout and closes nothing: it settles when `socket` is destroyed.
 */
export const admitSocket = async (socket: Socket, trust: SocketTrust): Promise<Admitted> => {
  if (trust.kind === 'tls') return shakeHands(socket, trust.context, trust.name);
  if (trust.kind === 'none') return ok(socket);
  const check = await checkUnixSocket(trust.path, trust.owner);
  if (check.kind === 'ready') return ok(socket);
  return err({ kind: check.kind === 'refused' ? 'refused' : 'ended', detail: check.detail });
};
