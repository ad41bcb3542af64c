import { cookieValues } from '../../http/cookies.js';
import { firstHeader, type HeaderList } from '../../http/header-list.js';
import type { HashKey } from '../configuration/upstream-options.js';

/**
 * What of a request its target is chosen by. A request that lacks the header or the cookie is known by its client's
 * address, for all that lack it would come to one target otherwise.
 */
export const hashKeyText = (key: HashKey, clientIp: string, headers: HeaderList): string => {
  if (key.kind === 'client_ip') return clientIp;
  const value = key.kind === 'header' ? firstHeader(headers, key.name) : cookieValues(headers, key.name)[0];
  return value === undefined || value === '' ? clientIp : value;
};
