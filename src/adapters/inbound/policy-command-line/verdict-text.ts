import type { PolicyError } from '../../../domain/agent/policy/evaluate/decision.js';
import type { Judgement } from '../../../domain/agent/policy/test-cases/judge-request.js';

/** Policies that one line names, at the most. */
const mostNamed = 20;

const refusals: Readonly<Record<Extract<Judgement, { kind: 'refused' }>['reason'], string>> = {
  principal_missing: 'deny: principal_missing: the identity has no claim that names the principal',
  roles_unusable:
    'deny: roles_unusable: its roles are no list of texts, or are more, or longer, than policies can be asked about',
};

/** Ids of policies in quotes. */
export const namesText = (policies: readonly string[]): string => {
  const shown = policies.slice(0, mostNamed).map((id) => `"${id}"`);
  return [...shown, ...(policies.length > mostNamed ? [`and ${policies.length - mostNamed} more`] : [])].join(', ');
};

/** The decision and what made it, on one line. */
export const verdictText = (judgement: Judgement): string => {
  if (judgement.kind === 'refused') return refusals[judgement.reason];
  const { decision, because, policies } = judgement.verdict;
  switch (because) {
    case 'policies':
      return `${decision} by ${namesText(policies)}`;
    case 'default':
      return `${decision} by default: no policy decides`;
    case 'error':
      return `${decision} by ${namesText(policies)}, which cannot be evaluated`;
  }
};

/** What went wrong in a policy, on one line. */
export const policyErrorText = ({ policyId, error }: PolicyError): string =>
  `"${policyId}": ${error.code}: ${error.message}`;
