import { connect, isIP, type Socket } from 'node:net';
import { type SecureContext, connect as secure } from 'node:tls';
import type { ConnectionEnd } from '../../../application/ports/agent-connector.js';
import type { GrpcAddress } from '../../../domain/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { checkUnixSocket } from './unix-socket-trust.js';

/** What a socket has to pass before anything is said on it. */
export type SocketTrust =
  | { readonly kind: 'none' }
  /** The file's owner is looked at once the connection stands: it may have been replaced since it was looked at before. */
  | { readonly kind: 'owner'; readonly path: string; readonly owner: string | null }
  /** `name`: who the agent's certificate has to be for. */
  | { readonly kind: 'tls'; readonly context: SecureContext; readonly name: string };

type Dialled = Result<Socket, ConnectionEnd>;

const ended = (detail: string): Dialled => err({ kind: 'ended', detail });

const connected = (address: GrpcAddress, socket: Socket): Promise<Dialled> =>
  new Promise((resolve) => {
    socket.once('connect', () => resolve(ok(socket)));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(ended(error.message || (error.code ?? address.kind))));
    socket.once('close', () => resolve(ended('the attempt to connect was given up')));
  });

const shakeHands = (socket: Socket, secureContext: SecureContext, name: string): Promise<Dialled> =>
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

const admitted = async (socket: Socket, trust: SocketTrust): Promise<Dialled> => {
  if (trust.kind === 'tls') return shakeHands(socket, trust.context, trust.name);
  if (trust.kind === 'none') return ok(socket);
  const check = await checkUnixSocket(trust.path, trust.owner);
  if (check.kind === 'ready') return ok(socket);
  return err({ kind: check.kind === 'refused' ? 'refused' : 'ended', detail: check.detail });
};

/**
 * Connects to an agent and sees that it is one to be trusted. Never rejects. It keeps no time: `signal` gives it up, and
 * then, as wherever it fails, no socket stays open.
 */
export const dialAgent = async (address: GrpcAddress, trust: SocketTrust, signal: AbortSignal): Promise<Dialled> => {
  if (signal.aborted) return ended('the attempt to connect was given up');
  const socket = connect(address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port });
  const giveUp = () => socket.destroy();
  signal.addEventListener('abort', giveUp);
  socket.setNoDelay();
  const plain = await connected(address, socket);
  const dialled = plain.ok ? await admitted(socket, trust) : plain;
  signal.removeEventListener('abort', giveUp);
  if (dialled.ok && !signal.aborted && !socket.destroyed) return dialled;
  socket.destroy();
  return dialled.ok ? ended('the connection ended before it was used') : dialled;
};
