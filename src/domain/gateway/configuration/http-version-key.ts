import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { oneOf } from '../../configuration/schema/scalar-kind.js';
import { type UpstreamHttpVersion, upstreamHttpVersions } from './gateway-configuration.js';

/** By what nginx, HAProxy, Envoy, Caddy and others call it. */
const otherNames: ReadonlyMap<string, UpstreamHttpVersion> = new Map([
  ['1', '1.1'],
  ['1.0', '1.1'],
  ['http1', '1.1'],
  ['http/1', '1.1'],
  ['http1.1', '1.1'],
  ['http/1.1', '1.1'],
  ['2.0', '2'],
  ['h2', '2'],
  ['h2c', '2'],
  ['http2', '2'],
  ['http/2', '2'],
  ['http/2.0', '2'],
  ['grpc', '2'],
]);

const versions = oneOf(upstreamHttpVersions, [], (text) => otherNames.get(text.toLowerCase()) ?? null);

/** Without quotes it reads as a number. */
const version: typeof versions = {
  ...versions,
  read: (scalar) => versions.read(typeof scalar.value === 'number' ? { ...scalar, value: `${scalar.value}` } : scalar),
};

export const httpVersion = withDefault(
  version,
  '1.1',
  '`1.1`',
  'What is spoken to the targets. `2` is HTTP/2 from the first octet on, without TLS (prior knowledge): for gRPC, and for targets that take it on the same port.',
);
