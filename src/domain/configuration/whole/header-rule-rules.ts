import { ruledNames } from '../../gateway/configuration/header-rules-schema.js';
import {
  agentsOf,
  defaultPoliciesOf,
  listenersOf,
  type ReadGateway,
  type ReadPolicies,
  routesOf,
} from '../../gateway/configuration/read-gateway.js';
import { configuredOwnedHeaders } from '../../gateway/identity-headers/configured-owned-headers.js';
import { canonicalName } from '../../http/canonical-name.js';
import { isOwned, type OwnedHeaders, ownedHeaders } from '../../http/owned-headers.js';
import type { ProblemReport } from '../schema/problem-report.js';
import { settingsToJson } from '../setting/setting-json.js';

/** Headers that only an agent or a listener may set. */
interface OwnerOfHeaders {
  /** The rest of a sentence that begins with the name of a header. */
  readonly reason: string;
  readonly headers: OwnedHeaders;
}

const ownersOf = (gateway: ReadGateway): readonly OwnerOfHeaders[] => [
  ...agentsOf(gateway).flatMap(({ name, fields: { config } }) => {
    if (!config.sound || config.value === null) return [];
    const headers = ownedHeaders(configuredOwnedHeaders(settingsToJson(config.value)));
    return [{ reason: `is an identity header of agent "${name.value}"`, headers }];
  }),
  ...listenersOf(gateway).flatMap(({ name, fields }) => {
    const keys = [fields.tls.value?.['forward-client-cert-header'], fields['accept-client-cert-header']];
    const names = keys.flatMap((key) => (key?.sound && key.value !== null ? [key.value] : []));
    return [{ reason: `carries the client certificates of listener "${name.value}"`, headers: ownedHeaders(names) }];
  }),
];

const checkPolicies = (
  policies: ReadPolicies,
  owners: readonly OwnerOfHeaders[],
  path: readonly string[],
  report: ProblemReport,
): void => {
  for (const key of ['request-headers', 'response-headers'] as const) {
    for (const { value, position, hidden } of ruledNames(policies[key].value)) {
      const owner = owners.find(({ headers }) => isOwned(headers, canonicalName(value)));
      if (owner === undefined) continue;
      report.add(`"${key}" cannot change ${hidden === true ? 'a header that' : `${value}, which`} ${owner.reason}`, {
        position,
        path: [...path, key],
        secret: true,
        suggestion: 'use another header',
      });
    }
  }
};

/** Refuses header rules for the identity headers of agents and the certificate headers of listeners. */
export const checkHeaderRules = (gateway: ReadGateway, report: ProblemReport): void => {
  const owners = ownersOf(gateway);
  checkPolicies(defaultPoliciesOf(gateway), owners, ['defaults', 'policies'], report);
  for (const { name, fields } of routesOf(gateway)) {
    checkPolicies(fields.policies.value, owners, ['routes', `route "${name.value}"`, 'policies'], report);
  }
};
