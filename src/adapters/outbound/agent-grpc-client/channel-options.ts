import type { ChannelOptions } from '@grpc/grpc-js';
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';
import { maximumReceivedMessageBytes } from './grpc-client-options.js';

/**
 * What Node may hold for the streams of one connection, in millions of octets: its own limit, which the library lifts.
 */
const maximumSessionMegabytes = 10;

/** Small beside the output from which on a connection is busy. */
const readyBytes = 65_536;

/**
 * Of the channel of one connection: it is that connection's own, and nothing is tried twice behind the gateway's back.
 */
export const channelOptions: ChannelOptions = {
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  // A message counts as written when it has left, but for so much that is made ready while the one before it leaves.
  'grpc.per_rpc_retry_buffer_size': readyBytes,
  // Nobody but the configuration says how an agent is called.
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': maximumReceivedMessageBytes,
  'grpc-node.max_session_memory': maximumSessionMegabytes,
};

/** An address as a channel takes it (gRPC's name syntax). */
export const targetOf = (address: GrpcAddress): string => {
  // Two slashes at the beginning would make a host of the first folder.
  if (address.kind === 'unix') return `unix:${address.path.replace(/^\/+/, '/')}`;
  return `dns:${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};
