import { tokenFor } from './bench-token.js';
import type { Scenario } from './scenarios.js';

/** Requests of one run; the generator sends them in turn and begins anew at the end. */
const requestCount = 4_096;
/** Users whose tokens the requests carry. */
const userCount = 256;

const words = ['orders', 'items', 'customers', 'invoices', 'carts', 'payments', 'shipments', 'stock'] as const;
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'okhttp/4.12.0',
] as const;
const methods = ['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'DELETE', 'POST', 'PUT'] as const;

/** The same numbers in every run (mulberry32), from 0 up to 1. */
const randomNumbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * Complete HTTP/1.1 requests of a scenario. Method, path, query, cookie, ids, ETag and token differ from
 * request to request, as those of many clients do. They are the same in every run.
 */
export const variedRequests = (scenario: Scenario, authority: string): readonly string[] => {
  const random = randomNumbers(20_261);
  const below = (end: number): number => Math.floor(random() * end);
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const tokens = Array.from({ length: userCount }, (_, user) => tokenFor(`user-${user}`));
  return Array.from({ length: requestCount }, () => {
    const method = scenario.method === 'GET' && !scenario.isAlone ? one(methods) : scenario.method;
    const path = `/${one(words)}/${below(100_000)}/${one(words)}`;
    const query = random() < 0.5 ? `?page=${below(500)}&sort=${one(words)}&trace=${hex(8)}` : '';
    const hasBody = method === 'POST' || method === 'PUT';
    const octets = scenario.method === 'POST' ? scenario.uploadOctets : 64 + below(192);
    const body = hasBody ? hex(octets) : '';
    const fields = [
      `Host: ${authority}`,
      `User-Agent: ${one(agents)}`,
      'Accept: application/json, text/plain, */*',
      `Accept-Language: ${one(['en-GB,en;q=0.9,de;q=0.8', 'de-DE,de;q=0.9', 'fr', 'en-US,en;q=0.5'])}`,
      `Referer: https://shop.example.com/${one(words)}?page=${below(100)}`,
      `Cookie: theme=${one(['dark', 'light'])}; consent=all; visitor=${hex(32)}; session=${hex(below(2) * 24 + 16)}`,
      `X-Request-Id: ${hex(8)}-${hex(4)}-${hex(4)}-${hex(12)}`,
      `Authorization: Bearer ${one(tokens)}`,
      ...(random() < 0.3 ? [`If-None-Match: "${hex(16)}"`] : []),
      ...(random() < 0.5 ? ['Cache-Control: no-cache'] : []),
      ...(hasBody ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
      ...(scenario.isAlone ? ['Connection: close'] : []),
    ];
    return `${method} ${path}${query} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`;
  });
};

/** A script that has wrk send the requests of a file, which are separated by NUL, in turn. */
export const variedScript = (file: string): string => `
local requests, at = {}, 0
for one in io.open("${file}", "rb"):read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = one end
request = function()
  at = at % #requests + 1
  return requests[at]
end
`;
