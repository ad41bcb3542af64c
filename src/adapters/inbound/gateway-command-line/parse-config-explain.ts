import { type DescribedRequest, splitUrl } from '../../../application/whole/explain-request/described-request.js';
import { isFieldValue, isToken, trimSpace } from '../../../domain/http/field-syntax.js';
import { parseIpAddress } from '../../../domain/http/ip-address.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** The options of `config explain`. */
export interface ExplainOptions {
  readonly header?: readonly string[];
  readonly clientIp?: string;
  readonly format: string;
}

/** `config explain`: show the route of a request and what happens to it. */
export interface ExplainCommand {
  readonly kind: 'explain';
  readonly configFile: string;
  readonly request: DescribedRequest;
  readonly format: 'text' | 'json';
}

/** A client of the documentation's network (RFC 5737). */
const standardClient = '192.0.2.1';

const readHeader = (text: string): Result<readonly [string, string], string> => {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  const value = trimSpace(text.slice(colon + 1));
  if (colon < 1 || !isToken(name) || (value !== '' && !isFieldValue(value))) {
    return err("error: -H must be a header such as 'Accept: text/html'");
  }
  return ok([name, value]);
};

/** Reads the arguments of `config explain`. The error is a message for the user; it shows no header value. */
export const explainArguments = (
  configFile: string,
  method: string,
  urlText: string,
  { header = [], clientIp = standardClient, format }: ExplainOptions,
): Result<ExplainCommand, string> => {
  if (!isToken(method)) return err(`error: ${JSON.stringify(method)} is not a method: write GET, POST or another`);
  const url = splitUrl(urlText);
  if (url === null) return err('error: the URL must begin with http://, https:// or /');
  if (parseIpAddress(clientIp) === null) {
    return err(`error: --client-ip must be an IP address, not ${JSON.stringify(clientIp)}`);
  }
  if (format !== 'text' && format !== 'json') {
    return err(`error: --format must be text or json, not ${JSON.stringify(format)}`);
  }
  const headers: string[] = [];
  for (const text of header) {
    const read = readHeader(text);
    if (!read.ok) return read;
    headers.push(...read.value);
  }
  return ok({ kind: 'explain', configFile, request: { method, url, headers, peerAddress: clientIp }, format });
};

/** The help below the options. */
export const explainHelp = `
Shows which route a request takes, why each route before it does not match, and what happens to the request step by
step. It runs the code of the gateway, but asks no agent, store or upstream. Values of secrets appear as "***".
A URL that is only a path goes to the first listener. --client-ip is the peer of the connection: name a trusted proxy
to see what its X-Forwarded-For does.

Examples:
  gateway config explain gateway.kdl GET https://example.com/api/orders
  gateway config explain gateway.kdl POST /api/orders -H 'X-Version: next' --client-ip 203.0.113.7
  gateway config explain gateway.kdl GET /api/orders --format json

Exit codes:
  0  a route takes the request
  1  the configuration has errors
  2  wrong usage
  3  the gateway refuses the request, or no route takes it
`;
