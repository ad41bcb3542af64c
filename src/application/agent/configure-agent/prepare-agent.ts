import { agentDefaults, type EntrySource } from '../../../domain/agent/configuration/agent-configuration.js';
import {
  type CompleteAgentOptions,
  completeAgentOptions,
} from '../../../domain/agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import { shownEntryFile } from '../../../domain/agent/configuration/credential-entries.js';
import { providerLabel } from '../../../domain/agent/configuration/oidc-option-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { alwaysOwned, omittedClaimsHeader, ownedHeaders } from '../../../domain/http/owned-headers.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import { AgentEndpoints } from '../agent-service/agent-endpoints.js';
import { AuthenticateRequest } from '../authenticate/authenticate-request.js';
import type { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { IdentityProviderTrust } from '../sign-on/saml/trust/identity-provider-trust.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import { ProviderKeySets, type ProviderKeys } from './agent-key-sets.js';
import type { AgentParts } from './agent-parts.js';
import { authenticationChecks } from './authentication-checks.js';
import { optionProblem } from './option-problem.js';
import { prepareAuthorization } from './prepare-authorization.js';
import { type PreparedMethods, prepareMethods } from './prepare-methods.js';
import { prepareTokenExchange } from './prepare-token-exchange.js';
import type { PreparedAgent, PreparedAgentWithWarnings } from './prepared-agent.js';
import { PreparedSaml } from './prepared-saml.js';
import { type ReadTokenExchange, readTokenExchange } from './read-token-exchange.js';
import { readSamlFiles, type SamlFiles } from './saml-files.js';
import { WarmUp } from './warm-up.js';

/** The header of the client certificate, with the one that may stand beside it (RFC 9440, section 2.3). */
const certificateHeaders = ({ mtls, clientCertHeader: name }: CompleteAgentOptions): string[] => {
  // The default name is removed everywhere.
  if (mtls === null && name === agentDefaults.clientCertHeader) return [];
  return canonicalName(name) === 'client-cert' ? [name, 'Client-Cert-Chain'] : [name];
};

/** The headers that receive attributes of single sign-on. */
const mappedHeaders = ({ saml }: CompleteAgentOptions): string[] =>
  saml?.attributeMapping.map(({ header }) => header) ?? [];

/** What the gateway strips from what clients send; what it sets itself afterwards is not touched. */
export const identityHeaderPatterns = (options: CompleteAgentOptions): readonly string[] => [
  options.userIdHeader,
  options.authMethodHeader,
  'X-Auth-Claim-*',
  omittedClaimsHeader,
  'X-Client-Cert-CN',
  'X-Client-Cert-DN',
  ...certificateHeaders(options),
  ...mappedHeaders(options),
];

/**
 * What is removed on the way to the upstream: whatever tells an identity, and the credentials that are not forwarded.
 * A certificate is one that is forwarded only where credentials are forwarded by name, and where certificates are
 * read: else nobody has checked it.
 */
export const removablePatterns = (options: CompleteAgentOptions): readonly string[] => {
  const { forwardCredentials, mtls, userIdHeader, authMethodHeader, apiKeyHeader } = options;
  const certificates = certificateHeaders(options);
  if (forwardCredentials === 'all') {
    const forwarded = new Set(mtls === null ? [] : certificates.map(canonicalName));
    const others = alwaysOwned.filter((name) => !forwarded.has(canonicalName(name)));
    return [...others, userIdHeader, authMethodHeader, ...mappedHeaders(options)];
  }
  const patterns = [...alwaysOwned, userIdHeader, authMethodHeader, ...certificates, ...mappedHeaders(options)];
  if (apiKeyHeader !== null) patterns.push(apiKeyHeader);
  return forwardCredentials === 'none' ? [...patterns, 'Authorization'] : patterns;
};

/**
 * Opens the stores, and begins to see to the identity provider; null where it is not configured. What is made has to
 * be released.
 */
const prepareSaml = async (
  options: CompleteAgentOptions,
  files: SamlFiles | null,
  parts: AgentParts,
): Promise<Result<PreparedSaml | null, AgentOptionProblem>> => {
  const { saml } = options;
  if (saml === null || files === null) return ok(null);
  const warmUp = new WarmUp(parts.saml.warmUp, parts.logger);
  const stores = await parts.saml.stores.acquire(saml.store, saml.entityId);
  if (!stores.ok) return err(optionProblem('error', 'saml', `the session store: ${stores.error}`));
  const trust = parts.saml.trusts.acquire(saml.identityProvider, files.certificates);
  return ok(new PreparedSaml(saml, options, files, { stores: stores.value, trust }, warmUp, parts));
};

/** What there is to say where the identity provider is not known yet. Its metadata is fetched until it is. */
const missingMetadata = (trust: IdentityProviderTrust): AgentOptionProblem[] => {
  if (trust.state() !== 'absent') return [];
  const reason = trust.lastFailure() ?? 'there is no answer yet';
  const message = `the metadata of the identity provider cannot be had, and nobody can sign on: ${reason}`;
  return [optionProblem('warning', 'saml', message)];
};

/**
 * What there is to say of the identity provider as it is known by now; what changes later, the log is told. To be
 * called once.
 */
const providerWarnings = ({ trust, signingDemand }: PreparedSaml): AgentOptionProblem[] => [
  ...missingMetadata(trust),
  ...signingDemand.begin(),
];

/** Whether the verifier takes what the key signs. What is signed to find out says nothing, and is not kept. */
const isOneKey = async (key: Pick<SigningKey, 'sign'>, verifier: TokenVerifier): Promise<boolean> => {
  try {
    return verifier.isSigned(await key.sign('JWT', '{}'));
  } catch {
    // What cannot be signed opens nothing.
    return false;
  }
};

/**
 * Warns where bearer tokens are verified with the key that issued tokens are signed with, and nothing keeps the ones
 * from the others: a token that was narrowed to one service would be good for every route here.
 */
export const openedByOwnTokens = async (
  { jwt, tokenExchange }: Pick<CompleteAgentOptions, 'jwt' | 'tokenExchange'>,
  verifier: TokenVerifier | null,
  signingKey: Pick<SigningKey, 'sign'>,
): Promise<readonly AgentOptionProblem[]> => {
  if (jwt === null || tokenExchange === null || verifier === null || jwt.audience !== null) return [];
  // Tokens of another issuer alone are taken.
  if (jwt.issuer !== null && jwt.issuer !== tokenExchange.issuer) return [];
  if (!(await isOneKey(signingKey, verifier))) return [];
  const name = jwt.key.algorithm === 'HS256' ? 'jwt-secret' : 'jwt-public-key';
  const message = `signing-key-file: the first key is that of ${name}, and jwt-audience is not given: every token that is issued opens everything here`;
  const problem = optionProblem('warning', 'token-exchange', message, { key: 'signing-key-file' });
  return [{ ...problem, suggestion: 'take a key of its own, or set jwt-audience' }];
};

interface ReadEntryFiles {
  /** By their paths. */
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
      // An empty text keeps the rules from reporting the same file once more.
      texts.set(path, text.ok ? text.value : '');
      if (text.ok) continue;
      problems.push(optionProblem('error', option, `entry ${index + 1}: ${shownEntryFile(path)} ${text.error}`));
    }
  };
  await read('api-keys', options.apiKeys ?? []);
  await read('basic-auth-users', options.basicAuthUsers ?? []);
  return { texts, problems };
};

