import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { OptionReport } from './option-report.js';

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
