import { requestKey } from '../../configuration/schema/request-key.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, oneOf, seconds } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { isToken } from '../../http/field-syntax.js';
import type { Balancing, HashKey, StickyCookie } from './upstream-options.js';

const methods = ['round-robin', 'weighted', 'least-connections', 'power-of-two-choices', 'consistent-hash'] as const;
export type BalancingMethod = (typeof methods)[number];

/** Names that nginx, HAProxy, Envoy, Traefik, Caddy and others use. */
const otherMethods: ReadonlyMap<string, BalancingMethod> = new Map([
  ['rr', 'round-robin'],
  ['roundrobin', 'round-robin'],
  ['wrr', 'weighted'],
  ['weight', 'weighted'],
  ['weighted-round-robin', 'weighted'],
  ['static-rr', 'weighted'],
  ['least-conn', 'least-connections'],
  ['leastconn', 'least-connections'],
  ['least-request', 'least-connections'],
  ['least-requests', 'least-connections'],
  ['lc', 'least-connections'],
  ['random', 'power-of-two-choices'],
  ['random-choose', 'power-of-two-choices'],
  ['random-two', 'power-of-two-choices'],
  ['power-of-two', 'power-of-two-choices'],
  ['p2c', 'power-of-two-choices'],
  ['hash', 'consistent-hash'],
  ['ip-hash', 'consistent-hash'],
  ['client-ip-hash', 'consistent-hash'],
  ['source', 'consistent-hash'],
  ['ring-hash', 'consistent-hash'],
  ['maglev', 'consistent-hash'],
  ['header', 'consistent-hash'],
  ['cookie', 'consistent-hash'],
]);

/** The method that another program's name means; null: unknown. */
export const namedBalancing = (text: string): BalancingMethod | null => {
  const name = text.toLowerCase().replaceAll('_', '-');
  return methods.find((known) => known === name) ?? otherMethods.get(name) ?? null;
};

export const loadBalancing = withDefault(
  oneOf(methods, [], namedBalancing),
  'round-robin',
  '`round-robin`',
  'How to choose among healthy targets, by weight: in turn (`round-robin`, `weighted`), fewest active requests (`least-connections`), the better of two random ones (`power-of-two-choices`), or by `hash-key` (`consistent-hash`).',
);

export const hashKeyKind = withDefault(
  requestKey(['client_ip'], ['header', 'cookie']),
  { kind: 'client_ip' },
  '`client_ip`',
  'What `consistent-hash` hashes. Requests with the same value go to the same target.',
);

/** Combines `load-balancing` and `hash-key`. */
export const toBalancing = (method: BalancingMethod, key: HashKey): Balancing => {
  if (method === 'least-connections') return { kind: 'least_connections' };
  if (method === 'power-of-two-choices') return { kind: 'power_of_two' };
  return method === 'consistent-hash' ? { kind: 'consistent_hash', key } : { kind: 'round_robin' };
};

const longestCookieName = 100;

/** Browsers accept cookies with these prefixes only over https (RFC 6265bis, section 4.1.3). */
const conditional = /^__(?:host|secure)-/i;

const cookieName = checkedText(`cookie name, at most ${longestCookieName} characters`, (value) => {
  if (!isToken(value) || value.length > longestCookieName) {
    return {
      message: `must be a cookie name: a token of at most ${longestCookieName} characters`,
      suggestion: 'write "gateway_target"',
    };
  }
  return conditional.test(value) ? { message: 'must not begin with __Host- or __Secure-' } : null;
});

const stickyShape = {
  name: withDefault(cookieName, 'gateway_target', '`gateway_target`', 'Name of the cookie.'),
  'max-age-secs': optional(
    seconds(1, 31_536_000),
    'How long a browser keeps the cookie. Without it: until the browser closes.',
  ),
};

export const stickyCookie = switchedBlock(stickyShape, 'name', {
  standard: 'none',
  meaning: 'Set a cookie that keeps a client on its first target while that target is healthy.',
});

/** Converts a block `sticky-cookie` that has no errors. */
export const toStickyCookie = (fields: Fields<typeof stickyShape>): StickyCookie => ({
  name: fields.name.value,
  maxAgeMs: fields['max-age-secs'].value,
});