/** What verifies the tokens of others, by the settings for bearer tokens. */
export const bearerTokens = (
  { jwt }: Pick<CompleteAgentOptions, 'jwt'>,
  { jwtVerifier }: Pick<PreparedMethods, 'jwtVerifier'>,
  providers: readonly ProviderKeys[],
  clock: Clock,
): BearerTokens => {
  const oidc = providers.length === 0 ? null : new ProviderTokens(providers, clock);
  if (jwt === null || jwtVerifier === null) return { oidc, jwt: null };
  const { key, issuer, audience } = jwt;
  const rules = { issuer, audiences: audience === null ? [] : [audience], clockSkewMs: agentDefaults.clockSkewMs };
  return { oidc, jwt: new JwtTokens({ algorithm: key.algorithm, rules, verifier: jwtVerifier, clock }) };
};

/** How long a configuration waits for key sets and metadata that it is the first to use, in milliseconds. */
const keySetWaitMs = 3_000;

/** Providers whose keys are not there yet. They are fetched until they are. */
const missingKeys = ({ providers }: ProviderKeySets): AgentOptionProblem[] =>
  providers.flatMap(({ options, keys }, index) => {
    if (keys.state() !== 'absent') return [];
    const reason = keys.lastFailure() ?? 'there is no answer yet';
    const message = `${providerLabel(options, index)}: its keys cannot be had, and no token of it can be judged: ${reason}`;
    return [optionProblem('warning', 'oidc', message)];
  });

