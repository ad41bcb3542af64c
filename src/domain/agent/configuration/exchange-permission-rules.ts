import type { AllowedExchange } from '../token-exchange/exchange-policy.js';
import type { JwtOptions, OidcProviderOptions } from './agent-configuration.js';
import type { ExchangeReport } from './option-report.js';
import type { SamlOptions } from './saml-options.js';
import type { TokenExchangeBlockOptions } from './token-exchange-options.js';

/** Entries of one list, at most. */
const maximumEntries = 1000;

/** Checks that a list is not too long, and that no entry is there twice. Its entries are named by their numbers. */
export const checkExchangeList = (
  key: string,
  entries: readonly string[],
  report: ExchangeReport,
  maximum = maximumEntries,
): void => {
  if (entries.length > maximum) report.error(`${key} has more than ${maximum} entries`, key);
  const seen = new Set<string>();
  for (const [index, entry] of entries.slice(0, maximum).entries()) {
    if (seen.has(entry)) report.error(`${key}: entry ${index + 1} is an earlier one once more`, key);
    seen.add(entry);
  }
};

/** What is configured to verify tokens with. */
export interface ExchangeMethods {
  readonly jwt: JwtOptions | null;
  readonly oidc: readonly OidcProviderOptions[];
  readonly saml: SamlOptions | null;
}

interface PermissionLists {
  /** Null: not said here. */
  readonly allowedExchanges: readonly AllowedExchange[] | null;
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
}

/** How messages of the `token-exchange` block call a provider. */
export const labelOfProvider = ({ name }: OidcProviderOptions): string =>
  `${name === null ? 'a provider' : `provider "${name}"`} of oidc`;

/** Why some ID tokens are refused: nothing says whom they have to be meant for. Null: none for that reason. */
const refusedIdTokens = ({ jwt, oidc }: ExchangeMethods): string | null => {
  const provider = oidc.find(({ audiences }) => audiences.length === 0);
  if (provider !== undefined) return `${labelOfProvider(provider)} has no audience: ID tokens of it are refused`;
  if (jwt === null || jwt.audience !== null) return null;
  return 'jwt-audience is not given: ID tokens that its key verifies are refused';
};

/** What is not asked of ID tokens, though it is of other tokens. */
const checkIdTokens = (methods: ExchangeMethods, report: ExchangeReport): void => {
  const key = 'allowed-exchanges';
  const cause = refusedIdTokens(methods);
  if (cause !== null) report.warning(`allowed-exchanges has id_token, but ${cause}`, key);
  for (const provider of methods.oidc) {
    if (provider.requiredScopes.length === 0 || provider.audiences.length === 0) continue;
    const message = `allowed-exchanges has id_token, and required-scopes of ${labelOfProvider(provider)} do not apply to ID tokens`;
    report.warning(message, key, 'take id_token out, unless whoever signs in there may exchange tokens');
  }
};

/** Checks that there is something to verify each kind of token with that may be given. */
const checkKinds = (exchanges: readonly AllowedExchange[], methods: ExchangeMethods, report: ExchangeReport): void => {
  const key = 'allowed-exchanges';
  const kinds = new Set(exchanges.map(({ subjectKind }) => subjectKind));
  if (kinds.has('saml2') && methods.saml === null) {
    report.error('allowed-exchanges has saml2, but single sign-on, whose checks it needs, is not enabled', key);
  }
  kinds.delete('saml2');
  if (kinds.size === 0) return;
  if (methods.jwt === null && methods.oidc.length === 0) {
    const message = 'neither oidc nor a key for JWTs is configured: of JWTs only those that are issued here are taken';
    report.warning(message, key);
    return;
  }
  if (kinds.has('id_token')) checkIdTokens(methods, report);
};

/** Whether there is nothing at all that anybody could exchange. */
export const allowsNothing = ({ allowedExchanges, clients }: TokenExchangeBlockOptions): boolean =>
  [allowedExchanges, ...(clients ?? []).map((client) => client.allowedExchanges ?? [])].every(
    ({ length }) => length === 0,
  );

/** Checks what the block, or a client, may have, as far as it says so itself. */
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
