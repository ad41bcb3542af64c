/** gRPC status codes that the agent sends. */
export const grpcStatus = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
} as const;
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];
