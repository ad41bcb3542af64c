import { agentDefaults, type EntrySource } from '../../../domain/agent/configuration/agent-configuration.js';
import {
  type CompleteAgentOptions,
  completeAgentOptions,
} from '../../../domain/agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import { shownEntryFile } from '../../../domain/agent/configuration/credential-entries.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { AllowedOrigins } from '../../../domain/http/allowed-origins.js';
import { ownedHeaders } from '../../../domain/http/owned-headers.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import { AgentEndpoints } from '../agent-service/agent-endpoints.js';
import { ProtectedResources } from '../agent-service/protected-resources.js';
import { AuthenticateRequest } from '../authenticate/authenticate-request.js';
import type { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { ClientCredential } from '../sign-on/oidc/provider-token-endpoint.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import { neverOwnIdentityToken, type OwnIdentityTokenTest } from '../verify-tokens/token-verdict.js';
import { ProviderKeySets, type ProviderKeys } from './agent-key-sets.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { authenticationChecks, credentialHeaders } from './authentication-checks.js';
import { loadWarnings } from './load-warnings.js';
import { readLoginKeys } from './login-keys.js';
import { optionProblem } from './option-problem.js';
import { prepareAuthorization } from './prepare-authorization.js';
import { type PreparedIdentityTokens, prepareIdentityTokens, readIdentityTokenKeys } from './prepare-identity-token.js';
import { type PreparedMethods, prepareMethods } from './prepare-methods.js';
import { prepareKeptForms, prepareSignOn } from './prepare-sign-on.js';
import { prepareTokenExchange } from './prepare-token-exchange.js';
import type { PreparedAgent, PreparedAgentWithWarnings } from './prepared-agent.js';
import { PreparedLogins } from './prepared-logins.js';
import { PreparedSaml } from './prepared-saml.js';
import { PreparedSessions } from './prepared-sessions.js';
import { type ReadTokenExchange, readTokenExchange } from './read-token-exchange.js';
import { identityHeaderPatterns, removablePatterns, removedCookies } from './removed-fields.js';
import { readSamlFiles, type SamlFiles } from './saml-files.js';
import {
  sharedExchangeKeyWarnings,
  sharedIdentityKeyProblems,
  sharedProviderKeyWarnings,
} from './shared-signing-keys.js';
import { UsedProofs } from './used-proofs.js';
import { WarmUp } from './warm-up.js';

/** Opens the session stores; null if there is no way to sign on. The caller releases the result. */
const prepareSessions = async (
  options: CompleteAgentOptions,
  parts: AgentProcessServices,
): Promise<Result<PreparedSessions | null, AgentOptionProblem>> => {
  const { sessions, saml } = options;
  if (sessions === null) return ok(null);
  const lease = await parts.sessions.stores.acquire(sessions.store, sessions.namespace);
  if (lease.ok) return ok(new PreparedSessions(sessions, options, lease.value, parts));
  return err(optionProblem('error', saml === null ? 'sessions' : 'saml', `the session store: ${lease.error}`));
};

/** Loads the identity provider; null if SAML is not configured. The caller releases the result. */
const prepareSaml = (
  options: CompleteAgentOptions,
  files: SamlFiles | null,
  sessions: PreparedSessions | null,
  warmUp: WarmUp | null,
  parts: AgentProcessServices,
): PreparedSaml | null => {
  const { saml } = options;
  if (saml === null || files === null || sessions === null || warmUp === null) return null;
  const trust = parts.saml.trusts.acquire(saml.identityProvider, files.certificates);
  return new PreparedSaml(saml, files, sessions, trust, warmUp, parts);
};

/** Prepares the logins; null: there are none. The caller releases the result. */
const prepareLogins = (
  { oidcLogins }: CompleteAgentOptions,
  credentials: readonly ClientCredential[],
  sessions: PreparedSessions | null,
  parts: AgentProcessServices,
): PreparedLogins | null =>
  oidcLogins.length === 0 || sessions === null ? null : new PreparedLogins(oidcLogins, credentials, sessions, parts);

interface ReadEntryFiles {
  /** By path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly problems: readonly AgentOptionProblem[];
}

/** Reads the files that `@FILE` entries of lists name. */
const readEntryFiles = async (options: AgentOptions, files: TextFileReader): Promise<ReadEntryFiles> => {
  const texts = new Map<string, string>();
  const problems: AgentOptionProblem[] = [];
  const read = async (option: AgentOptionProblem['option'], sources: readonly EntrySource[]) => {
    for (const [index, source] of sources.entries()) {
      if (source.kind !== 'file') continue;
      const { path } = source;
      const text = await files.read(path);
      // An empty text prevents a second report about the same file.
      texts.set(path, text.ok ? text.value : '');
      if (text.ok) continue;
      problems.push(optionProblem('error', option, `entry ${index + 1}: ${shownEntryFile(path)} ${text.error}`));
    }
  };
  await read('api-keys', options.apiKeys ?? []);
  await read('basic-auth-users', options.basicAuthUsers ?? []);
  return { texts, problems };
};

/** The verifiers of foreign tokens, from the bearer token options. `isOwnIdentityToken`: tests for our own identity tokens. */
export const bearerTokens = (
  { jwt }: Pick<CompleteAgentOptions, 'jwt'>,
  { jwtVerifier }: Pick<PreparedMethods, 'jwtVerifier'>,
  providers: readonly ProviderKeys[],
  clock: Clock,
  isOwnIdentityToken: OwnIdentityTokenTest = neverOwnIdentityToken,
): BearerTokens => {
  const oidc = providers.length === 0 ? null : new ProviderTokens(providers, clock, isOwnIdentityToken);
  if (jwt === null || jwtVerifier === null) return { oidc, jwt: null };
  const { key, issuer, audience } = jwt;
  const rules = { issuer, audiences: audience === null ? [] : [audience], clockSkewMs: agentDefaults.clockSkewMs };
  return {
    oidc,
    jwt: new JwtTokens({ algorithm: key.algorithm, rules, verifier: jwtVerifier, clock, isOwnIdentityToken }),
  };
};

/** How long a configuration waits for new key sets and metadata, in milliseconds. */
const keySetWaitMs = 3_000;

interface AgentPieces {
  readonly options: CompleteAgentOptions;
  readonly methods: PreparedMethods;
  readonly authorization: AuthorizeRequest | null;
  readonly keySets: ProviderKeySets;
  readonly proofs: UsedProofs;
  readonly sessions: PreparedSessions | null;
  readonly saml: PreparedSaml | null;
  readonly logins: PreparedLogins | null;
  readonly exchange: ReadTokenExchange | null;
  readonly identityTokens: PreparedIdentityTokens | null;
}

const assemble = (
  { options, methods, authorization, keySets, proofs, sessions, saml, logins, exchange, identityTokens }: AgentPieces,
  parts: AgentProcessServices,
): PreparedAgent => {
  const isOwnIdentityToken = identityTokens?.isOwnIdentityToken ?? neverOwnIdentityToken;
  const bearer = bearerTokens(options, methods, keySets.providers, parts.clock, isOwnIdentityToken);
  const opened =
    sessions === null ? null : { sessions: logins?.sessions ?? sessions.sessions, stepUp: sessions.stepUp };
  const checks = authenticationChecks(options, methods, bearer, opened, proofs.replays, parts);
  const ways = [...(saml === null ? [] : [saml.signOn]), ...(logins?.ways ?? [])];
  const signOn = prepareSignOn(options, sessions, ways, logins?.loginPaths ?? []);
  const revocations = methods.mtls?.revocations ?? null;
  revocations?.watch();
  const tokenExchange = exchange === null ? null : prepareTokenExchange(exchange, bearer, saml, parts);
  const removable = ownedHeaders(removablePatterns(options));
  const forwardsTokens = options.oidcLogins.some(({ forwardsAccessToken }) => forwardsAccessToken);
  const resources = options.resources.length === 0 ? null : new ProtectedResources(options.resources, parts.digest);
  return {
    authentication: new AuthenticateRequest(
      checks,
      credentialHeaders(options),
      options.oidc.some(({ requiredProof }) => requiredProof === 'dpop'),
    ),
    authorization,
    methods: [...new Set(checks.map((check) => check.method))],
    identityHeaderPatterns: identityHeaderPatterns(options),
    removable,
    removableUnverified: forwardsTokens ? ownedHeaders([...removablePatterns(options), 'Authorization']) : removable,
    // An agent without authentication methods is not set up yet, so fail-open does not apply.
    failOpen: options.failOpen && checks.length > 0,
    keySets,
    revocations,
    endpoints: new AgentEndpoints(
      [
        signOn,
        saml?.signOn,
        ...(logins?.endpoints ?? []),
        tokenExchange?.endpoint,
        identityTokens?.endpoint,
        resources?.endpoint,
      ].filter((endpoint) => endpoint !== undefined && endpoint !== null),
    ),
    proofs,
    sessions,
    signOn,
    keptForms: prepareKeptForms(options, sessions, logins, signOn, parts),
    saml,
    logins,
    tokenExchange,
    identityTokens: identityTokens?.tokens ?? null,
    resources,
    removesCookie: removedCookies(options, sessions),
    trustedOrigins: new AllowedOrigins(options.trustedOrigins),
    onChange: (listener) => {
      const ends = [keySets, revocations, proofs, sessions, saml, logins].map((part) => part?.onChange(listener));
      return () => {
        for (const end of ends) end?.();
      };
    },
    release: async () => {
      keySets.release();
      revocations?.release();
      saml?.release();
      // A refresh that runs stores its tokens.
      await logins?.release();
      await Promise.all([sessions?.release(), proofs.release()]);
    },
  };
};

/** Resolves when keys and metadata were fetched or failed, or after `waitMs`. */
const firstLoad = async (
  keySets: ProviderKeySets,
  saml: PreparedSaml | null,
  logins: PreparedLogins | null,
  waitMs: number,
  { scheduler }: AgentProcessServices,
): Promise<void> => {
  const loads = Promise.all([
    ...keySets.providers.map(({ keys }) => keys.firstLoad()),
    saml?.trust.firstLoad(),
    logins?.firstLoad(),
  ]);
  await new Promise<void>((resolve) => {
    const deadline = scheduler.after(waitMs, resolve);
    void loads.then(() => {
      deadline.cancel();
      resolve();
    });
  });
};

/**
 * Checks all options, reads the files they name, and prepares an agent. Reports all errors. The caller releases the
 * agent, which holds key sets, metadata and stores.
 */
export const prepareAgent = async (
  options: AgentOptions,
  parts: AgentProcessServices,
  waitMs = keySetWaitMs,
): Promise<Result<PreparedAgentWithWarnings, readonly AgentOptionProblem[]>> => {
  const entries = await readEntryFiles(options, parts.files);
  const completed = completeAgentOptions(options, entries.texts);
  const problems = [...entries.problems, ...completed.problems];
  const complete = completed.options;
  if (complete === null) return err(problems);
  const methods = await prepareMethods(complete, parts, problems);
  const samlFiles = complete.saml === null ? null : await readSamlFiles(complete.saml, parts, problems);
  const loginCredentials = await readLoginKeys(complete.oidcLogins, parts, problems);
  const exchange = await readTokenExchange(complete, parts, problems);
  if (exchange !== null)
    problems.push(...(await sharedExchangeKeyWarnings(complete, methods.jwtVerifier, exchange.files.keys[0])));
  const tokenKeys = await readIdentityTokenKeys(complete, parts, problems);
  if (tokenKeys !== null) {
    const exchangeKeys = exchange?.files.keys ?? [];
    problems.push(...(await sharedIdentityKeyProblems(complete, tokenKeys, methods.jwtVerifier, exchangeKeys)));
  }
  const authorization = await prepareAuthorization(complete, parts, problems);
  // Policies that are enabled but missing must never mean that everything is allowed.
  const lacksPolicies = complete.authz !== null && authorization === null;
  if (lacksPolicies || problems.some(({ severity }) => severity === 'error')) return err(problems);

  // The verifier warms up while the store opens.
  const warmUp = complete.saml === null ? null : new WarmUp(parts.saml.warmUp, parts.logger);
  const proofs = await UsedProofs.acquire(complete, parts);
  if (!proofs.ok)
    return err([...problems, optionProblem('error', 'oidc', `the store of used proofs: ${proofs.error}`)]);
  const sessions = await prepareSessions(complete, parts);
  if (!sessions.ok) {
    await proofs.value.release();
    return err([...problems, sessions.error]);
  }
  // No errors from here on, so that a failed preparation leaves nothing to release.
  const keySets = ProviderKeySets.acquire(complete.oidc, parts.keySets);
  const saml = prepareSaml(complete, samlFiles, sessions.value, warmUp, parts);
  const logins = prepareLogins(complete, loginCredentials, sessions.value, parts);
  const pieces = {
    options: complete,
    methods,
    authorization,
    keySets,
    proofs: proofs.value,
    sessions: sessions.value,
    saml,
    logins,
    exchange,
    identityTokens: prepareIdentityTokens(complete, tokenKeys, parts),
  };
  const agent = assemble(pieces, parts);
  await firstLoad(keySets, saml, logins, waitMs, parts);
  const warnings = [
    ...problems,
    ...loadWarnings({ methods, keySets, saml, logins }),
    ...sharedProviderKeyWarnings(keySets.providers, tokenKeys),
  ];
  return ok({ agent, warnings });
};
