import { parseDecimal } from '../shared/decimal.js';
import { type IpAddress, parseIpAddress } from './ip-address.js';

/** An address that a proxy wrote into a forwarding field. */
export interface ForwardingNode {
  readonly address: IpAddress;
  /** 0 where none is given. */
  readonly port: number;
}

const node = (host: string, portText: string | null): ForwardingNode | null => {
  const address = parseIpAddress(host);
  const port = portText === null ? 0 : parseDecimal(portText, 5);
  return address === null || port === null || port > 65_535 ? null : { address, port };
};

const bracketedNode = (text: string): ForwardingNode | null => {
  const end = text.indexOf(']');
  const host = text.slice(1, end);
  const rest = text.slice(end + 1);
  if (end < 0 || !host.includes(':')) return null;
  if (rest === '') return node(host, null);
  return rest.startsWith(':') ? node(host, rest.slice(1)) : null;
};

/**
 * Reads `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`; null for everything else,
 * `unknown` and obfuscated names among it (RFC 7239, section 6).
 */
export const parseForwardingNode = (text: string): ForwardingNode | null => {
  if (text.startsWith('[')) return bracketedNode(text);
  const colon = text.indexOf(':');
  if (colon < 0 || colon !== text.lastIndexOf(':')) return node(text, null);
  return node(text.slice(0, colon), text.slice(colon + 1));
};
