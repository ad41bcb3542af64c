import type { AgentOptionProblem } from '../../configuration/agent-option-problem.js';
import type { ConfigurationProblem, SourcePosition } from '../../configuration/configuration-problem.js';
import { ProblemReport } from '../../configuration/schema/problem-report.js';
import { readMembers } from '../../configuration/schema/read-block.js';
import type { Fields, ReadContext } from '../../configuration/schema/schema.js';
import type { Setting } from '../../configuration/setting/setting.js';
import { settingsFromJson } from '../../configuration/setting/setting-json.js';
import type { JsonObject } from '../../shared/json.js';
import { completeAgentOptions } from './agent-option-rules.js';
import {
  type AgentOptionName,
  type AgentOptions,
  agentOptionField,
  agentOptionsShape,
  toAgentOptions,
} from './agent-options-schema.js';
import { agentEntryFiles } from './entry-option-rules.js';
import { inlinePolicyProblems, withoutInlinePlace } from './inline-policies.js';

/** The options of an agent from one source. */
export interface DecodedAgentOptions {
  /** Null on an error. */
  readonly options: AgentOptions | null;
  readonly problems: readonly ConfigurationProblem[];
}

/** Reads a config block, and reports problems at their position. */
export const readAgentOptions = (settings: readonly Setting[], context: ReadContext): AgentOptions =>
  toAgentOptions(readMembers(agentOptionsShape, settings, context));

/** The problems that need no file to be read. Entries and policies in files are left to the agent. */
export const unreadOptionProblems = (options: AgentOptions): readonly AgentOptionProblem[] => {
  const unreadFiles = new Map(agentEntryFiles(options).map((path) => [path, '']));
  return [...completeAgentOptions(options, unreadFiles).problems, ...inlinePolicyProblems(options.authz)];
};

/** The position of a problem in an inline policy. */
const placeInText = (
  fields: Fields<typeof agentOptionsShape>,
  { option, place }: AgentOptionProblem,
  report: ProblemReport,
): SourcePosition | null => {
  if (option !== 'authz' || place?.text === undefined) return null;
  const start = fields.authz.value?.['policy-inline'].value[place.text.index]?.position ?? null;
  return start === null ? null : report.placeInText(start, place.text.offset);
};

/** Where the other key of a problem is. */
const otherPlace = (fields: Fields<typeof agentOptionsShape>, { place }: AgentOptionProblem): string | null => {
  if (place?.other === undefined) return null;
  const position = agentOptionField(fields, place.other.option, { key: place.other.key }).position ?? null;
  return position === null ? null : `the other one is at ${position.file}:${position.line}:${position.column}`;
};

/** Blocks with URLs that may contain a secret. */
const withUrls: ReadonlySet<string> = new Set([
  'oidc',
  'oidc-login',
  'saml',
  'sessions',
  'token-exchange',
  'identity-token',
  'resource-metadata',
]);

/**
 * Reads a config block like `readAgentOptions`, and also checks its options against each other, without reading files.
 */
export const checkAgentOptions = (settings: readonly Setting[], context: ReadContext): void => {
  const fields = readMembers(agentOptionsShape, settings, context);
  for (const problem of unreadOptionProblems(toAgentOptions(fields))) {
    const field = agentOptionField(fields, problem.option, problem.place);
    if (!field.sound) continue;
    const isHeader = (problem.place?.key ?? problem.option).endsWith('-header');
    // Messages about headers contain their names; those about secrets contain nothing.
    const message = field.hidden === true && isHeader ? 'it cannot be used here' : problem.message;
    const { severity, id } = problem;
    const suggestion = problem.suggestion ?? otherPlace(fields, problem);
    const named = id === undefined ? {} : { id };
    const inText = placeInText(fields, problem, context.report);
    const position = inText ?? field.position ?? context.position;
    const text = `"${problem.option}": ${inText === null ? message : withoutInlinePlace(message)}`;
    if (problem.place?.isConcealed === true && position !== null) {
      context.report.append({ severity, message: text, position, line: null, suggestion, ...named });
      continue;
    }
    context.report.add(text, {
      severity,
      position,
      path: context.path,
      suggestion,
      ...named,
      // A problem of a key with a secret is located at the block.
      secret: withUrls.has(problem.option) && problem.place?.key === undefined,
    });
  }
};

const decode = (read: (report: ProblemReport) => AgentOptions | null): DecodedAgentOptions => {
  const report = new ProblemReport(() => null);
  const options = read(report);
  return { options: report.hasErrors ? null : options, problems: report.problems };
};

/** Reads the options of a config block in JSON; null means there is none. */
export const decodeAgentOptions = (json: JsonObject | null): DecodedAgentOptions =>
  decode((report) => {
    if (json === null) return {};
    const settings = settingsFromJson(json);
    if (settings.ok) return readAgentOptions(settings.value, { report, path: ['config'], position: null });
    report.add(settings.error, { position: null, path: ['config'] });
    return null;
  });

/** An option in text form: a flag or an environment variable. */
export interface AgentOptionText {
  readonly option: AgentOptionName;
  readonly text: string;
  /** Its name in messages, as in `--jwt-secret` or `JWT_SECRET`. */
  readonly source: string;
}

/** Joins the entries of a list that one source gives in several pieces. */
const joined = (before: AgentOptions, piece: AgentOptions): AgentOptions => ({
  ...(piece.apiKeys && { apiKeys: [...(before.apiKeys ?? []), ...piece.apiKeys] }),
  ...(piece.basicAuthUsers && { basicAuthUsers: [...(before.basicAuthUsers ?? []), ...piece.basicAuthUsers] }),
});

/**
 * Reads options in text form. A later source overrides an earlier one; repeated lists of one source are joined.
 * Messages never contain the texts.
 */
export const decodeAgentOptionTexts = (texts: readonly AgentOptionText[]): DecodedAgentOptions =>
  decode((report) => {
    let options: AgentOptions = {};
    const sources = new Map<AgentOptionName, string>();
    for (const { option, text, source } of texts) {
      const setting: Setting = {
        name: option,
        args: [{ value: text, position: null, hidden: true }],
        properties: [],
        children: null,
        position: null,
        listed: false,
      };
      const piece = readAgentOptions([setting], { report, path: [source], position: null });
      options = { ...options, ...piece, ...(sources.get(option) === source && joined(options, piece)) };
      sources.set(option, source);
    }
    return options;
  });
