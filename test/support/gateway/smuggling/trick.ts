/** What a client sends to have one reader see another request than the other does. */
export interface Trick {
  readonly name: string;
  /** Section, paper or advisory. */
  readonly source: string;
  /** Each character is one octet. */
  readonly octets: string;
  /** Status of each response that comes; null: none does, and the client goes away. */
  readonly statuses: readonly number[] | null;
  /** Targets of the requests that the upstream gets whole. */
  readonly out: readonly string[];
  /** Host of the first of them, where it is to be told. */
  readonly host?: string;
}

/** The request that must not come out of another one. */
export const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

/** A request that ends its connection. */
export const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** POST /first with these field lines, then what follows them. */
export const post = (lines: readonly string[], rest = ''): string =>
  `POST /first HTTP/1.1\r\nHost: a\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${rest}`;

export const chunked = 'Transfer-Encoding: chunked';

/** Sources that many have. */
export const sources = {
  framing: 'RFC 9112, section 6.3',
  coding: 'RFC 9112, section 6.1',
  lineEnds: 'RFC 9112, section 2.2',
  fields: 'RFC 9112, section 5',
  chunks: 'RFC 9112, section 7.1',
  targets: 'RFC 9112, section 3.2',
  versions: 'RFC 9112, section 2.3',
  desync2019: 'Kettle, HTTP Desync Attacks (2019)',
  desync2022: 'Kettle, Browser-Powered Desync Attacks (2022)',
  mustDie: 'Kettle, HTTP/1.1 Must Die (2025)',
  tReqs: 'Jabiyev and others, T-Reqs (2021)',
  funky: 'Weikop, Funky Chunks (2025)',
  linhart: 'Linhart and others, HTTP Request Smuggling (2005)',
};

/** One that is refused: a 400, the connection closed, nothing out. */
export const refused = (name: string, source: string, octets: string): Trick => ({
  name,
  source,
  octets,
  statuses: [400],
  out: [],
});
