/** A host and a port, as in `127.0.0.1:8080` or `[::1]:8080`. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** Where an agent listens for gRPC. */
export type GrpcAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, then the intermediates up to the root. */
  readonly certFile: string;
  readonly keyFile: string;
}
