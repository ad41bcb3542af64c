import { visibleText } from '../shortened-text.js';

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const countOf = (texts: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

/**
 * What is written before the number of a policy, so that no two are called the same: nothing where there is one source; else
 * the last part of its name, the whole name where several end alike, and a count where several have the same. Nothing is
 * hidden in them: the names of policies are logged.
 */
export const sourceLabels = (sources: readonly string[]): readonly string[] => {
  if (sources.length === 1) return [''];
  const names = sources.map(visibleText);
  const baseNames = names.map(baseName);
  const [sameBase, sameName] = [countOf(baseNames), countOf(names)];
  const seen = new Map<string, number>();
  return names.map((name, index) => {
    const base = baseNames[index] as string;
    if (sameBase.get(base) === 1) return `${base}/`;
    if (sameName.get(name) === 1) return `${name}/`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return `${name}#${count}/`;
  });
};
