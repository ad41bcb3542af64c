import type { ServerHttp2Stream } from 'node:http2';
import type { Scheduler } from '../../../application/ports/scheduler.js';
import type { HeldOctets, OctetHolder } from '../../../application/serve-gateways/held-octets.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { PrefixedMessageDecoder } from '../../wire/agent-grpc/prefixed-message-decoder.js';
import { type GrpcStatus, grpcStatus } from './grpc-status.js';

/** Why no message came. */
export interface UnreadMessage {
  readonly status: GrpcStatus;
  readonly reason: string;
}

/**
 * Reads the one message of a call; what comes after it is dropped. Calls back once, unless the call ends before.
 *
 * @param timeoutMs from now to the last octet of the message
 */
export const readOneMessage = (
  stream: ServerHttp2Stream,
  { scheduler, held, timeoutMs }: { scheduler: Scheduler; held: HeldOctets; timeoutMs: number },
  onRead: (message: Result<Uint8Array, UnreadMessage>) => void,
): void => {
  const decoder = new PrefixedMessageDecoder();
  let isRead = false;
  const finish = (message: Result<Uint8Array, UnreadMessage>): void => {
    if (isRead) return;
    isRead = true;
    deadline.cancel();
    held.forget(holder);
    onRead(message);
  };
  const fail = (status: GrpcStatus, reason: string): void => finish(err({ status, reason }));
  const holder: OctetHolder = { giveUp: (reason) => fail(grpcStatus.resourceExhausted, reason) };
  const deadline = scheduler.after(timeoutMs, () => {
    fail(grpcStatus.deadlineExceeded, 'the message did not come in time');
  });
  stream.on('data', (chunk: Buffer) => {
    if (isRead) return;
    decoder.push(chunk);
    const message = decoder.next();
    if (message !== null) finish(ok(message));
    else if (decoder.failure !== null) fail(grpcStatus.invalidArgument, decoder.failure);
    else held.note(holder, decoder.heldBytes);
  });
  stream.on('end', () => fail(grpcStatus.invalidArgument, 'the call ended without a message'));
  stream.on('close', () => {
    isRead = true;
    deadline.cancel();
    held.forget(holder);
  });
};
