import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { AgentOptionProblem, OptionPlace, OptionSource } from '../../configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../configuration/configuration-problem.js';
import type { AgentOptionName } from './agent-options-schema.js';

/** A problem of an option as one of a configuration; `prefix` tells whose option it is. */
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

/** The problem at a place that was found for it. */
export const locatedProblem = (problem: AgentOptionProblem, found: OptionSource | null): AgentOptionProblem =>
  found === null ? problem : { ...problem, source: found };

/** What is wrong, in one line for a log or a refusal: with its place, without the text that stands there. */
export const optionProblemText = ({ option, message, source }: AgentOptionProblem): string => {
  if (source === undefined) return `${option}: ${message}`;
  const { file, line, column } = source.position;
  return `${option}: ${file}:${line}:${column}: ${message}`;
};

/** A key; one that is concealed may hold a secret, so that only its place is shown. */
type ReportedKey = string | { readonly concealed: string };

/**
 * Takes what is wrong with a key of the `token-exchange` block, or of one of its clients; without a key, with the
 * whole.
 */
export interface ExchangeReport {
  error(message: string, key?: ReportedKey, suggestion?: string): void;
  warning(message: string, key?: ReportedKey, suggestion?: string, id?: AdviceId): void;
}

/** A client of the block, by its number and by what messages call it. */
export interface ReportedClient {
  readonly client: number;
  readonly label: string;
}

const placeOf = (key: ReportedKey | undefined): OptionPlace => {
  if (key === undefined) return {};
  return typeof key === 'string' ? { key } : { key: key.concealed, isConcealed: true };
};

/** The report of the block, or of one of its clients. */
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

/** Takes what is wrong with a key of the `saml` block; without a key, with the block as a whole. */
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

/** Takes what is wrong with an option. No text may hold a secret. */
export type OptionReport = (
  option: AgentOptionName,
  message: string,
  suggestion?: string,
  place?: OptionPlace,
  /** The stable name of a warning about safety. */
  id?: AdviceId,
) => void;
