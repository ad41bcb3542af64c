import type { PolicyCheck } from '../../../application/agent/policy-tools/check-policies.js';
import type { CommandOutput } from './command-output.js';
import { counted, problemCounts, problemsText } from './problem-text.js';

/** What `policy check` says of policies. */
export const checkReport = ({ problems, counts }: PolicyCheck): CommandOutput => {
  const told = problemCounts(problems);
  if (counts === null) return { result: '', messages: `${problemsText(problems)}${told}\n`, exitCode: 1 };
  const templates = counts.templates === 0 ? '' : `, ${counted(counts.templates, 'template')}`;
  const found = told === '' ? 'nothing is wrong' : told;
  return {
    result: `${counts.policies} ${counts.policies === 1 ? 'policy' : 'policies'}${templates}: ${found}\n`,
    messages: problemsText(problems),
    exitCode: 0,
  };
};
