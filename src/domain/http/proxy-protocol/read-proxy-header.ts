import { readBinaryProxyHeader } from './binary-proxy-header.js';
import { faultyProxyHeader, incompleteProxyHeader, type ProxyHeaderReading } from './proxy-header.js';
import { readTextProxyHeader } from './text-proxy-header.js';

/** `PROXY ` and the signature of version 2, of which neither begins as the other does. */
const textBegin: readonly number[] = [0x50, 0x52, 0x4f, 0x58, 0x59, 0x20];
const binaryBegin: readonly number[] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];

/** Whether octets are the beginning of a signature, or begin with it. */
const agrees = (octets: Uint8Array, begin: readonly number[]): boolean => {
  for (let index = 0; index < Math.min(octets.length, begin.length); index += 1) {
    if (octets[index] !== begin[index]) return false;
  }
  return true;
};

/**
 * Reads the header of the PROXY protocol, version 1 or 2, that a connection begins with
 * (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). `octets`: all that has come until now. More of them change
 * no reading but `incompleteProxyHeader`, which is never said of more than 4111 octets.
 */
export const readProxyHeader = (octets: Uint8Array): ProxyHeaderReading => {
  if (octets.length === 0) return incompleteProxyHeader;
  if (agrees(octets, textBegin))
    return octets.length < textBegin.length ? incompleteProxyHeader : readTextProxyHeader(octets);
  if (!agrees(octets, binaryBegin)) return faultyProxyHeader('no_proxy_header');
  return octets.length < binaryBegin.length ? incompleteProxyHeader : readBinaryProxyHeader(octets);
};
