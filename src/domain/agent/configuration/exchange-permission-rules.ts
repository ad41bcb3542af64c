import type { AllowedExchange } from '../token-exchange/exchange-policy.js';
import type { JwtOptions, OidcProviderOptions } from './agent-configuration.js';
import type { ExchangeReport } from './option-report.js';
import type { SamlOptions } from './saml-options.js';
import type { TokenExchangeBlockOptions } from './token-exchange-options.js';

/** Maximum entries of a list. */
const maximumEntries = 1000;

/** Checks the length of a list and duplicates. Problems name entries by number. */
export const checkExchangeList = (
  key: string,
  entries: readonly string[],
  report: ExchangeReport,
  maximum = maximumEntries,
): void => {
  if (entries.length > maximum) report.error(`${key} has more than ${maximum} entries`, key);
  const seen = new Set<string>();
  for (const [index, entry] of entries.slice(0, maximum).entries()) {
    if (seen.has(entry)) report.error(`${key}: entry ${index + 1} repeats an earlier one`, key);
    seen.add(entry);
  }
};

/** The configured verifiers of tokens. */
export interface ExchangeMethods {
  readonly jwt: JwtOptions | null;
  readonly oidc: readonly OidcProviderOptions[];
  readonly saml: SamlOptions | null;
}

interface PermissionLists {
  /** Null: not set here. */
  readonly allowedExchanges: readonly AllowedExchange[] | null;
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
}

/** The name of a provider in messages about the `token-exchange` block. */
export const labelOfProvider = ({ name }: OidcProviderOptions): string =>
  `${name === null ? 'a provider' : `provider "${name}"`} of oidc`;

/** Why some ID tokens are refused: no audience is configured. Null if all have one. */
const refusedIdTokens = ({ jwt, oidc }: ExchangeMethods): string | null => {
  const provider = oidc.find(({ audiences }) => audiences.length === 0);
  if (provider !== undefined) return `${labelOfProvider(provider)} has no audience, so its ID tokens are refused`;
  if (jwt === null || jwt.audience !== null) return null;
  return 'jwt-audience is not set, so ID tokens signed with its key are refused';
};

/** The checks that apply to other tokens, but not to ID tokens. */
const checkIdTokens = (methods: ExchangeMethods, report: ExchangeReport): void => {
  const key = 'allowed-exchanges';
  const cause = refusedIdTokens(methods);
  if (cause !== null) report.warning(`allowed-exchanges has id_token, but ${cause}`, key);
  for (const provider of methods.oidc) {
    if (provider.requiredScopes.length === 0 || provider.audiences.length === 0) continue;
    const message = `allowed-exchanges has id_token, and required-scopes of ${labelOfProvider(provider)} do not apply to ID tokens`;
    report.warning(message, key, 'remove id_token, unless every user of the provider may exchange tokens');
  }
};

/** Checks that each allowed subject token type can be verified. */
const checkKinds = (exchanges: readonly AllowedExchange[], methods: ExchangeMethods, report: ExchangeReport): void => {
  const key = 'allowed-exchanges';
  const kinds = new Set(exchanges.map(({ subjectKind }) => subjectKind));
  if (kinds.has('saml2') && methods.saml === null) {
    report.error('allowed-exchanges has saml2, which needs single sign-on, but saml is not enabled', key);
  }
  kinds.delete('saml2');
  if (kinds.size === 0) return;
  if (methods.jwt === null && methods.oidc.length === 0) {
    const message = 'neither oidc nor a JWT key is configured: only JWTs that this agent issued are accepted';
    report.warning(message, key);
    return;
  }
  if (kinds.has('id_token')) checkIdTokens(methods, report);
};

/** Whether no exchange is allowed at all. */
export const allowsNothing = ({ allowedExchanges, clients }: TokenExchangeBlockOptions): boolean =>
  [allowedExchanges, ...(clients ?? []).map((client) => client.allowedExchanges ?? [])].every(
    ({ length }) => length === 0,
  );

/** Checks the permissions that the block or a client sets itself. */
export const checkExchangePermissions = (
  lists: PermissionLists,
  methods: ExchangeMethods,
  report: ExchangeReport,
): void => {
  const { allowedExchanges, allowedAudiences, allowedScopes } = lists;
  const pairs = (allowedExchanges ?? []).map(({ subjectKind, issuedKind }) => `${subjectKind} ${issuedKind}`);
  checkExchangeList('allowed-exchanges', pairs, report);
  checkExchangeList('allowed-audiences', allowedAudiences ?? [], report);
  checkExchangeList('allowed-scopes', allowedScopes ?? [], report);
  checkKinds(allowedExchanges ?? [], methods, report);
};
