import type { JsonObject } from '../../shared/json.js';
import type { AgentOptionName, AgentOptions } from '../agent-configuration.js';
import { completeAgentOptions } from '../agent-option-rules.js';
import type { ConfigurationProblem } from '../configuration-problem.js';
import { ProblemReport } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';
import type { ReadContext } from '../schema/schema.js';
import type { Setting } from '../setting/setting.js';
import { settingsFromJson } from '../setting/setting-json.js';
import { agentOptionField, agentOptionsShape, toAgentOptions } from './agent-options-schema.js';

/** What came of reading the options of an agent from one source. */
export interface DecodedAgentOptions {
  /** Null where there was any error. */
  readonly options: AgentOptions | null;
  readonly problems: readonly ConfigurationProblem[];
}

/** Reads a config block, with its problems reported where they stand. */
export const readAgentOptions = (settings: readonly Setting[], context: ReadContext): AgentOptions =>
  toAgentOptions(readMembers(agentOptionsShape, settings, context));

/**
 * Reads a config block as `readAgentOptions` does, and checks its options against each other too. The entries of files
 * are left to the agent, which reads them.
 */
export const checkAgentOptions = (settings: readonly Setting[], context: ReadContext): void => {
  const fields = readMembers(agentOptionsShape, settings, context);
  const options = toAgentOptions(fields);
  const literal = {
    ...options,
    ...(options.apiKeys && { apiKeys: options.apiKeys.filter((source) => source.kind === 'entry') }),
    ...(options.basicAuthUsers && {
      basicAuthUsers: options.basicAuthUsers.filter((source) => source.kind === 'entry'),
    }),
  };
  for (const problem of completeAgentOptions(literal, new Map()).problems) {
    const field = agentOptionField(fields, problem.option);
    if (!field.sound) continue;
    // Messages about headers name them; those about secrets name nothing.
    const message =
      field.hidden === true && problem.option.endsWith('-header') ? 'it cannot be used here' : problem.message;
    context.report.add(`"${problem.option}": ${message}`, {
      severity: problem.severity,
      position: field.position ?? context.position,
      path: context.path,
      suggestion: problem.suggestion,
    });
  }
};

const decode = (read: (report: ProblemReport) => AgentOptions | null): DecodedAgentOptions => {
  const report = new ProblemReport(() => null);
  const options = read(report);
  return { options: report.hasErrors ? null : options, problems: report.problems };
};

/** Reads the options of a config block that was handed over as JSON; null says that there is none. */
export const decodeAgentOptions = (json: JsonObject | null): DecodedAgentOptions =>
  decode((report) => {
    if (json === null) return {};
    const settings = settingsFromJson(json);
    if (settings.ok) return readAgentOptions(settings.value, { report, path: ['config'], position: null });
    report.add(settings.error, { position: null, path: ['config'] });
    return null;
  });

/** An option that came as text: a flag or an environment variable. */
export interface AgentOptionText {
  readonly option: AgentOptionName;
  readonly text: string;
  /** How messages name it, as in `--jwt-secret` or `JWT_SECRET`. */
  readonly source: string;
}

/** Reads options that came as text. No message holds a text that was given. */
export const decodeAgentOptionTexts = (texts: readonly AgentOptionText[]): DecodedAgentOptions =>
  decode((report) => {
    let options: AgentOptions = {};
    for (const { option, text, source } of texts) {
      const setting: Setting = {
        name: option,
        args: [{ value: text, position: null, hidden: true }],
        properties: [],
        children: null,
        position: null,
        listed: false,
      };
      options = { ...options, ...readAgentOptions([setting], { report, path: [source], position: null }) };
    }
    return options;
  });
