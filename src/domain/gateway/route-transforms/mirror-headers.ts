import { type HeaderList, withHeader } from '../../http/header-list.js';
import { isOwned, type OwnedHeaders } from '../../http/owned-headers.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json.js';
import type { HeaderRules } from './header-rules.js';

/** Marks a request as a copy. */
export const mirroredHeader = 'X-Mirrored';

/** Request headers with credentials, besides those that agents name in their `config`. */
export const mirroredCredentialNames: readonly string[] = [
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'DPoP',
  'X-API-Key',
];

/** Tokens, users and certificates that a trusted proxy in front of the gateway forwards. */
export const proxyIdentityHeaders: readonly string[] = [
  'X-Forwarded-Access-Token',
  'X-Forwarded-User',
  'X-Forwarded-Email',
  'X-Forwarded-Groups',
  'X-Forwarded-Preferred-Username',
  'X-Forwarded-Tls-Client-Cert',
  'X-Forwarded-Tls-Client-Cert-Info',
];

/** The headers that rules fill from variables and files, such as credentials of the upstream. */
export const secretRuleHeaders = (rules: HeaderRules | null): readonly string[] =>
  rules === null ? [] : [...rules.set, ...rules.add].flatMap(({ name, isSecret }) => (isSecret === true ? [name] : []));

const members = (value: JsonValue | undefined): readonly JsonObject[] => {
  if (value === undefined) return [];
  return (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]).filter(isJsonObject);
};

/** The headers from which an agent reads API keys and tokens, by its `config`. Reads the known keys of any agent. */
export const configuredCredentialHeaders = (config: JsonObject | null): readonly string[] => {
  if (config === null) return [];
  const names = [config['api-key-header'], ...members(config['oidc']).map((block) => block['token-header'])];
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
};

/**
 * The headers of a copy.
 *
 * @param removed the names that the copy must not have, in any spelling
 */
export const mirroredHeaders = (headers: HeaderList, removed: readonly OwnedHeaders[]): HeaderList => {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!removed.some((names) => isOwned(names, name))) kept.push(name, headers[index + 1] as string);
  }
  return withHeader(kept, mirroredHeader, '1');
};
