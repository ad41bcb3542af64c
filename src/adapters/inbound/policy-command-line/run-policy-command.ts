import { agentPolicies, enforcedSetOf, shadowSetOf } from '../../../application/agent/policy-tools/agent-policies.js';
import {
  type CheckedSet,
  checkPolicies,
  type PolicyCheck,
} from '../../../application/agent/policy-tools/check-policies.js';
import {
  type ExplainedDecision,
  explainRequest,
  explainTestCase,
} from '../../../application/agent/policy-tools/explain-request.js';
import type { PolicySet } from '../../../application/agent/policy-tools/policy-set.js';
import { type PolicyTestRun, testPolicies } from '../../../application/agent/policy-tools/test-policies.js';
import type { AgentBlockReader } from '../../../application/ports/agent/agent-block-reader.js';
import type { PolicyFiles, PolicyTestSource } from '../../../application/ports/agent/policy-files.js';
import { type AuthzOptions, agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import { type CommandOutput, failedCommand } from '../../command-line/command-output.js';
import { counted, problemCounts, problemsText } from '../../command-line/terminal-text.js';
import { explanationJson } from './explanation-json.js';
import { explanationText } from './explanation-text.js';
import type { ExplainRules, ExplainSubject, PolicyCommand, PolicyLocation } from './policy-command.js';
import { PolicySourcesText } from './policy-sources-text.js';
import { testReport } from './test-report.js';

export interface PolicyCommandPorts {
  readonly files: PolicyFiles;
  readonly tests: PolicyTestSource;
  readonly agentBlocks: (file: string) => AgentBlockReader;
}

/** Policies, and what their location says about them. */
interface FoundPolicies {
  readonly set: PolicySet | null;
  /** The shadow policies; null: none. */
  readonly shadow: PolicySet | null;
  /** Null: the policies are files. */
  readonly authz: AuthzOptions | null;
  readonly problems: readonly ConfigurationProblem[];
}

const findPolicies = async (location: PolicyLocation, { agentBlocks }: PolicyCommandPorts): Promise<FoundPolicies> => {
  if (location.kind === 'files') {
    return {
      set: {
        paths: location.paths,
        inline: [],
        links: [],
        strict: false,
        rolesPossible: true,
        defaultDecision: null,
        lenient: false,
      },
      shadow: null,
      authz: null,
      problems: [],
    };
  }
  const found = await agentPolicies(agentBlocks(location.configFile), location.agentName);
  const { authz, problems } = found;
  if (authz === null) return { set: null, shadow: null, authz, problems };
  return { set: enforcedSetOf(authz, found), shadow: shadowSetOf(authz, found), authz, problems };
};

/** The output of `policy check`. */
const checkReport = ({ problems, counts }: PolicyCheck): CommandOutput => {
  const summary = problemCounts(problems);
  if (counts === null) return failedCommand(`${problemsText(problems)}${summary}\n`);
  const templates = counts.templates === 0 ? '' : `, ${counted(counts.templates, 'template')}`;
  const found = summary === '' ? 'nothing is wrong' : summary;
  return {
    stdout: `${counts.policies} ${counts.policies === 1 ? 'policy' : 'policies'}${templates}: ${found}\n`,
    stderr: problemsText(problems),
    exitCode: 0,
  };
};

const check = async (
  { location, strict }: Extract<PolicyCommand, { kind: 'check' }>,
  parts: PolicyCommandPorts,
): Promise<CommandOutput> => {
  const { set, shadow, problems } = await findPolicies(location, parts);
  if (set === null) return checkReport({ problems, counts: null });
  const sets: CheckedSet[] = [{ set, prefix: '' }];
  if (shadow !== null) sets.push({ set: shadow, prefix: 'shadow policies: ' });
  const found = await checkPolicies(sets, strict, parts.files);
  return checkReport({ ...found, problems: [...problems, ...found.problems] });
};

const test = async (
  { files, quiet }: Extract<PolicyCommand, { kind: 'test' }>,
  parts: PolicyCommandPorts,
): Promise<CommandOutput> => {
  const runs: PolicyTestRun[] = [];
  for (const file of files) runs.push(await testPolicies(file, parts));
  return testReport(runs, quiet);
};

/** Flags before the block, and the block before the defaults; with roles where there is no block to say otherwise. */
const settingsOf = (given: ExplainRules, authz: AuthzOptions | null) => ({
  rules: {
    defaultDecision: given.defaultDecision ?? authz?.defaultDecision ?? 'deny',
    onError: given.onError ?? authz?.onError ?? 'deny',
  },
  claims: {
    principalClaim: given.principalClaim ?? authz?.principalClaim ?? agentDefaults.principalClaim,
    rolesClaim: given.rolesClaim ?? (authz === null ? 'roles' : authz.rolesClaim),
  },
});

/** The output of `policy explain`. */
const explainReport = ({ explanation, problems }: ExplainedDecision, json: boolean): CommandOutput => {
  const stderr = problemsText(problems);
  if (explanation === null) return failedCommand(stderr);
  const { decision, policies } = explanation;
  const sources = new PolicySourcesText(policies);
  const stdout = json
    ? `${JSON.stringify(explanationJson(decision, sources), null, 2)}\n`
    : explanationText(decision, sources);
  return { stdout, stderr, exitCode: 0 };
};

const explain = async (subject: ExplainSubject, parts: PolicyCommandPorts): Promise<ExplainedDecision> => {
  if (subject.kind === 'case') return explainTestCase(subject.testFile, subject.caseName, parts);
  const { set, authz, problems } = await findPolicies(subject.location, parts);
  if (set === null) return { explanation: null, problems };
  const settings = settingsOf(subject.rules, authz);
  // A claim that is given here counts in place of the block's.
  const rolesPossible = set.rolesPossible || (subject.rules.rolesClaim ?? null) !== null;
  const found = await explainRequest(subject.request, settings, { ...set, rolesPossible }, parts.files);
  return { ...found, problems: [...problems, ...found.problems] };
};

/** Runs `policy check`, `test` or `explain`. Returns the output without writing it. */
export const runPolicyCommand = async (
  command: Extract<PolicyCommand, { kind: 'check' | 'test' | 'explain' }>,
  parts: PolicyCommandPorts,
): Promise<CommandOutput> => {
  switch (command.kind) {
    case 'check':
      return check(command, parts);
    case 'test':
      return test(command, parts);
    case 'explain':
      return explainReport(await explain(command.subject, parts), command.json);
  }
};
