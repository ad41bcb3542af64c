import * as grpc from '@grpc/grpc-js';
import type {
  GrpcAgentControl,
  GrpcAgentToProxy,
  GrpcProxyControl,
  GrpcProxyToAgent,
} from '../../../src/adapters/wire/agent-grpc/grpc-messages.js';
import type { GrpcAgentCapabilities } from '../../../src/adapters/wire/agent-messages/handshake-messages.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import type { GrpcAddress } from '../../../src/domain/configuration/network-addresses.js';
import { eventually } from './eventually.js';

/**
 * A field of a message whose value has a length (protobuf wire type 2), written by hand; all of it below 128 octets.
 */
export const rawField = (number: number, value: Uint8Array | string): Buffer => {
  const octets = Buffer.from(value);
  return Buffer.concat([Buffer.of((number << 3) | 2, octets.length), octets]);
};

export const rawCapabilities: GrpcAgentCapabilities = {
  agent_id: 'raw-1',
  name: 'raw',
  version: '9',
  supported_events: [1, 2],
  features: { config_push: true, cancellation: true, health_reporting: true },
};

/** One stream of a gateway at an agent that does what the test says. */
export class RawGrpcStream<Received, Sent> {
  readonly call: grpc.ServerDuplexStream<Received, Sent | Buffer>;
  readonly received: Received[] = [];
  isEnded = false;
  isCancelled = false;

  constructor(call: grpc.ServerDuplexStream<Received, Sent | Buffer>) {
    this.call = call;
    call.on('data', (message: Received) => this.received.push(message));
    call.on('end', () => {
      this.isEnded = true;
    });
    call.on('cancelled', () => {
      this.isCancelled = true;
    });
    call.on('error', () => {});
  }

  /** Octets go out as they are. */
  send(message: Sent | Buffer): void {
    this.call.write(message);
  }

  /** The first message that the test looks for. */
  async first<Found>(find: (message: Received) => Found | null | undefined): Promise<Found> {
    const look = (): Found | null => {
      for (const message of this.received) {
        const found = find(message) ?? null;
        if (found !== null) return found;
      }
      return null;
    };
    await eventually(() => look() !== null);
    return look() as Found;
  }
}

export type RawProcessStream = RawGrpcStream<GrpcProxyToAgent, GrpcAgentToProxy>;
export type RawControlStream = RawGrpcStream<GrpcAgentControl, GrpcProxyControl>;

const withRawOctets = <Sent, Received>(method: grpc.MethodDefinition<Received, Sent>) => ({
  ...method,
  responseSerialize: (value: Sent | Buffer): Buffer =>
    Buffer.isBuffer(value) ? value : method.responseSerialize(value),
});

export interface RawGrpcAgentPlan {
  /** Default: plaintext. */
  readonly credentials?: grpc.ServerCredentials;
  /** As the server binds to it. Default: a free port of 127.0.0.1. */
  readonly bindTo?: string;
  /** Default: true. */
  readonly servesControl?: boolean;
}

/** A gRPC server at whose streams nothing happens but what the test does. */
export class RawGrpcAgent {
  readonly address: GrpcAddress;
  readonly streams: readonly RawProcessStream[];
  readonly controls: readonly RawControlStream[];
  readonly #server: grpc.Server;

  private constructor(
    server: grpc.Server,
    address: GrpcAddress,
    streams: readonly RawProcessStream[],
    controls: readonly RawControlStream[],
  ) {
    this.#server = server;
    this.address = address;
    this.streams = streams;
    this.controls = controls;
  }

  static async open({ credentials, bindTo, servesControl = true }: RawGrpcAgentPlan = {}): Promise<RawGrpcAgent> {
    const { service } = await loadAgentGrpc();
    const streams: RawProcessStream[] = [];
    const controls: RawControlStream[] = [];
    const server = new grpc.Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
    const methods = {
      ProcessStream: withRawOctets(
        service['ProcessStream'] as grpc.MethodDefinition<GrpcProxyToAgent, GrpcAgentToProxy>,
      ),
      ControlStream: withRawOctets(
        service['ControlStream'] as grpc.MethodDefinition<GrpcAgentControl, GrpcProxyControl>,
      ),
    };
    server.addService(methods, {
      ProcessStream: (call: grpc.ServerDuplexStream<GrpcProxyToAgent, GrpcAgentToProxy | Buffer>) => {
        streams.push(new RawGrpcStream(call));
      },
      ...(servesControl
        ? {
            ControlStream: (call: grpc.ServerDuplexStream<GrpcAgentControl, GrpcProxyControl | Buffer>) => {
              controls.push(new RawGrpcStream(call));
            },
          }
        : {}),
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(
        bindTo ?? '127.0.0.1:0',
        credentials ?? grpc.ServerCredentials.createInsecure(),
        (error, bound) => (error === null ? resolve(bound) : reject(error)),
      );
    });
    const address: GrpcAddress =
      bindTo?.startsWith('unix:') === true
        ? { kind: 'unix', path: bindTo.slice('unix:'.length) }
        : { kind: 'tcp', host: '127.0.0.1', port };
    return new RawGrpcAgent(server, address, streams, controls);
  }

  /** A ProcessStream, once it is there. */
  async stream(index = 0): Promise<RawProcessStream> {
    await eventually(() => this.streams[index] !== undefined);
    return this.streams[index] as RawProcessStream;
  }

  /** A ControlStream, once it is there. */
  async control(index = 0): Promise<RawControlStream> {
    await eventually(() => this.controls[index] !== undefined);
    return this.controls[index] as RawControlStream;
  }

  /** A ProcessStream whose handshake has been taken. */
  async greeted(index = 0): Promise<RawProcessStream> {
    const stream = await this.stream(index);
    await stream.first(({ handshake }) => handshake);
    stream.send({ handshake: { protocol_version: 2, capabilities: rawCapabilities, success: true } });
    return stream;
  }

  /** Takes no new streams, and says so; those that there are go on. */
  leave(): void {
    // Not within what node:http2 calls: Node 20 aborts. The same holds for `close`.
    setImmediate(() => this.#server.tryShutdown(() => {}));
  }

  /** Cuts every connection. */
  close(): void {
    setImmediate(() => this.#server.forceShutdown());
  }
}
