import {
  defaultSessionOptions,
  type SessionOptions,
} from '../../../application/agent/serve-gateways/session-options.js';

/** Most octets of a message, both ways. */
export const maximumMessageBytes = 16_777_216;

/** How the agent serves gRPC. Times in milliseconds, sizes in octets. */
export interface GrpcServerOptions extends SessionOptions {
  /** From the first octet of a message to its last. */
  readonly messageTimeoutMs: number;
  /** How long a caller that has sent nothing yet may wait for the metadata. */
  readonly metadataDelayMs: number;
  /** How long a connection may be without a call. One that never had any is kept for the time of a handshake. */
  readonly idleTimeoutMs: number;
  /** Between two pings of a connection; one that has not answered by the next is closed. */
  readonly pingIntervalMs: number;
  readonly maxConnections: number;
  /** Calls of one connection at a time. */
  readonly maxStreamsPerConnection: number;
  /** Calls of ProcessStream at a time, over all connections; and as many of ControlStream. */
  readonly maxSessions: number;
  /** Requests of one connection whose body is awaited by ProcessEvent; the oldest is given up for one more. */
  readonly maxOneShotDialogues: number;
  /** Output of a call that waits, from which on nothing more is read from it. */
  readonly pausingOutputBytes: number;
  /** Output of a call that waits, from which on it is ended. */
  readonly maxOutputBytes: number;
}

export const defaultGrpcServerOptions: GrpcServerOptions = {
  ...defaultSessionOptions,
  messageTimeoutMs: 30_000,
  metadataDelayMs: 500,
  idleTimeoutMs: 300_000,
  pingIntervalMs: 20_000,
  maxConnections: 256,
  maxStreamsPerConnection: 128,
  maxSessions: 256,
  maxOneShotDialogues: 256,
  pausingOutputBytes: 262_144,
  maxOutputBytes: 20 * 1_048_576,
};
