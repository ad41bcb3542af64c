/** One kind of exchange that every proxy has to carry. */
export interface Scenario {
  readonly name: string;
  readonly describes: string;
  readonly method: 'GET' | 'POST';
  /** Octets of the body that the client sends. */
  readonly uploadOctets: number;
  /** Each request has a connection of its own, which ends with the response. */
  readonly isAlone: boolean;
  /** Octets of the response body. */
  readonly bodyOctets: number;
  /** Each request differs from the last, as those of many clients do; false: all are alike. */
  readonly isVaried: boolean;
  /** Header fields of requests that are all alike, besides Host and Authorization. */
  readonly requestHeaders: readonly string[];
  /** Header fields that the upstream sends besides those of framing. */
  readonly responseHeaders: readonly (readonly [string, string])[];
}

const browserHeaders: readonly string[] = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  'Accept: application/json, text/plain, */*',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Referer: https://shop.example.com/orders?page=2',
  'Cookie: theme=dark; consent=all; visitor=5b1f0c1e8a7d4f2b9c3e6a1d0f8b7c65',
  'Cache-Control: no-cache',
];

const serviceHeaders: readonly (readonly [string, string])[] = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Cache-Control', 'private, max-age=0, must-revalidate'],
  ['ETag', '"a1b2c3d4e5f60718"'],
  ['Vary', 'Accept-Encoding, Authorization'],
  ['X-Content-Type-Options', 'nosniff'],
];

const get = { method: 'GET', uploadOctets: 0, isAlone: false, isVaried: true } as const;

export const scenarios: readonly Scenario[] = [
  {
    ...get,
    name: 'small',
    isVaried: false,
    describes: 'GET; response of 5 bytes; hardly any headers',
    bodyOctets: 5,
    requestHeaders: [],
    responseHeaders: [['Content-Type', 'text/plain']],
  },
  {
    ...get,
    name: 'varied',
    describes:
      'requests of many clients: method, path, query, cookies, ids, ETag and token differ; response of 1 KB of JSON with the headers of a service',
    bodyOctets: 1024,
    requestHeaders: [],
    responseHeaders: serviceHeaders,
  },
  {
    ...get,
    name: 'repeated',
    isVaried: false,
    describes: 'the same GET each time, with the headers of a browser; response of 1 KB of JSON',
    bodyOctets: 1024,
    requestHeaders: browserHeaders,
    responseHeaders: serviceHeaders,
  },
  {
    ...get,
    name: 'large',
    describes: 'as varied; response of 10 KB',
    bodyOctets: 10_240,
    requestHeaders: [],
    responseHeaders: serviceHeaders,
  },
  {
    ...get,
    name: 'huge',
    describes: 'as varied; response of 1 MB',
    bodyOctets: 1_048_576,
    requestHeaders: [],
    responseHeaders: serviceHeaders,
  },
  {
    name: 'upload',
    describes: 'as varied, each a POST of 1 KB; response of 1 KB of JSON',
    method: 'POST',
    uploadOctets: 1024,
    isAlone: false,
    isVaried: true,
    bodyOctets: 1024,
    requestHeaders: [],
    responseHeaders: serviceHeaders,
  },
  {
    name: 'connections',
    describes: 'as varied, each a GET on a new connection',
    method: 'GET',
    uploadOctets: 0,
    isAlone: true,
    isVaried: true,
    bodyOctets: 1024,
    requestHeaders: [],
    responseHeaders: serviceHeaders,
  },
];
