import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from './grpc-messages.js';

/**
 * Serialization of one method in @grpc/grpc-js. `requestDeserialize` throws for malformed octets.
 */
export interface LoadedMethod {
  /** `/package.Service/Method`. */
  readonly path: string;
  requestDeserialize(octets: Uint8Array): unknown;
  responseSerialize(message: unknown): Uint8Array;
}

/** A method with the types of the proto. */
export interface ServedMethod<Request, Response> {
  readonly path: string;
  requestDeserialize(octets: Uint8Array): Request;
  responseSerialize(message: Response): Uint8Array;
}

/**
 * The server side of the service in proto/agent-service-v2.proto. Messages on ControlStream are not
 * read.
 */
export interface GrpcServiceDefinition {
  readonly processStream: ServedMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
  readonly controlStream: ServedMethod<unknown, GrpcProxyControl>;
  readonly processEvent: ServedMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
}

/**
 * Checks a loaded definition; null if methods are missing. INVARIANT: the types match the proto it
 * was loaded from.
 */
export const servedAgentService = (service: Readonly<Record<string, LoadedMethod>>): GrpcServiceDefinition | null => {
  const { ProcessStream, ControlStream, ProcessEvent } = service;
  if (ProcessStream === undefined || ControlStream === undefined || ProcessEvent === undefined) return null;
  return {
    processStream: ProcessStream as GrpcServiceDefinition['processStream'],
    controlStream: ControlStream as GrpcServiceDefinition['controlStream'],
    processEvent: ProcessEvent as GrpcServiceDefinition['processEvent'],
  };
};
