import type { ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import type { Metadata, ServerInterceptor } from '@grpc/grpc-js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import { CallOctets } from './call-octets.js';
import type { GrpcServerLibrary } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';

/** The one encoding of messages that is read, as a call says it of those of its peer and of its own. */
export const readEncoding = 'identity';
export const acceptedEncodingsKey = 'grpc-accept-encoding';

/**
 * What the library keeps of a call, and says nothing of: an endless number of unfinished messages could not be told
 * from none, and it inflates whatever it is told is compressed. These two members are its own affair; `of` gives null
 * where a later version has others.
 */
interface LibraryMembers {
  readonly stream?: unknown;
  readonly incomingEncoding?: unknown;
}

const isHttp2Stream = (stream: unknown): stream is ServerHttp2Stream =>
  stream instanceof Duplex && 'close' in stream && typeof stream.close === 'function';

/**
 * Counts what comes for the calls of a connection, as the library reads it, and takes no call whose messages are
 * compressed.
 */
export class OctetWatch {
  readonly #calls = new WeakMap<Metadata, CallOctets>();
  readonly interceptor: ServerInterceptor;

  constructor({ Metadata: metadataClass, ServerInterceptingCall }: GrpcServerLibrary, clock: Clock) {
    this.interceptor = (_method, call) => {
      const { stream, incomingEncoding } = call as LibraryMembers;
      const isCompressed = typeof incomingEncoding === 'string' && incomingEncoding !== readEncoding;
      const isKnown = isHttp2Stream(stream) && incomingEncoding === readEncoding;
      const octets = isKnown ? new CallOctets(stream, clock) : null;
      // It stays paused for a second listener, until the library reads.
      if (isKnown) stream.on('data', (chunk: Buffer) => octets?.arrived(chunk.length));
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, pass) => {
              if (isCompressed) {
                // A few octets inflate to a message of the largest size, and many of them come at once.
                const accepted = new metadataClass();
                accepted.set(acceptedEncodingsKey, readEncoding);
                const details = 'compressed messages are not read';
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

  /** What the call with this metadata holds; null where that cannot be known. */
  of(metadata: Metadata): CallOctets | null {
    return this.#calls.get(metadata) ?? null;
  }
}
