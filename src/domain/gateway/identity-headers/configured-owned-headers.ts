import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json.js';

const texts = (value: JsonValue | undefined): string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

/** The headers that a block of `name "header"` maps. */
const mapped = (mapping: JsonValue | undefined): string[] =>
  isJsonObject(mapping) ? Object.values(mapping).flatMap(texts) : [];

/** The blocks of a key that may be repeated. */
const blocks = (value: JsonValue | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]).filter(
    (block): block is JsonObject => block !== undefined && isJsonObject(block),
  );

/**
 * The headers that an agent will own by its `config`, known before the first connection: identity headers, headers of
 * claims and SAML attributes, and those of certificates and identity tokens. Reads the known keys of any agent's config.
 */
export const configuredOwnedHeaders = (config: JsonObject | null): readonly string[] => {
  if (config === null) return [];
  const names = [...texts(config['user-id-header']), ...texts(config['auth-method-header'])];
  const { saml, mtls, 'identity-token': token } = config;
  if (isJsonObject(mtls)) names.push(...texts(mtls['client-cert-header']));
  if (isJsonObject(token)) names.push(...texts(token['header']));
  names.push(...mapped(config['claim-mapping']));
  if (isJsonObject(saml)) names.push(...mapped(saml['attribute-mapping']));
  for (const login of blocks(config['oidc-login'])) names.push(...mapped(login['claim-mapping']));
  return names.filter((name) => name !== '');
};

const defaultUserIdHeader = 'x-user-id';

/** The header in which an agent sets the user id, in lower case. */
export const userIdHeader = (config: JsonObject | null): string => {
  const [name] = texts(config?.['user-id-header']).filter((text) => text !== '');
  return name?.toLowerCase() ?? defaultUserIdHeader;
};
