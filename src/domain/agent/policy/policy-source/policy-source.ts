import type { SourcePosition as FilePosition } from '../../../configuration/configuration-problem.js';
import type { PolicyPosition, SourceSpan } from '../source-lines.js';

/** A text with policies. */
export interface PolicySource {
  /** As people know it: the path of the file, or the key of the configuration that holds the text. */
  readonly name: string;
  readonly text: string;
}

/** A template with entities in its places, to be a policy. */
export interface PolicyLink {
  /** Of the new policy. */
  readonly id: string;
  /** Id of the template. */
  readonly template: string;
  /** Text of an entity, `Role::"admin"`; null: none is given. */
  readonly principal: string | null;
  readonly resource: string | null;
  /** Where the link is configured; null where that is no file. */
  readonly position: FilePosition | null;
  /** The line there; null: none to show. */
  readonly line: string | null;
}

/** Where a policy was read. */
export interface PolicyOrigin extends PolicySource {
  /** Of the whole policy, its annotations included; for a linked policy that of its template. */
  readonly span: SourceSpan;
  /** Where the span begins. */
  readonly position: PolicyPosition;
}
