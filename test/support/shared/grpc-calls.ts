import {
  type ChannelOptions,
  type Client,
  credentials,
  type Metadata,
  type MethodDefinition,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { CleanUp } from './clean-up.js';

const octets = (message: Buffer): Buffer => message;

/** A method whose messages are octets. */
const method = (name: string, requestStream: boolean, responseStream: boolean): MethodDefinition<Buffer, Buffer> => ({
  path: `/test.Calls/${name}`,
  requestStream,
  responseStream,
  requestSerialize: octets,
  requestDeserialize: octets,
  responseSerialize: octets,
  responseDeserialize: octets,
});

/** One method of each kind. */
export const callMethods = {
  unary: method('Unary', false, false),
  serverStream: method('ServerStream', false, true),
  clientStream: method('ClientStream', true, false),
  bidi: method('Bidi', true, true),
} as const;

/** Starts a real gRPC server, in plaintext. */
export const startGrpcServer = async (
  cleanUp: CleanUp,
  implementation: UntypedServiceImplementation,
  options: ChannelOptions = {},
): Promise<number> => {
  const server = new Server({ 'grpc.max_receive_message_length': 16_777_216, ...options });
  const all: UntypedServiceImplementation = {};
  const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {};
  for (const [name, each] of Object.entries(callMethods)) {
    const handle = implementation[name];
    if (handle === undefined) continue;
    definition[name] = each;
    all[name] = handle;
  }
  server.addService(definition, all);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  cleanUp.add(() => void setImmediate(() => server.forceShutdown()));
  return port;
};

/** A real gRPC client, in plaintext. */
export const grpcClient = (cleanUp: CleanUp, port: number): Client => {
  const Calls = makeGenericClientConstructor({}, 'Calls');
  const client = new Calls(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 16_777_216,
  });
  cleanUp.add(() => client.close());
  return client;
};

/** What a unary call came to. */
export type UnaryOutcome = { readonly message: Buffer; readonly error: null } | { readonly error: ServiceError };

export const unaryCall = (
  client: Client,
  message: Buffer,
  metadata: Metadata,
  options: { readonly deadline?: number } = {},
): Promise<UnaryOutcome> =>
  new Promise((resolve) => {
    const { path, requestSerialize, responseDeserialize } = callMethods.unary;
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, options, (error, reply) => {
      if (error !== null) resolve({ error });
      else resolve({ message: reply ?? Buffer.alloc(0), error: null });
    });
  });
