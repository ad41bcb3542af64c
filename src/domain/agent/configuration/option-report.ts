import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { AgentOptionProblem, OptionPlace, OptionSource } from '../../configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../configuration/configuration-problem.js';
import type { AgentOptionName } from './agent-options-schema.js';

/** Converts a problem of an option to a configuration problem. `prefix`: the owner of the option. */
export const toConfigurationProblem = (
  { severity, option, message, suggestion, source, id }: AgentOptionProblem,
  prefix = '',
): ConfigurationProblem => ({
  severity,
  message: `${prefix}${option}: ${message}`,
  position: source?.position ?? null,
  line: source?.line ?? null,
  suggestion,
  ...(id !== undefined && { id }),
});

/** Adds a position to the problem. */
export const locatedProblem = (problem: AgentOptionProblem, found: OptionSource | null): AgentOptionProblem =>
  found === null ? problem : { ...problem, source: found };

/** The problem in one line for a log or a refusal: with its position, without the text there. */
export const optionProblemText = ({ option, message, source }: AgentOptionProblem): string => {
  if (source === undefined) return `${option}: ${message}`;
  const { file, line, column } = source.position;
  return `${option}: ${file}:${line}:${column}: ${message}`;
};

/** A key; a concealed one may contain a secret, so only its position is shown. */
type ReportedKey = string | { readonly concealed: string };

/** Reports a problem of a key of the `token-exchange` block or of a client; without a key, of the whole. */
export interface ExchangeReport {
  error(message: string, key?: ReportedKey, suggestion?: string): void;
  warning(message: string, key?: ReportedKey, suggestion?: string, id?: AdviceId): void;
}

/** A client of the block, by number and label. */
export interface ReportedClient {
  readonly client: number;
  readonly label: string;
}

const placeOf = (key: ReportedKey | undefined): OptionPlace => {
  if (key === undefined) return {};
  return typeof key === 'string' ? { key } : { key: key.concealed, isConcealed: true };
};

/** The report of the block or of a client. */
export const exchangeReport = (
  reports: Readonly<Record<AgentOptionProblem['severity'], OptionReport>>,
  of: ReportedClient | null = null,
): ExchangeReport => {
  const reported =
    (severity: AgentOptionProblem['severity']) =>
    (message: string, key?: ReportedKey, suggestion?: string, id?: AdviceId): void => {
      const text = of === null ? message : `${of.label}: ${message}`;
      const place = { ...(of !== null && { client: of.client }), ...placeOf(key) };
      const isWhole = of === null && key === undefined;
      reports[severity]('token-exchange', text, suggestion, isWhole ? undefined : place, id);
    };
  return { error: reported('error'), warning: reported('warning') };
};

/** Reports a problem of a key of the `saml` block; without a key, of the whole block. */
export interface SamlReport {
  error(message: string, key?: string, suggestion?: string): void;
  warning(message: string, key?: string, suggestion?: string, id?: AdviceId): void;
}

const reported =
  (report: OptionReport) =>
  (message: string, key?: string, suggestion?: string, id?: AdviceId): void =>
    report('saml', message, suggestion, key === undefined ? undefined : { key }, id);

export const samlReport = (error: OptionReport, warn: OptionReport): SamlReport => ({
  error: reported(error),
  warning: reported(warn),
});

/** Reports a problem of an option. No text may contain a secret. */
export type OptionReport = (
  option: AgentOptionName,
  message: string,
  suggestion?: string,
  place?: OptionPlace,
  /** The stable name of a safety warning. */
  id?: AdviceId,
) => void;
