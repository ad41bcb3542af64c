import type { AllowedExchange } from '../../token-exchange/exchange-policy.js';
import type { CompleteAgentOptions } from '../agent-configuration.js';
import { checkExchangeList } from './exchange-list-rules.js';
import type { ExchangeReport } from './exchange-report.js';

/** What is configured to verify tokens with. */
export type ExchangeMethods = Pick<CompleteAgentOptions, 'jwt' | 'oidc' | 'saml'>;

interface PermissionLists {
  /** Null: not said here. */
  readonly allowedExchanges: readonly AllowedExchange[] | null;
  readonly allowedAudiences: readonly string[] | null;
  readonly allowedScopes: readonly string[] | null;
}

/** Why some ID tokens are refused: nothing says whom they have to be meant for. Null: none for that reason. */
const refusedIdTokens = ({ jwt, oidc }: ExchangeMethods): string | null => {
  const provider = oidc.find(({ audience }) => audience === null);
  if (provider !== undefined) {
    const label = provider.name === null ? 'a provider' : `provider "${provider.name}"`;
    return `${label} of oidc has no audience: ID tokens of it are refused`;
  }
  if (jwt === null || jwt.audience !== null) return null;
  return 'jwt-audience is not given: ID tokens that its key verifies are refused';
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
  const cause = kinds.has('id_token') ? refusedIdTokens(methods) : null;
  if (cause !== null) report.warning(`allowed-exchanges has id_token, but ${cause}`, key);
};

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
