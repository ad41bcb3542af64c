import type { HeaderList } from '../../../../domain/http/header-list.js';

/** How long a connection is kept where its upstream says nothing of that; milliseconds. */
export const defaultKeepMs = 4_000;
const longestMs = 600_000;
/** The upstream's clock began earlier, and what it closes must not be on its way to it. */
const marginMs = 2_000;

const timeoutParameter = /(?:^|[,;\s])timeout\s{0,8}=\s{0,8}"?([0-9]{1,9})/i;
/** Octets of a field that are looked at. */
const maxLength = 256;

/** How long a connection may be kept after this response, by its Keep-Alive field; milliseconds, 0: not at all. */
export const keepAliveTime = (headers: HeaderList): number => {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'keep-alive') continue;
    const seconds = timeoutParameter.exec((headers[at + 1] as string).slice(0, maxLength))?.[1];
    if (seconds === undefined) return defaultKeepMs;
    return Math.max(0, Math.min(Number(seconds) * 1_000 - marginMs, longestMs));
  }
  return defaultKeepMs;
};
