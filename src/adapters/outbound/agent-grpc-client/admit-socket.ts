import { isIP, type Socket } from 'node:net';
import { type SecureContext, connect as secure } from 'node:tls';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { checkUnixSocket } from './unix-socket-trust.js';

/** What a socket has to pass before anything is said on it. */
export type SocketTrust =
  | { readonly kind: 'none' }
  /**
   * The file's owner is looked at once the connection stands: it may have been replaced since it was looked at before.
   */
  | { readonly kind: 'owner'; readonly path: string; readonly owner: string | null }
  /** `name`: who the agent's certificate has to be for. */
  | { readonly kind: 'tls'; readonly context: SecureContext; readonly name: string };

type Admitted = Result<Socket, ConnectionEnd>;

const ended = (detail: string): Admitted => err({ kind: 'ended', detail });

const shakeHands = (socket: Socket, secureContext: SecureContext, name: string): Promise<Admitted> =>
  new Promise((resolve) => {
    const secured = secure({
      socket,
      secureContext,
      host: name,
      // An address cannot be asked for by SNI (RFC 6066, section 3).
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ALPNProtocols: ['h2'],
      rejectUnauthorized: true,
    });
    secured.on('error', (error) => {
      // Set where the handshake was done, and the certificate did not pass.
      const isStranger = (secured.authorizationError ?? null) !== null;
      const detail = `its certificate is not trusted: ${error.message}`;
      resolve(isStranger ? err({ kind: 'refused', detail }) : ended(error.message));
    });
    secured.once('close', () => resolve(ended('the connection ended within the TLS handshake')));
    secured.once('secureConnect', () =>
      resolve(secured.alpnProtocol === 'h2' ? ok(secured) : ended('the agent does not offer HTTP/2')),
    );
  });

/**
 * Sees that a connected socket leads to an agent that is to be trusted; gives the socket to speak on. Never rejects. It
 * keeps no time, and closes nothing: where `socket` is destroyed, it comes to an end.
 */
export const admitSocket = async (socket: Socket, trust: SocketTrust): Promise<Admitted> => {
  if (trust.kind === 'tls') return shakeHands(socket, trust.context, trust.name);
  if (trust.kind === 'none') return ok(socket);
  const check = await checkUnixSocket(trust.path, trust.owner);
  if (check.kind === 'ready') return ok(socket);
  return err({ kind: check.kind === 'refused' ? 'refused' : 'ended', detail: check.detail });
};
