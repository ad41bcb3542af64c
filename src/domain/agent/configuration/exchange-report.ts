import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { AgentOptionProblem, OptionPlace } from '../../configuration/agent-option-problem.js';
import type { OptionReport } from './option-report.js';

/** A key; one that is concealed may hold a secret, so that only its place is shown. */
export type ReportedKey = string | { readonly concealed: string };

/** Takes what is wrong with a key of the `token-exchange` block, or of one of its clients; without a key, with the whole. */
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
