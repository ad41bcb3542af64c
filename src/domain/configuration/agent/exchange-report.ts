import type { AgentOptionProblem } from '../agent-configuration.js';
import type { OptionReport } from './option-report.js';

/** Takes what is wrong with a key of the `token-exchange` block, or of one of its clients; without a key, with the whole. */
export interface ExchangeReport {
  error(message: string, key?: string, suggestion?: string): void;
  warning(message: string, key?: string, suggestion?: string): void;
}

/** A client of the block, by its number and by what messages call it. */
export interface ReportedClient {
  readonly client: number;
  readonly label: string;
}

/** The report of the block, or of one of its clients. */
export const exchangeReport = (
  reports: Readonly<Record<AgentOptionProblem['severity'], OptionReport>>,
  of: ReportedClient | null = null,
): ExchangeReport => {
  const reported =
    (severity: AgentOptionProblem['severity']) =>
    (message: string, key?: string, suggestion?: string): void => {
      const text = of === null ? message : `${of.label}: ${message}`;
      const place = { ...(of !== null && { client: of.client }), ...(key !== undefined && { key }) };
      const isWhole = of === null && key === undefined;
      reports[severity]('token-exchange', text, suggestion, isWhole ? undefined : place);
    };
  return { error: reported('error'), warning: reported('warning') };
};
