import type { AuthzOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { noPolicies } from '../../../domain/agent/configuration/authz-option-rules.js';
import { inlinePolicies } from '../../../domain/agent/configuration/inline-policies.js';
import { policyLimits } from '../../../domain/agent/policy/policy-limits.js';
import { type LoadedPolicies, loadPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { modelProblems } from '../../../domain/agent/policy/policy-source/model-problems.js';
import type { PolicyLink } from '../../../domain/agent/policy/policy-source/policy-source.js';
import { type ConfigurationProblem, unplacedProblem } from '../../../domain/configuration/configuration-problem.js';
import type { PolicyFile, PolicyFiles } from '../../ports/agent/policy-files.js';

/** Policies that are used together. */
export interface PolicySet {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Policy texts. */
  readonly inline: readonly string[];
  readonly links: readonly PolicyLink[];
  /** Whether a policy that can never take effect is an error. */
  readonly strict: boolean;
  /** Whether a principal can have roles. */
  readonly rolesPossible: boolean;
  /** The decision without policies; null: unknown, or not to be checked. */
  readonly defaultDecision: AuthzOptions['defaultDecision'] | null;
  /** Ignores links to unknown templates: they are for other policies. */
  readonly lenient: boolean;
}

export interface LoadedPolicySet {
  /** Null on an error that leaves no policies. An error from strict checks leaves them. */
  readonly policies: LoadedPolicies | null;
  /** Errors and warnings. */
  readonly problems: readonly ConfigurationProblem[];
}

const readSources = async (paths: readonly string[], files: PolicyFiles) => {
  const sources = new Map<string, PolicyFile>();
  const problems: ConfigurationProblem[] = [];
  for (const path of paths) {
    const read = await files.read(path);
    if (!read.ok) {
      problems.push(...read.error.map(({ name, reason }) => unplacedProblem('error', `${name} ${reason}`)));
      continue;
    }
    for (const file of read.value) {
      if (sources.has(file.name)) problems.push(unplacedProblem('error', `${file.name} is given twice`));
      sources.set(file.name, file);
    }
  }
  return { sources: [...sources.values()], problems };
};

const load = (sources: readonly PolicyFile[], { links, lenient }: PolicySet) => {
  const all = loadPolicies(sources, lenient ? [] : links, 'extended', policyLimits);
  if (!lenient || !all.ok || all.value.templates.length === 0) return all;
  const templates = new Set(all.value.templates.map(({ id }) => id));
  const fitting = links.filter(({ template }) => templates.has(template));
  return loadPolicies(sources, fitting, 'extended', policyLimits);
};

/** Reads policies in the agent's language, and reports what is doubtful about them. */
export const loadPolicySet = async (set: PolicySet, files: PolicyFiles): Promise<LoadedPolicySet> => {
  const read = await readSources(set.paths, files);
  const sources = [...read.sources, ...inlinePolicies(set.inline)];
  const loaded = load(sources, set);
  if (!loaded.ok) {
    // A link may refer to a template of an unreadable file, which is already reported.
    const told = read.problems.length > 0 ? loaded.error.filter(({ position }) => position !== null) : loaded.error;
    return { policies: null, problems: [...read.problems, ...told] };
  }
  if (read.problems.length > 0) return { policies: null, problems: read.problems };
  const problems = modelProblems(loaded.value, set);
  // The option checks already report missing sources.
  if (set.defaultDecision === null || loaded.value.policies.length > 0 || sources.length === 0) {
    return { policies: loaded.value, problems };
  }
  const { severity, message, suggestion } = noPolicies(set.defaultDecision);
  return {
    policies: loaded.value,
    problems: [...problems, { severity, message, suggestion, position: null, line: null }],
  };
};
