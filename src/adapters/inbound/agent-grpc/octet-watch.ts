import type { ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import { CallOctets } from './call-octets.js';
import type { GrpcServerLibrary } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';

/** The only message encoding that is accepted, in requests and answers. */
export const readEncoding = 'identity';
export const acceptedEncodingsKey = 'grpc-accept-encoding';

/**
 * Internal members of a call in the library. Without them, unfinished messages could not be
 * counted, and the library would inflate compressed ones. `of` returns null if a later version
 * lacks them.
 */
interface LibraryMembers {
  readonly stream?: unknown;
  readonly incomingEncoding?: unknown;
}

const isHttp2Stream = (stream: unknown): stream is ServerHttp2Stream =>
  stream instanceof Duplex && 'close' in stream && typeof stream.close === 'function';

/** Counts received octets per call of a connection and refuses calls with compressed messages. */
export class OctetWatch {
  readonly #calls = new WeakMap<Metadata, CallOctets>();
  readonly interceptor: ServerInterceptor;

  constructor({ Metadata: metadataClass, ServerInterceptingCall }: GrpcServerLibrary, clock: Clock) {
    this.interceptor = (_method, call) => {
      const { stream, incomingEncoding } = call as LibraryMembers;
      const isCompressed = typeof incomingEncoding === 'string' && incomingEncoding !== readEncoding;
      const isKnown = isHttp2Stream(stream) && incomingEncoding === readEncoding;
      const octets = isKnown ? new CallOctets(stream, clock) : null;
      // A second listener does not resume the stream; it flows when the library reads.
      if (isKnown) stream.on('data', (chunk: Buffer) => octets?.arrived(chunk.length));
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, pass) => {
              if (isCompressed) {
                // A few octets can inflate to a message of maximum size, and many can arrive at
                // once.
                const accepted = new metadataClass();
                accepted.set(acceptedEncodingsKey, readEncoding);
                const details = 'compressed messages are not supported';
                call.sendStatus({ code: grpcStatus.unimplemented, details, metadata: accepted });
                return;
              }
              if (octets !== null) this.#calls.set(metadata, octets);
              pass(metadata);
            },
            onReceiveMessage: (message: { readonly size: number }, pass) => {
              octets?.completed(message.size);
              pass(message);
            },
          }),
      });
    };
  }

  /** The octets of the call with this metadata; null if unknown. */
  of(metadata: Metadata): CallOctets | null {
    return this.#calls.get(metadata) ?? null;
  }
}
