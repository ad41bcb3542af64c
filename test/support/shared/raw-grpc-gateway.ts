import type { ClientDuplexStream, Metadata, ServiceError, StatusObject } from '@grpc/grpc-js';
import * as grpc from '@grpc/grpc-js';
import type {
  GrpcAgentToProxy,
  GrpcProxyControl,
  GrpcProxyToAgent,
} from '../../../src/adapters/wire/agent-grpc/grpc-messages.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import { eventually } from './eventually.js';

/** What a gateway opens with. */
export const grpcHandshake: GrpcProxyToAgent = {
  handshake: { supported_versions: [2], proxy_id: 'raw', proxy_version: '0', config_json: 'null' },
};

/** A request head of an id. */
export const grpcHead = (id: string, members: object = {}): GrpcProxyToAgent => ({
  request_headers: {
    metadata: {
      correlation_id: id,
      request_id: 'r',
      client_ip: '192.0.2.7',
      client_port: 1,
      protocol: 'HTTP/1.1',
      timestamp_ms: 1_700_000_000_123,
    },
    method: 'GET',
    uri: '/a?b=c',
    http_version: 'HTTP/1.1',
    headers: [{ name: 'Accept', value: '*/*' }],
    ...members,
  },
});

type Kind = Exclude<keyof GrpcAgentToProxy, 'message'>;

/** One call of ProcessStream, as grpc-js makes it. */
export class RawProcessStream {
  readonly #call: ClientDuplexStream<GrpcProxyToAgent, GrpcAgentToProxy>;
  readonly messages: GrpcAgentToProxy[] = [];
  metadata: Metadata | null = null;
  status: StatusObject | null = null;

  constructor(call: ClientDuplexStream<GrpcProxyToAgent, GrpcAgentToProxy>) {
    this.#call = call;
    call.on('data', (message: GrpcAgentToProxy) => this.messages.push(message));
    call.on('metadata', (metadata: Metadata) => {
      this.metadata = metadata;
    });
    call.on('status', (status: StatusObject) => {
      this.status = status;
    });
    call.on('error', () => {});
  }

  send(...messages: readonly GrpcProxyToAgent[]): void {
    for (const message of messages) this.#call.write(message);
  }

  halfClose(): void {
    this.#call.end();
  }

  cancel(): void {
    this.#call.cancel();
  }

  all<Name extends Kind>(kind: Name): readonly NonNullable<GrpcAgentToProxy[Name]>[] {
    return this.messages.flatMap((message) => message[kind] ?? []);
  }

  /** The first ones of a kind, once so many have come. */
  async received<Name extends Kind>(kind: Name, count = 1): Promise<readonly NonNullable<GrpcAgentToProxy[Name]>[]> {
    await eventually(() => this.all(kind).length >= count || this.status !== null);
    return this.all(kind);
  }

  /** The status that the call has ended with. */
  async ended(): Promise<StatusObject> {
    await eventually(() => this.status !== null);
    return this.status as StatusObject;
  }
}

/** One call of ControlStream. */
export class RawControlStream {
  readonly messages: GrpcProxyControl[] = [];
  status: StatusObject | null = null;

  constructor(call: ClientDuplexStream<object, GrpcProxyControl>) {
    call.on('data', (message: GrpcProxyControl) => this.messages.push(message));
    call.on('status', (status: StatusObject) => {
      this.status = status;
    });
    call.on('error', () => {});
    call.write({ health: { agent_id: 'gateway', state: 1 } });
  }
}

/** A client of an agent's service, by grpc-js alone. */
export class RawGrpcGateway {
  readonly #client: grpc.Client;
  readonly #service: grpc.ServiceDefinition;

  private constructor(client: grpc.Client, service: grpc.ServiceDefinition) {
    this.#client = client;
    this.#service = service;
  }

  static async connect(
    target: string,
    credentials = grpc.credentials.createInsecure(),
    options: grpc.ChannelOptions = {},
  ): Promise<RawGrpcGateway> {
    const { service } = await loadAgentGrpc();
    const client = new grpc.Client(target, credentials, { 'grpc.use_local_subchannel_pool': 1, ...options });
    return new RawGrpcGateway(client, service);
  }

  processStream(): RawProcessStream {
    return new RawProcessStream(this.#duplex('ProcessStream'));
  }

  controlStream(): RawControlStream {
    return new RawControlStream(this.#duplex('ControlStream'));
  }

  /** An open ProcessStream, greeted. */
  async greeted(): Promise<RawProcessStream> {
    const stream = this.processStream();
    stream.send(grpcHandshake);
    await stream.received('health');
    return stream;
  }

  /** One call of ProcessEvent. Rejects with the status where that is not OK. */
  processEvent(message: GrpcProxyToAgent): Promise<GrpcAgentToProxy> & { cancel?: () => void } {
    const { path, requestSerialize, responseDeserialize } = this.#method('ProcessEvent');
    let cancel = (): void => {};
    const answer: Promise<GrpcAgentToProxy> & { cancel?: () => void } = new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: unknown): void => {
        if (error === null) resolve(response as GrpcAgentToProxy);
        else reject(error);
      };
      const call = this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, done);
      cancel = () => call.cancel();
    });
    answer.cancel = () => cancel();
    return answer;
  }

  close(): void {
    this.#client.close();
  }

  #method(name: string): grpc.MethodDefinition<object, object> {
    const method = this.#service[name];
    if (method === undefined) throw new Error(`the service has no ${name}`);
    return method;
  }

  #duplex<Request, Response>(name: string): ClientDuplexStream<Request, Response> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name);
    const call = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    return call as unknown as ClientDuplexStream<Request, Response>;
  }
}
