import { flatText } from './flat-text.js';
import { agentMetricsLimits } from './metric-limits.js';

const nameForm = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Control characters, line breaks and lone surrogates, which UTF-8 cannot distinguish. */
const unfitCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const unfitCharacters = new RegExp(unfitCharacter, 'gu');

/** Labels that the gateway sets. */
const ownLabels: ReadonlySet<string> = new Set(['agent', 'instance', 'le']);

const isName = (text: string): boolean => text.length <= agentMetricsLimits.nameLength && nameForm.test(text);

/** Whether a text is a valid name of an agent's family. */
export const isMetricName = isName;

const isLabelName = (text: string): boolean => isName(text) && !text.startsWith('__') && !ownLabels.has(text);

const isLabelValue = (text: string): boolean =>
  text.length <= agentMetricsLimits.labelValueLength && !unfitCharacter.test(text);

/** Labels of a series, sorted by name. */
export type SortedLabels = readonly (readonly [name: string, value: string])[];

/** Null: a label is invalid. An empty label counts as absent. */
export const sortedLabels = (labels: Readonly<Record<string, string>>): SortedLabels | null => {
  const entries = Object.entries(labels).filter(([, value]) => value !== '');
  if (entries.length > agentMetricsLimits.labels) return null;
  if (!entries.every(([name, value]) => isLabelName(name) && isLabelValue(value))) return null;
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
};

/** Labels of a stored series. */
export const keptLabels = (labels: SortedLabels): Readonly<Record<string, string>> =>
  Object.fromEntries(labels.map(([name, value]) => [flatText(name), flatText(value)]));

/** The help of a family, as one line of limited length. */
export const helpText = (help: string | null): string => {
  const start = flatText((help ?? '').slice(0, agentMetricsLimits.helpLength));
  const line = start.replace(unfitCharacters, ' ').trim();
  return line === '' ? 'Reported by agents.' : line;
};
