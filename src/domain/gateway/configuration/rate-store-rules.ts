import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { redisUrlFinding } from '../../configuration/schema/redis-url.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { isWritten } from '../../configuration/schema/schema.js';
import type { limitsShape } from './limits-schema.js';
import type { RateLimitStoreOptions } from './rate-limit-options.js';
import type { ReadGateway } from './read-gateway.js';

const path = ['limits'];
const key = 'rate-limit-store-url';

const checkUrl = (limits: Fields<typeof limitsShape>, report: ProblemReport): void => {
  const { 'rate-limit-store': store, [key]: url } = limits;
  if (!isWritten(url)) {
    report.add(`rate-limit-store "redis" needs a "${key}"`, {
      position: store.position,
      path,
      suggestion: `write ${key} "redis://127.0.0.1:6379", or (env)"RATE_LIMIT_STORE_URL" if it has a password`,
    });
    return;
  }
  if (!url.sound || url.value === null) return;
  const { fault, risk } = redisUrlFinding(url.value.reveal());
  const { position } = url;
  if (fault !== null) report.add(`"${key}" ${fault}`, { position, path, secret: true });
  if (risk === null) return;
  report.add(`"${key}" ${risk}`, {
    position,
    path,
    severity: 'warning',
    secret: true,
    suggestion: 'use rediss://',
    id: 'store-in-the-clear',
  });
};

/** Checks the keys of the rate-limit store against each other. */
export const checkRateStore = ({ limits: { value: limits } }: ReadGateway, report: ProblemReport): void => {
  const { 'rate-limit-store': store, [key]: url, 'on-store-failure': onFailure } = limits;
  if (!store.sound) return;
  if (store.value === 'redis') {
    checkUrl(limits, report);
    return;
  }
  for (const [name, field, secret] of [
    [key, url, true],
    ['on-store-failure', onFailure, false],
  ] as const) {
    if (!isWritten(field)) continue;
    report.add(`"${name}" has no effect with rate-limit-store "memory"`, {
      position: field.position,
      path,
      secret,
      suggestion: 'write rate-limit-store "redis"',
    });
  }
};

/** Converts the keys of the rate-limit store, which have no errors. */
export const toRateStore = (limits: Fields<typeof limitsShape>): RateLimitStoreOptions => {
  const url = limits[key].value;
  if (limits['rate-limit-store'].value !== 'redis' || url === null) return { kind: 'memory' };
  return { kind: 'redis', url, onFailure: limits['on-store-failure'].value };
};
