import { fileURLToPath } from 'node:url';
import type * as Grpc from '@grpc/grpc-js';
import { packageRoot } from './version.js';

/** The proto file is next to `src` and `dist`. */
const protoFile = fileURLToPath(new URL('proto/agent-service-v2.proto', packageRoot));

/** The gRPC library and the service definition, for both ends. */
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

/** Loads gRPC on first use, so that other programs start without it. */
export const loadAgentGrpc = (): Promise<AgentGrpc> => {
  loaded ??= load();
  return loaded;
};
