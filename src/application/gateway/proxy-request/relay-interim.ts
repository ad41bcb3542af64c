import type { HeaderList } from '../../../domain/http/header-list.js';
import {
  interimOctets,
  isForClient,
  maxInterimOctets,
  passableInterim,
} from '../../../domain/http/interim-response.js';
import type { Exchange } from './exchange.js';
import { settledFields } from './settled-fields.js';

/** Passes an interim response on to a client that knows of such (RFC 9110, section 15.2), unless it had enough of them. */
export const relayInterim = (exchange: Exchange, status: number, headers: HeaderList): void => {
  const { request, response } = exchange;
  if (exchange.abandoned || request.httpVersion === '1.0' || !isForClient(status)) return;
  const octets = exchange.interimOctets + interimOctets(headers);
  if (octets > maxInterimOctets) return;
  exchange.interimOctets = octets;
  response.inform(status, passableInterim(headers, settledFields(exchange)));
};
