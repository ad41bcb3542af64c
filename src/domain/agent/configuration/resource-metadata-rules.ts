import { webUrlFault } from '../../configuration/schema/web-url.js';
import { urlParts } from '../../http/absolute-uri.js';
import type { OptionReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { ResourceMetadataOptions } from './resource-metadata-block.js';

const maximumBlocks = 100;
const maximumServers = 16;

/** RFC 9728, section 3. */
const wellKnown = '/.well-known/oauth-protected-resource';

const risk = 'an attacker on the network can send clients to an authorization server of its own';

/** A protected resource and the place of its metadata. */
export interface ProtectedResource extends ResourceMetadataOptions {
  /** Scheme, host and port, in lower case, without a default port. */
  readonly origin: string;
  /** The host and port of `origin`. */
  readonly host: string;
  /** Empty for the whole host. */
  readonly path: string;
  readonly metadataPath: string;
  readonly metadataUrl: string;
}

/** In lower case, without the default port of the scheme. */
const normalOrigin = (origin: string): string =>
  origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');

const protectedResource = (options: ResourceMetadataOptions): ProtectedResource => {
  const { origin: written, path } = urlParts(options.resource);
  const origin = normalOrigin(written);
  const host = origin.replace(/^https?:\/\//, '');
  const below = path === '/' ? '' : path;
  const metadataPath = `${wellKnown}${below}`;
  return { ...options, origin, host, path: below, metadataPath, metadataUrl: `${written}${metadataPath}` };
};

/** What is wrong with a URL besides its form; null if nothing. Challenges quote it, so some characters are refused. */
const contentFault = (url: string): string | null => {
  if (url.includes('?')) return 'must not contain a query';
  return /["\\<>^`{|}]/.test(url) ? 'must percent-encode the characters " \\ < > ^ ` { | }' : null;
};

type Key = 'resource' | 'authorization-servers';

/** Checks a URL of a block; false if it cannot be used. */
const isUsable = (url: string, key: Key, block: number, error: OptionReport, warning: OptionReport): boolean => {
  const fault = webUrlFault(url, risk);
  const place = fault?.secret === true ? ({ block, key, isConcealed: true } as const) : { block, key };
  if (fault?.severity === 'warning')
    warning('resource-metadata', `${key} ${fault.message}`, undefined, place, fault.id);
  const message = fault?.severity === 'error' ? fault.message : contentFault(url);
  if (message === null) return true;
  error(
    'resource-metadata',
    `${key} ${message}`,
    undefined,
    url.includes('?') ? { ...place, isConcealed: true } : place,
  );
  return false;
};

const checkServers = (
  { authorizationServers: servers }: ResourceMetadataOptions,
  block: number,
  error: OptionReport,
  warning: OptionReport,
): void => {
  const key = 'authorization-servers';
  const place = { block, key };
  if (servers.length === 0)
    error('resource-metadata', `${key} is missing`, `write ${key} "https://id.example.com"`, place);
  if (servers.length > maximumServers) {
    error('resource-metadata', `${key} has more than ${maximumServers} values`, undefined, place);
  }
  for (const server of servers.slice(0, maximumServers)) isUsable(server, key, block, error, warning);
};

/** Checks the `resource-metadata` blocks, except for paths of other endpoints. */
export const protectedResources = (
  blocks: readonly ResourceMetadataOptions[],
  error: OptionReport,
  warning: OptionReport,
): readonly ProtectedResource[] => {
  if (blocks.length > maximumBlocks) {
    error('resource-metadata', `there are more than ${maximumBlocks} resource-metadata blocks`);
    return [];
  }
  const taken = new Set<string>();
  return blocks.flatMap((options, block) => {
    checkServers(options, block, error, warning);
    if (!isUsable(options.resource, 'resource', block, error, warning)) return [];
    const resource = protectedResource(options);
    const place = { block, key: 'resource' };
    const fault = pathFault(resource.path === '' ? '/' : resource.path);
    if (fault !== null) error('resource-metadata', `the path of resource ${fault}`, undefined, place);
    const identity = `${resource.host}${resource.path}`;
    if (taken.has(identity)) error('resource-metadata', 'an earlier block has the same resource', undefined, place);
    taken.add(identity);
    return [resource];
  });
};
