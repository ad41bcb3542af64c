/** A host and a port, as in `127.0.0.1:8080` or `[::1]:8080`. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** A unix socket, by its absolute path. */
export interface UnixSocketAddress {
  readonly path: string;
}

/** The address of a stream socket to connect to. */
export type StreamAddress = SocketAddress | UnixSocketAddress;

export const isUnixSocket = (address: StreamAddress): address is UnixSocketAddress => 'path' in address;

/** The gRPC address of an agent. */
export type GrpcAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, followed by its intermediates. */
  readonly certFile: string;
  readonly keyFile: string;
}
