import { STATUS_CODES } from 'node:http';
import type { HeaderList } from '../../../domain/http/header-list.js';

/**
 * The head of an HTTP/1.1 response as octets, for connections that Node's own response does not serve: rejected
 * requests, and answers to an upgrade. RFC 9112, section 2.
 */
export const rawHead = (status: number, headers: HeaderList): string => {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    // INVARIANT: nothing that ends a line gets into a head, whoever made the header.
    if (!/[\r\n\0]/.test(name) && !/[\r\n\0]/.test(value)) head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
};
