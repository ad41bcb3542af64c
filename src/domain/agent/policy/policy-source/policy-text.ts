import type { ConfigurationProblem } from '../../../configuration/configuration-problem.js';
import { escapeInvisible } from '../abbreviate-text.js';
import { type SourceLines, type SourceSpan, sourceLines } from '../source-lines.js';
import type { PolicyOrigin, PolicySource } from './policy-source.js';

/** Maximum length of a line that is shown, in UTF-16 code units. */
const maxShownLineLength = 4096;

export interface PolicyRemark {
  readonly severity: ConfigurationProblem['severity'];
  readonly message: string;
  readonly suggestion: string | null;
}

/** A policy source with a line index. */
export class PolicyText {
  readonly source: PolicySource;
  #lines: SourceLines | null = null;

  constructor(source: PolicySource) {
    this.source = source;
  }

  get #sourceLines(): SourceLines {
    this.#lines ??= sourceLines(this.source.text);
    return this.#lines;
  }

  problemAt({ start }: SourceSpan, { severity, message, suggestion }: PolicyRemark): ConfigurationProblem {
    const { line, column } = this.#sourceLines.positionAt(start);
    const text = this.#sourceLines.lineAt(line);
    const position = { file: this.source.name, line, column };
    if (text.length > maxShownLineLength) return { severity, message, position, line: null, suggestion };
    // Problems count columns in characters, sources in UTF-16 code units.
    const characters = [...text.slice(0, column - 1)].length;
    return { severity, message, position: { ...position, column: characters + 1 }, line: text, suggestion };
  }

  originOf(span: SourceSpan): PolicyOrigin {
    return { ...this.source, span, position: this.#sourceLines.positionAt(span.start) };
  }

  /** `<file>:<line>:<column>`. */
  placeOf({ start }: SourceSpan): string {
    const { line, column } = this.#sourceLines.positionAt(start);
    return `${escapeInvisible(this.source.name)}:${line}:${column}`;
  }
}
