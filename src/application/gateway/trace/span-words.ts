/** A status from here on is a failure of the server. */
export const firstServerError = 500;

export const statusAttribute = 'http.response.status_code';

export const errorAttribute = 'error.type';

/** Methods that have a meaning of their own; any other could be any text. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);

/** The method as an attribute, and as spans are named for it: of few values, whatever clients send. */
export const methodWords = (method: string): { readonly attribute: string; readonly name: string } =>
  knownMethods.has(method) ? { attribute: method, name: method } : { attribute: '_OTHER', name: 'HTTP' };

/** The version as OpenTelemetry writes it: one digit from HTTP/2 on. */
export const protocolVersion = (httpVersion: string): string => (httpVersion === '2.0' ? '2' : httpVersion);
