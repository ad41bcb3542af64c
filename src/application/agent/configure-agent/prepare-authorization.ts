import type { AuthzOptions, TemplateLinkOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { noPolicies } from '../../../domain/agent/configuration/authz-option-rules.js';
import { inlinePolicies } from '../../../domain/agent/configuration/inline-policies.js';
import { policyLimits } from '../../../domain/agent/policy/policy-limits.js';
import { type LoadedPolicies, loadPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { type ModelRules, modelProblems } from '../../../domain/agent/policy/policy-source/model-problems.js';
import type { PolicyLink, PolicySource } from '../../../domain/agent/policy/policy-source/policy-source.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { Result } from '../../../domain/shared/result.js';
import type { PolicyFile, PolicyFiles } from '../../ports/agent/policy-files.js';
import { AuthorizeRequest } from '../authorize/authorize-request.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';

/** The texts of policies, or the problems with them. */
interface ReadPolicySources {
  readonly sources: readonly PolicyFile[];
  readonly problems: readonly AgentOptionProblem[];
}

/** Reads the files and folders of a key. A file that is named twice is an error. */
const readPolicySources = async (
  key: 'policy-file' | 'shadow-policy-file',
  paths: readonly string[],
  files: PolicyFiles,
): Promise<ReadPolicySources> => {
  const sources = new Map<string, PolicyFile>();
  const problems: AgentOptionProblem[] = [];
  const complain = (message: string) => problems.push(optionProblem('error', 'authz', `${key}: ${message}`));
  for (const path of paths) {
    const read = await files.read(path);
    if (!read.ok) {
      for (const { name, reason } of read.error) complain(`${name} ${reason}`);
      continue;
    }
    for (const file of read.value) {
      if (sources.has(file.name)) complain(`${file.name} is given twice`);
      sources.set(file.name, file);
    }
  }
  return { sources: [...sources.values()], problems };
};

const toLink = (link: TemplateLinkOptions): PolicyLink => ({ ...link, position: null, line: null });

const toOptionProblem =
  (prefix: string) =>
  ({ severity, message, position, line, suggestion }: ConfigurationProblem): AgentOptionProblem => ({
    severity,
    option: 'authz',
    message: `${prefix}${message}`,
    suggestion,
    ...(position !== null && { source: { position, line } }),
  });

const load = (sources: readonly PolicySource[], links: readonly PolicyLink[]) =>
  loadPolicies(sources, links, 'extended', policyLimits);

/** Shadow policies may lack templates: a trial may be to remove them. */
const loadShadow = (sources: readonly PolicySource[], links: readonly PolicyLink[]): ReturnType<typeof load> => {
  const unlinked = load(sources, []);
  if (!unlinked.ok || unlinked.value.templates.length === 0) return unlinked;
  const templates = new Set(unlinked.value.templates.map(({ id }) => id));
  return load(
    sources,
    links.filter(({ template }) => templates.has(template)),
  );
};

/** The loaded policies; null on an error. Adds problems to the list. */
const checked = (
  loaded: Result<LoadedPolicies, readonly ConfigurationProblem[]>,
  rules: ModelRules,
  prefix: string,
  problems: AgentOptionProblem[],
): LoadedPolicies | null => {
  const found = loaded.ok ? modelProblems(loaded.value, rules) : loaded.error;
  problems.push(...found.map(toOptionProblem(prefix)));
  return loaded.ok && found.every(({ severity }) => severity === 'warning') ? loaded.value : null;
};

const enforcedPolicies = async (
  { policyFiles, inlinePolicies: inlineTexts, templateLinks, strictPolicies, defaultDecision }: AuthzOptions,
  rolesPossible: boolean,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<LoadedPolicies | null> => {
  const files = await readPolicySources('policy-file', policyFiles, parts.policyFiles);
  problems.push(...files.problems);
  if (files.problems.length > 0) return null;
  const sources = [...files.sources, ...inlinePolicies(inlineTexts)];
  const rules = { strict: strictPolicies, rolesPossible };
  const policies = checked(load(sources, templateLinks.map(toLink)), rules, '', problems);
  // The option checks already report missing sources.
  if (policies === null || policies.policies.length > 0 || sources.length === 0) return policies;
  const none = noPolicies(defaultDecision);
  problems.push(none);
  return none.severity === 'error' ? null : policies;
};

/** Null also without shadow policies. Doubtful shadow policies are never an error: they decide nothing. */
const shadowPolicies = async (
  { shadowPolicyFiles, templateLinks }: AuthzOptions,
  rolesPossible: boolean,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<LoadedPolicies | null> => {
  if (shadowPolicyFiles.length === 0) return null;
  const files = await readPolicySources('shadow-policy-file', shadowPolicyFiles, parts.policyFiles);
  problems.push(...files.problems);
  if (files.problems.length > 0) return null;
  const rules = { strict: false, rolesPossible };
  return checked(loadShadow(files.sources, templateLinks.map(toLink)), rules, 'shadow policies: ', problems);
};

/**
 * Reads, checks and compiles the policies, and adds problems to the list. Null if authorization is disabled, or on an
 * error.
 */
export const prepareAuthorization = async (
  { authz: options, jwt, oidc, oidcLogins, saml }: CompleteAgentOptions,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<AuthorizeRequest | null> => {
  if (options === null) return null;
  // Roles come from claims of tokens, ID tokens too, or from SAML attributes.
  const statesClaims = jwt !== null || oidc.length > 0 || oidcLogins.length > 0 || saml !== null;
  const rolesPossible = options.rolesClaim !== null && statesClaims;
  const policies = await enforcedPolicies(options, rolesPossible, parts, problems);
  const shadow = await shadowPolicies(options, rolesPossible, parts, problems);
  if (policies === null) return null;
  const { defaultDecision, onError, principalClaim, rolesClaim } = options;
  return new AuthorizeRequest({
    policies: policies.compiled,
    policyCount: policies.policies.length,
    shadow: shadow?.compiled ?? null,
    rules: { defaultDecision, onError },
    principal: { principalClaim, rolesClaim },
    logger: parts.logger,
    clock: parts.clock,
  });
};