/** What an agent is assembled of. */
interface AgentPieces {
  readonly options: CompleteAgentOptions;
  readonly methods: PreparedMethods;
  readonly authorization: AuthorizeRequest | null;
  readonly keySets: ProviderKeySets;
  readonly saml: PreparedSaml | null;
  readonly exchange: ReadTokenExchange | null;
}

/** A certificate is a credential itself, or a token is bound to it. */
const readsCertificates = ({ mtls, jwt, oidc }: CompleteAgentOptions): boolean =>
  mtls !== null || jwt !== null || oidc.length > 0;

const assemble = (
  { options, methods, authorization, keySets, saml, exchange }: AgentPieces,
  parts: AgentParts,
): PreparedAgent => {
  const bearer = bearerTokens(options, methods, keySets.providers, parts.clock);
  const checks = authenticationChecks(options, methods, bearer, saml?.sessions ?? null, parts);
  const tokenExchange = exchange === null ? null : prepareTokenExchange(exchange, bearer, saml, parts);
  return {
    authentication: new AuthenticateRequest(checks, {
      apiKey: options.apiKeyHeader,
      certificate: readsCertificates(options) ? options.clientCertHeader : null,
      sessionCookie: options.saml?.cookie.name ?? null,
    }),
    authorization,
    methods: checks.map((check) => check.method),
    identityHeaderPatterns: identityHeaderPatterns(options),
    removable: ownedHeaders(removablePatterns(options)),
    // An agent that can accept nothing has nothing to be lenient about: it is not set up yet.
    failOpen: options.failOpen && checks.length > 0,
    keySets,
    endpoints: new AgentEndpoints([saml?.signOn, tokenExchange?.endpoint].filter((endpoint) => endpoint !== undefined)),
    saml,
    tokenExchange,
    forwardsCookies: options.forwardCredentials === 'all',
    onChange: (listener) => {
      const ends = [keySets.onChange(listener), saml?.onChange(listener)];
      return () => {
        for (const end of ends) end?.();
      };
    },
    release: async () => {
      keySets.release();
      await saml?.release();
    },
  };
};

/** Resolves when keys and metadata have been fetched, or could not be, at the latest after `waitMs`. */
const firstLoad = async (
  keySets: ProviderKeySets,
  saml: PreparedSaml | null,
  waitMs: number,
  { scheduler }: AgentParts,
): Promise<void> => {
  const loads = Promise.all([...keySets.providers.map(({ keys }) => keys.firstLoad()), saml?.trust.firstLoad()]);
  await new Promise<void>((resolve) => {
    const deadline = scheduler.after(waitMs, resolve);
    void loads.then(() => {
      deadline.cancel();
      resolve();
    });
  });
};

/**
 * Checks every option, reads the files they name, and makes an agent of them. Errors are all of those that were
 * found. An agent that is made holds key sets, metadata and stores: it has to be released once it is of no more use.
 */
export const prepareAgent = async (
  options: AgentOptions,
  parts: AgentParts,
  waitMs = keySetWaitMs,
): Promise<Result<PreparedAgentWithWarnings, readonly AgentOptionProblem[]>> => {
  const entries = await readEntryFiles(options, parts.files);
  const completed = completeAgentOptions(options, entries.texts);
  const problems = [...entries.problems, ...completed.problems];
  const complete = completed.options;
  if (complete === null) return err(problems);
  const methods = await prepareMethods(complete, parts, problems);
  const samlFiles = complete.saml === null ? null : await readSamlFiles(complete.saml, parts, problems);
  const exchange = await readTokenExchange(complete, parts, problems);
  if (exchange !== null)
    problems.push(...(await openedByOwnTokens(complete, methods.jwtVerifier, exchange.files.keys[0])));
  const authorization = await prepareAuthorization(complete, parts, problems);
  // Policies that are wanted and not there must never mean that everything is allowed.
  const lacksPolicies = complete.authz !== null && authorization === null;
  if (lacksPolicies || problems.some(({ severity }) => severity === 'error')) return err(problems);

  const saml = await prepareSaml(complete, samlFiles, parts);
  if (!saml.ok) return err([...problems, saml.error]);
  // Nothing can be refused from here on, so that whoever gets an error has nothing to release.
  const keySets = ProviderKeySets.acquire(complete.oidc, parts.keySets);
  const agent = assemble({ options: complete, methods, authorization, keySets, saml: saml.value, exchange }, parts);
  await firstLoad(keySets, saml.value, waitMs, parts);
  const missing = [...missingKeys(keySets), ...(saml.value === null ? [] : providerWarnings(saml.value))];
  return ok({ agent, warnings: [...problems, ...missing] });
};
