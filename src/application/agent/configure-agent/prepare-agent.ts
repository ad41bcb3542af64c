import type { AgentOptions, CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { completeAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { providerLabel } from '../../../domain/agent/configuration/oidc-option-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { ownedHeaders } from '../../../domain/http/owned-headers.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { AgentEndpoints } from '../agent-service/agent-endpoints.js';
import { AuthenticateRequest } from '../authenticate/authenticate-request.js';
import type { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { AgentParts } from './agent-parts.js';
import { authenticationChecks } from './authentication-checks.js';
import { bearerTokens } from './bearer-tokens.js';
import { identityHeaderPatterns, removablePatterns } from './header-patterns.js';
import { openedByOwnTokens } from './opened-by-own-tokens.js';
import { optionProblem } from './option-problem.js';
import { prepareAuthorization } from './prepare-authorization.js';
import { type PreparedMethods, prepareMethods } from './prepare-methods.js';
import { prepareSaml, providerWarnings } from './prepare-saml.js';
import { prepareTokenExchange } from './prepare-token-exchange.js';
import type { PreparedAgent, PreparedAgentWithWarnings } from './prepared-agent.js';
import type { PreparedSaml } from './prepared-saml.js';
import { ProviderKeySets } from './provider-key-sets.js';
import { readEntryFiles } from './read-entry-files.js';
import { type ReadTokenExchange, readTokenExchange } from './read-token-exchange.js';
import { readSamlFiles } from './saml-files.js';

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
 * Checks every option, reads the files they name, and makes an agent of them. Errors are all of those that were found. An
 * agent that is made holds key sets, metadata and stores: it has to be released once it is of no more use.
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
