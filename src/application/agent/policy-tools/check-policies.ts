import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { PolicyFiles } from '../../ports/agent/policy-files.js';
import { loadPolicySet, type PolicySet } from './policy-set.js';

export interface PolicyCounts {
  readonly policies: number;
  readonly templates: number;
}

export interface PolicyCheck {
  readonly problems: readonly ConfigurationProblem[];
  /** Null on an error. */
  readonly counts: PolicyCounts | null;
}

/** Policies to check, and the prefix of their problems. */
export interface CheckedSet {
  readonly set: PolicySet;
  readonly prefix: string;
}

/** Reads and checks sets of policies separately. `strict` applies strict checks to all of them. */
export const checkPolicies = async (
  sets: readonly CheckedSet[],
  strict: boolean,
  files: PolicyFiles,
): Promise<PolicyCheck> => {
  const problems: ConfigurationProblem[] = [];
  const counts = { policies: 0, templates: 0 };
  let failed = false;
  for (const { set, prefix } of sets) {
    const loaded = await loadPolicySet({ ...set, strict: set.strict || strict }, files);
    for (const problem of loaded.problems) {
      if (problem.severity === 'error') failed = true;
      problems.push({ ...problem, message: `${prefix}${problem.message}` });
    }
    if (loaded.policies === null) failed = true;
    counts.policies += loaded.policies?.policies.length ?? 0;
    counts.templates += loaded.policies?.templates.length ?? 0;
  }
  return { problems, counts: failed ? null : counts };
};
