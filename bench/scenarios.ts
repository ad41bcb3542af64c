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
  /** Header fields that the client sends besides Host and Authorization. */
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

const get = { method: 'GET', uploadOctets: 0, isAlone: false } as const;

export const scenarios: readonly Scenario[] = [
  {
    ...get,
    name: 'small',
    describes: 'GET, 5 octets back, hardly any headers',
    bodyOctets: 5,
    requestHeaders: [],
    responseHeaders: [['Content-Type', 'text/plain']],
  },
  {
    ...get,
    name: 'typical',
    describes: 'GET with the headers of a browser, 1 KB of JSON back with the headers of a service',
    bodyOctets: 1024,
    requestHeaders: browserHeaders,
    responseHeaders: serviceHeaders,
  },
  {
    ...get,
    name: 'large',
    describes: 'GET with the headers of a browser, 10 KB back',
    bodyOctets: 10_240,
    requestHeaders: browserHeaders,
    responseHeaders: serviceHeaders,
  },
  {
    ...get,
    name: 'huge',
    describes: 'GET with the headers of a browser, 1 MB back',
    bodyOctets: 1_048_576,
    requestHeaders: browserHeaders,
    responseHeaders: serviceHeaders,
  },
  {
    name: 'upload',
    describes: 'POST of 1 KB with the headers of a browser, 1 KB of JSON back',
    method: 'POST',
    uploadOctets: 1024,
    isAlone: false,
    bodyOctets: 1024,
    requestHeaders: [...browserHeaders, 'Content-Type: application/json'],
    responseHeaders: serviceHeaders,
  },
  {
    name: 'connections',
    describes: 'as typical, with a new connection for each request',
    method: 'GET',
    uploadOctets: 0,
    isAlone: true,
    bodyOctets: 1024,
    requestHeaders: [...browserHeaders, 'Connection: close'],
    responseHeaders: serviceHeaders,
  },
];
