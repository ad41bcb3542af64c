import { isUnixSocket } from '../../configuration/network-addresses.js';
import { parseIpAddress } from '../../http/ip-address.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';
import { toBalancing, toStickyCookie } from './balancing-schema.js';
import { standardBreaker, toBreaker } from './circuit-breaker-schema.js';
import type { TargetConfiguration, UpstreamConfiguration } from './gateway-configuration.js';
import { toHealthCheck } from './health-check-schema.js';
import { type ReadUpstream, targetsOf } from './read-gateway.js';
import { keptIdleConnections } from './upstream-options.js';
import { toUpstreamTls } from './upstream-tls-schema.js';

/** Whether there may be an alternative to a failing target. A host name may have several addresses. */
export const hasChoice = (targets: readonly Pick<TargetConfiguration, 'address'>[]): boolean =>
  targets.length > 1 || targets.some(({ address }) => !isUnixSocket(address) && parseIpAddress(address.host) === null);

/** Without a block, the standard breaker applies if there may be an alternative target. */
const breakerOf = (
  { 'circuit-breaker': breaker }: ReadUpstream['fields'],
  targets: readonly TargetConfiguration[],
): CircuitBreakerRules | null => {
  if (!breaker.given) return hasChoice(targets) ? standardBreaker : null;
  return breaker.value === null ? null : toBreaker(breaker.value);
};

/** Converts an upstream that has no errors. */
export const toUpstream = (upstream: ReadUpstream): UpstreamConfiguration => {
  const { name, fields } = upstream;
  const timeouts = fields.timeouts.value;
  const pool = fields['connection-pool'].value;
  const healthCheck = fields['health-check'].value;
  const sticky = fields['sticky-cookie'].value;
  const retries = fields.retries.value;
  const breaker = fields['circuit-breaker'];
  const httpVersion = fields['http-version'].value;
  const targets = targetsOf(upstream).map(({ value }) => value);
  return {
    name: name.value,
    targets,
    timeouts: {
      connectMs: timeouts['connect-secs'].value,
      readMs: timeouts['read-secs'].value,
      requestMs: timeouts['request-secs'].value,
    },
    maxConnections: pool['max-connections'].value,
    maxIdle: keptIdleConnections(pool['max-idle'].value, pool['max-connections'].value),
    healthCheck: healthCheck === null ? null : toHealthCheck(healthCheck, httpVersion),
    targetBreaker: breakerOf(fields, targets),
    // The default breaker must not remove the last target.
    sparesLastTarget: breaker.given ? (breaker.value?.['spare-last-target'].value ?? false) : true,
    balancing: toBalancing(fields['load-balancing'].value, fields['hash-key'].value),
    stickyCookie: sticky === null ? null : toStickyCookie(sticky),
    retries: { maxAttempts: retries['max-attempts'].value, budgetPercent: retries['budget-percent'].value },
    dnsRefreshMs: fields['dns-refresh-secs'].value,
    httpVersion,
    tls: toUpstreamTls(fields.tls.value),
    hostHeader: fields['host-header'].value,
  };
};
