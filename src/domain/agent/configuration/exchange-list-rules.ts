import type { ExchangeReport } from './exchange-report.js';

/** Entries of one list, at the most. */
const maximumEntries = 1000;

/** Checks that a list is not too long, and that no entry is there twice. Its entries are named by their numbers. */
export const checkExchangeList = (
  key: string,
  entries: readonly string[],
  report: ExchangeReport,
  maximum = maximumEntries,
): void => {
  if (entries.length > maximum) report.error(`${key} has more than ${maximum} entries`, key);
  const seen = new Set<string>();
  for (const [index, entry] of entries.slice(0, maximum).entries()) {
    if (seen.has(entry)) report.error(`${key}: entry ${index + 1} is an earlier one once more`, key);
    seen.add(entry);
  }
};
