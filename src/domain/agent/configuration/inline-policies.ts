import type { AgentOptionProblem } from '../../configuration/agent-option-problem.js';
import type { SourcePosition } from '../../configuration/configuration-problem.js';
import type { TextPlaceLookup } from '../../configuration/schema/problem-report.js';
import type { Located } from '../../configuration/schema/schema.js';
import { parsePolicies } from '../policy/parse/parse-policies.js';
import type { PolicySource } from '../policy/policy-source/policy-source.js';
import { PolicyText } from '../policy/policy-source/policy-text.js';
import type { AuthzOptions } from './agent-configuration.js';

/** Inline policies, with names that distinguish them in messages and policy ids. */
export const inlinePolicies = (texts: readonly string[]): readonly PolicySource[] =>
  texts.map((text, index) => ({ name: texts.length === 1 ? 'policy-inline' : `policy-inline-${index + 1}`, text }));

/** The problems of each inline policy of an enabled `authz` block. Reads no file. */
export const inlinePolicyProblems = (authz: AuthzOptions | undefined): readonly AgentOptionProblem[] => {
  if (authz?.enabled !== true) return [];
  return inlinePolicies(authz.inlinePolicies).flatMap((source, index) => {
    const parsed = parsePolicies(source.text, 'extended');
    if (parsed.ok) return [];
    const text = new PolicyText(source);
    return parsed.error.map(
      ({ message, span, suggestion }): AgentOptionProblem => ({
        severity: 'error',
        option: 'authz',
        message: `${text.placeOf(span)}: ${message}`,
        suggestion,
        place: { key: 'policy-inline', text: { index, offset: span.start } },
      }),
    );
  });
};

const inlineName = /^policy-inline(?:-(\d{1,9}))?$/;

/** The number of the inline text of a source, from 0; null: a file. */
const inlineIndex = (name: string): number | null => {
  const found = inlineName.exec(name);
  return found === null ? null : Number(found[1] ?? 1) - 1;
};

/** The offset of a line and a column in characters, both from 1. */
const offsetOf = (text: string, line: number, column: number): number => {
  let start = 0;
  for (let passed = 1; passed < line; passed += 1) start = text.indexOf('\n', start) + 1;
  return start + [...text.slice(start)].slice(0, column - 1).join('').length;
};

/** The position of an inline policy in the configuration file; null: not inline. */
export const inlinePolicyPlace = (
  source: SourcePosition,
  texts: readonly Located<string>[],
  places: TextPlaceLookup,
): SourcePosition | null => {
  const text = texts[inlineIndex(source.file) ?? -1];
  if (text === undefined || text.position === null) return null;
  return places(text.position, offsetOf(text.value, source.line, source.column));
};

/**
 * Removes the line and column within the text from a message about an inline policy, for messages with a position in
 * the file.
 */
export const withoutInlinePlace = (message: string): string =>
  message.replace(/^(policy-inline(?:-\d+)?):\d+:\d+: /, '$1: ');
