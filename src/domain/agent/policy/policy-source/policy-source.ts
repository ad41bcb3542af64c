import type { SourcePosition as FilePosition } from '../../../configuration/configuration-problem.js';
import type { PolicyPosition, SourceSpan } from '../source-lines.js';

/** A text with policies. */
export interface PolicySource {
  /** The path of the file, or the configuration key that holds the text. */
  readonly name: string;
  readonly text: string;
}

/** A link that creates a policy from a template by filling its slots. */
export interface PolicyLink {
  /** Id of the new policy. */
  readonly id: string;
  /** Id of the template. */
  readonly template: string;
  /** An entity as text, `Role::"admin"`; null if none is given. */
  readonly principal: string | null;
  readonly resource: string | null;
  /** The position of the link; null if it is not in a file. */
  readonly position: FilePosition | null;
  /** The source line at that position; null if there is none to show. */
  readonly line: string | null;
}

/** The source of a policy. */
export interface PolicyOrigin extends PolicySource {
  /** The whole policy, including annotations; for a linked policy, its template. */
  readonly span: SourceSpan;
  /** The start of the span. */
  readonly position: PolicyPosition;
}
