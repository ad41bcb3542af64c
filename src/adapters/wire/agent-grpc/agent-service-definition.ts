import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from './grpc-messages.js';

/**
 * How the messages of one call are read and written, as @grpc/grpc-js has it. Reading throws for octets that are no
 * such message.
 */
export interface LoadedMethod {
  /** `/package.Service/Method`. */
  readonly path: string;
  requestDeserialize(octets: Uint8Array): unknown;
  responseSerialize(message: unknown): Uint8Array;
}

/** The same, with what the proto says of it. */
export interface ServedMethod<Request, Response> {
  readonly path: string;
  requestDeserialize(octets: Uint8Array): Request;
  responseSerialize(message: Response): Uint8Array;
}

/**
 * The service of proto/agent-service-v2.proto, as far as who serves it needs to know. What comes on ControlStream is
 * not read.
 */
export interface GrpcServiceDefinition {
  readonly processStream: ServedMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
  readonly controlStream: ServedMethod<unknown, GrpcProxyControl>;
  readonly processEvent: ServedMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
}

/** Null where the definition is another one's. INVARIANT: the types are those of the proto it was loaded from. */
export const servedAgentService = (service: Readonly<Record<string, LoadedMethod>>): GrpcServiceDefinition | null => {
  const { ProcessStream, ControlStream, ProcessEvent } = service;
  if (ProcessStream === undefined || ControlStream === undefined || ProcessEvent === undefined) return null;
  return {
    processStream: ProcessStream as GrpcServiceDefinition['processStream'],
    controlStream: ControlStream as GrpcServiceDefinition['controlStream'],
    processEvent: ProcessEvent as GrpcServiceDefinition['processEvent'],
  };
};
