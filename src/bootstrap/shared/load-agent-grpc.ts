import { fileURLToPath } from 'node:url';
import type * as Grpc from '@grpc/grpc-js';
import { packageRoot } from './version.js';

/** The protocol's own file lies beside `src` and `dist`. */
const protoFile = fileURLToPath(new URL('proto/agent-service-v2.proto', packageRoot));

/** What both ends of the gRPC transport are made with. */
export interface AgentGrpc {
  readonly grpc: typeof Grpc;
  readonly service: Grpc.ServiceDefinition;
}

const load = async (): Promise<AgentGrpc> => {
  const [grpc, protoLoader] = await Promise.all([import('@grpc/grpc-js'), import('@grpc/proto-loader')]);
  const definition = protoLoader.loadSync(protoFile, {
    keepCase: true,
    longs: Number,
    enums: Number,
    bytes: Buffer,
    defaults: false,
    arrays: true,
    objects: true,
    oneofs: true,
  });
  return { grpc, service: definition['zentinel.agent.v2.AgentServiceV2'] as Grpc.ServiceDefinition };
};

let loaded: Promise<AgentGrpc> | null = null;

/** Loads gRPC when it is needed first: a program that does not speak it starts without it. */
export const loadAgentGrpc = (): Promise<AgentGrpc> => {
  loaded ??= load();
  return loaded;
};
