import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { type SourceLines, type SourceSpan, sourceLines } from '../../../domain/agent/policy/source-lines.js';

/** A part of a policy's text, with its position. */
export interface SourcePiece {
  readonly file: string;
  readonly line: number;
  /** In characters. */
  readonly column: number;
  readonly text: string;
}

/** Finds parts of policies in their sources. It splits each source into lines once. */
export class PolicySourcesText {
  readonly #policies: LoadedPolicies;
  readonly #lines = new Map<string, SourceLines>();

  constructor(policies: LoadedPolicies) {
    this.#policies = policies;
  }

  /** Null: the text of the policy is unknown. */
  piece(policyId: string, span: SourceSpan): SourcePiece | null {
    const origin = this.#policies.sourceOf(policyId);
    if (origin === undefined) return null;
    const lines = this.#lines.get(origin.text) ?? sourceLines(origin.text);
    this.#lines.set(origin.text, lines);
    const { line, column } = lines.positionAt(span.start);
    const characters = [...lines.lineAt(line).slice(0, column - 1)].length;
    return { file: origin.name, line, column: characters + 1, text: origin.text.slice(span.start, span.end) };
  }
}
