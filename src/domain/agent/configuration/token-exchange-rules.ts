import { reservedClaims } from '../token-exchange/reserved-claims.js';
import { exchangeExample } from './allowed-exchanges.js';
import { exchangeClients } from './exchange-client-rules.js';
import { checkExchangeList } from './exchange-list-rules.js';
import {
  allowsNothing,
  checkExchangePermissions,
  type ExchangeMethods,
  labelOfProvider,
} from './exchange-permission-rules.js';
import { type ExchangeReport, exchangeReport } from './exchange-report.js';
import { exchangeEndpoints, isShownUrl } from './exchange-url-rules.js';
import type { OptionReport } from './option-report.js';
import type { TokenExchangeBlockOptions, TokenExchangeOptions } from './token-exchange-options.js';

const maximumKeyFiles = 16;
/** Names in `claims-copied`, at the most. */
const maximumClaims = 100;

const checkKeys = ({ signingKeyFiles, signingAlgorithm }: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  const key = 'signing-key-file';
  if (signingKeyFiles.length === 0) report.error('signing-key-file is missing: nothing could be signed', key);
  checkExchangeList(key, signingKeyFiles, report, maximumKeyFiles);
  if (signingAlgorithm !== 'HS256') return;
  const message =
    'signing-algorithm is HS256: whoever can verify a token can issue one as well, and no key is published to verify with';
  report.warning(message, 'signing-algorithm', 'use RS256, PS256, ES256 or EdDSA');
};

const checkClaims = ({ claimsCopied }: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  checkExchangeList('claims-copied', claimsCopied, report, maximumClaims);
  const reserved = claimsCopied.filter((name) => reservedClaims.includes(name));
  for (const name of new Set(reserved)) {
    report.error(
      `claims-copied names ${name}, which is not copied: it says something of one token alone`,
      'claims-copied',
    );
  }
};

const checkOpenness = (block: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  if (block.clients !== null) return;
  report.warning('there are no clients: whoever has a token may exchange it', 'clients', 'give clients { ... }');
  if (block.allowedAudiences !== null) return;
  const message = 'allowed-audiences is not given: a token may be had for anybody';
  report.warning(message, 'allowed-audiences', 'name what tokens may be asked for');
};

/** What names us as its issuer is judged by our keys alone: two issuers of one name would be one. */
const checkIssuer = (
  { issuer, jwksPath }: TokenExchangeBlockOptions,
  { oidc }: ExchangeMethods,
  report: ExchangeReport,
): void => {
  const provider = oidc.find((other) => other.issuer === issuer);
  if (provider === undefined || provider.jwksUrl?.endsWith(jwksPath)) return;
  const message = `issuer is that of ${labelOfProvider(provider)}, whose keys seem to be others: at the endpoint its tokens are judged by our keys alone`;
  // The error that such an issuer is as well does not show its line either.
  const place = isShownUrl(issuer) ? 'issuer' : ({ concealed: 'issuer' } as const);
  report.warning(message, place, 'give an issuer of our own');
};

/** Checks the `token-exchange` block, against the methods too; null where it is not enabled, and what else it says does not count. */
export const enabledTokenExchange = (
  block: TokenExchangeBlockOptions | undefined,
  methods: ExchangeMethods,
  error: OptionReport,
  warning: OptionReport,
): TokenExchangeOptions | null => {
  if (block === undefined) return null;
  const report = exchangeReport({ error, warning });
  if (!block.enabled) {
    report.warning('it is not enabled: no token is exchanged', 'enabled', 'set enabled to #true');
    return null;
  }
  checkKeys(block, report);
  checkClaims(block, report);
  if (allowsNothing(block)) {
    const suggestion = `as in allowed-exchanges { ${exchangeExample} }`;
    report.error('allowed-exchanges is not given: there is nothing to exchange', 'allowed-exchanges', suggestion);
  }
  checkExchangePermissions(block, methods, report);
  checkIssuer(block, methods, report);
  checkOpenness(block, report);
  return {
    issuer: block.issuer,
    ...exchangeEndpoints(block, methods.saml, report),
    signingKeyFiles: block.signingKeyFiles,
    signingAlgorithm: block.signingAlgorithm,
    tokenTtlMs: block.tokenTtlMs,
    limitLifetimeToSubject: block.limitLifetimeToSubject,
    maximumActors: block.maximumActors,
    claimsCopied: block.claimsCopied,
    defaultAudience: block.defaultAudience,
    samlOneTime: block.samlOneTime,
    rateLimit: block.rateLimit,
    allowedExchanges: block.allowedExchanges,
    allowedAudiences: block.allowedAudiences,
    allowedScopes: block.allowedScopes,
    clients: exchangeClients(block, methods, (client) => exchangeReport({ error, warning }, client)),
  };
};
