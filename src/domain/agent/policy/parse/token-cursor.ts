import { policyLimits } from '../policy-limits.js';
import type { SourceSpan } from '../source-lines.js';
import type { PolicyDialect } from '../syntax-tree.js';
import { describeToken, hintFor } from './near-misses.js';
import type { PolicyParseProblem } from './policy-parse-problem.js';
import { scanToken } from './scan-token.js';
import type { PolicyTokenKind, Token } from './token.js';

/** Iterates over the tokens of a text and collects problems. At `policyLimits.problems` it jumps to the end. */
export class TokenCursor {
  readonly text: string;
  readonly dialect: PolicyDialect;
  readonly problems: PolicyParseProblem[] = [];
  #token: Token;
  #previousEnd = 0;
  #depth = 0;

  constructor(text: string, dialect: PolicyDialect) {
    this.text = text;
    this.dialect = dialect;
    this.#token = scanToken(text, 0);
  }

  get token(): Token {
    return this.#token;
  }

  at(kind: PolicyTokenKind): boolean {
    return this.#token.kind === kind;
  }

  atWord(word: string): boolean {
    return this.#token.kind === 'identifier' && this.#token.text === word;
  }

  /** Consumes and returns the token. */
  advance(): Token {
    const passed = this.#token;
    this.#previousEnd = passed.end;
    this.#token = scanToken(this.text, passed.end);
    return passed;
  }

  /** Goes back to a consumed token. */
  rewind(token: Token): void {
    this.#token = token;
  }

  /** Consumes the token if it has this kind. */
  take(kind: PolicyTokenKind): boolean {
    if (this.#token.kind !== kind) return false;
    this.advance();
    return true;
  }

  /** As `take`; reports a token of another kind. */
  expect(kind: PolicyTokenKind, expected = `\`${kind}\``, suggestion: string | null = null): boolean {
    if (this.take(kind)) return true;
    this.unexpected(expected, suggestion);
    return false;
  }

  /** The problems in source order. They are not always reported in that order. */
  problemsInOrder(): readonly PolicyParseProblem[] {
    return this.problems.toSorted((left, right) => left.span.start - right.span.start);
  }

  /** From `start` to the end of the last consumed token. */
  spanFrom(start: number): SourceSpan {
    return { start, end: Math.max(start, this.#previousEnd) };
  }

  get previousEnd(): number {
    return this.#previousEnd;
  }

  /** Adds a problem. Always returns null, for the caller to return. */
  report(message: string, { start, end }: SourceSpan, suggestion: string | null = null): null {
    if (this.problems.length < policyLimits.problems) {
      this.problems.push({ message, span: { start, end }, suggestion });
    }
    if (this.problems.length >= policyLimits.problems) {
      this.#token = { kind: 'end', start: this.text.length, end: this.text.length, text: '' };
    }
    return null;
  }

  /** Reports that the token is not the expected one. Always returns null. */
  unexpected(expected: string, suggestion: string | null = null): null {
    const { kind, start, end, text } = this.#token;
    const found = { start, end: kind === 'unclosed' ? start + 1 : end };
    if (kind === 'unclosed') return this.report('this string is not closed', found, hintFor(this.#token, this.text));
    const hint = suggestion ?? hintFor(this.#token, this.text);
    return this.report(`expected ${expected}, found ${describeToken(kind, text)}`, found, hint);
  }

  /** Enters a nesting level. False, and a problem, beyond the limit. Every true result needs a `leave`. */
  enter(): boolean {
    if (this.#depth >= policyLimits.depth) {
      this.tooDeep(this.#token);
      return false;
    }
    this.#depth += 1;
    return true;
  }

  leave(): void {
    this.#depth -= 1;
  }

  resetDepth(): void {
    this.#depth = 0;
  }

  tooDeep(span: SourceSpan): null {
    return this.report(`nested more than ${policyLimits.depth} deep`, span);
  }
}
