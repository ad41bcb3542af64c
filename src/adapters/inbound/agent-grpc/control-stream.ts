import type { ServerHttp2Stream } from 'node:http2';
import type { ServedAgentService } from '../../wire/agent-grpc/agent-service-definition.js';
import { drainMessage, shutdownMessage, type shutdownReasons } from '../../wire/agent-grpc/end-of-service.js';
import { GrpcReply } from './grpc-reply.js';
import { grpcStatus } from './grpc-status.js';

/** One call of ControlStream: a gateway that wants to hear of the end of the service. What it sends says nothing to an agent, and is dropped unread. */
export class ControlStream {
  readonly #reply: GrpcReply;
  readonly #method: ServedAgentService['controlStream'];

  constructor(stream: ServerHttp2Stream, method: ServedAgentService['controlStream']) {
    this.#reply = new GrpcReply(stream);
    this.#method = method;
    this.#reply.sendMetadata();
    stream.resume();
  }

  /** @param nowMs here and below: milliseconds since the Unix epoch */
  drain(graceMs: number, nowMs: number): void {
    this.#reply.send(this.#method.responseSerialize(drainMessage(graceMs, nowMs)));
  }

  /** The service is over, and with it the call. */
  shutdown(reason: keyof typeof shutdownReasons, nowMs: number): void {
    this.#reply.send(this.#method.responseSerialize(shutdownMessage(reason, nowMs)));
    this.#reply.end(grpcStatus.ok);
  }
}
