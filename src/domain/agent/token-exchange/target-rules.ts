import type { ExchangePolicy } from './exchange-policy.js';
import type { ExchangeRequest } from './exchange-request.js';

/** What the request names, as `aud` will: audiences, then resources, each once (RFC 8693, section 2.1.1). Empty: it names nothing. */
const targetsNamed = ({ audiences, resources }: ExchangeRequest): readonly string[] => [
  ...new Set([...audiences, ...resources]),
];

/** Whether each target that the request names may be had. One that stands for none is the configuration's own, and may. */
export const allowsTargets = (request: ExchangeRequest, { allowedAudiences }: ExchangePolicy): boolean =>
  allowedAudiences === null || targetsNamed(request).every((target) => allowedAudiences.has(target));

/** Whom the issued token is for; at least one. */
export const audiencesOf = (request: ExchangeRequest, policy: ExchangePolicy): readonly string[] => {
  const named = targetsNamed(request);
  return named.length > 0 ? named : [policy.defaultAudience ?? policy.issuer];
};
