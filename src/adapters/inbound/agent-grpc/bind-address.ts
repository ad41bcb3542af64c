import type { AddressInfo, Server } from 'node:net';
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';

/** The agent cannot serve gRPC. The message is one line for the operator. */
export class AgentGrpcError extends Error {
  readonly code: 'in_use' | 'address' | 'permission' | 'certificate' | 'failed';

  constructor(code: AgentGrpcError['code'], message: string) {
    super(message);
    this.name = 'AgentGrpcError';
    this.code = code;
  }
}

/** Makes a server listen on a socket file. Only the agent's user and group may connect to it. */
export type BindSocketPath = (server: Server, path: string) => Promise<void>;

const textOf = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);

const explain = (error: unknown, address: string): AgentGrpcError => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  switch (code) {
    case 'EADDRINUSE':
      return new AgentGrpcError('in_use', `${address} is already in use by another process`);
    case 'EACCES':
    case 'EPERM':
      return new AgentGrpcError('permission', `no permission to listen on ${address}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AgentGrpcError('address', `${address} is not an address of this host`);
    default:
      return new AgentGrpcError('failed', `cannot listen on ${address}: ${code}`);
  }
};

const bindPort = async (server: Server, host: string, port: number): Promise<string> => {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw explain(error, textOf(host, port));
  }
  return textOf(host, (server.address() as AddressInfo).port);
};

/**
 * Makes a server listen. Resolves with the address in the form that gateways use. Rejects with an
 * AgentGrpcError, or as `bindSocketPath` does.
 *
 * @param address port 0 chooses a free port
 */
export const bindAddress = async (
  server: Server,
  address: GrpcAddress,
  bindSocketPath: BindSocketPath,
): Promise<string> => {
  if (address.kind === 'tcp') return bindPort(server, address.host, address.port);
  await bindSocketPath(server, address.path);
  return `unix:${address.path}`;
};
