import type { ExplainedDecision } from '../../../application/agent/policy-tools/explain-request.js';
import type { CommandOutput } from './command-output.js';
import { explanationJson } from './explanation-json.js';
import { explanationText } from './explanation-text.js';
import { PolicySourcesText } from './policy-sources-text.js';
import { problemsText } from './problem-text.js';

/** What `policy explain` says of a request. */
export const explainReport = ({ explanation, problems }: ExplainedDecision, json: boolean): CommandOutput => {
  const messages = problemsText(problems);
  if (explanation === null) return { result: '', messages, exitCode: 1 };
  const { decision, policies } = explanation;
  const sources = new PolicySourcesText(policies);
  const result = json
    ? `${JSON.stringify(explanationJson(decision, sources), null, 2)}\n`
    : explanationText(decision, sources);
  return { result, messages, exitCode: 0 };
};
