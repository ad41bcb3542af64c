import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { type SourceLines, type SourceSpan, sourceLines } from '../../../domain/agent/policy/source-lines.js';

/** A piece of a policy's text, and where it is. */
export interface SourcePiece {
  readonly file: string;
  readonly line: number;
  /** In characters. */
  readonly column: number;
  readonly text: string;
}

/** Finds pieces in the sources of policies; the lines of each source are found once. */
export class PolicySourcesText {
  readonly #policies: LoadedPolicies;
  readonly #lines = new Map<string, SourceLines>();

  constructor(policies: LoadedPolicies) {
    this.#policies = policies;
  }

  /** Null where the text of the policy is not known. */
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
