import {
  isUnixSocket,
  type SocketAddress,
  type StreamAddress,
} from '../../../src/domain/configuration/network-addresses.js';

/** The address, which is no unix socket. */
export const tcpAddress = (address: StreamAddress): SocketAddress => {
  if (isUnixSocket(address)) throw new Error(`${address.path} is a unix socket`);
  return address;
};
