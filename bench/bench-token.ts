import { createHmac } from 'node:crypto';

/** What tokens of benchmarks are signed with. */
export const benchSecret = 'a-secret-for-benchmarks-of-48-octets-in-all-12345';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of a user that the agent takes, for the next hour. */
export const tokenFor = (user: string): string => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const claims = { sub: user, role: 'reader', iat: nowSeconds, exp: nowSeconds + 3600 };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', benchSecret).update(signed).digest('base64url')}`;
};

/** The token of requests that are all alike. */
export const benchToken = (): string => tokenFor('bench');
