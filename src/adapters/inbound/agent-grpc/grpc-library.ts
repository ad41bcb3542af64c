import type * as Grpc from '@grpc/grpc-js';

/** What is used of @grpc/grpc-js. It is handed over: a program that serves no gRPC does not load it. */
export type GrpcLibrary = Pick<typeof Grpc, 'Metadata' | 'Server' | 'ServerCredentials' | 'ServerInterceptingCall'>;
