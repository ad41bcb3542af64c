export type Punctuation =
  | ','
  | ';'
  | ':'
  | '::'
  | '.'
  | '('
  | ')'
  | '{'
  | '}'
  | '['
  | ']'
  | '@'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '='
  | '&&'
  | '||'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '!';

/**
 * `slot`: `?name`. `unclosed`: a string without an end. `invalid`: text that starts no token; a text in wrong quotes is
 * one such token.
 */
export type PolicyTokenKind =
  | Punctuation
  | 'identifier'
  | 'number'
  | 'string'
  | 'slot'
  | 'unclosed'
  | 'invalid'
  | 'end';

/** A token from `start` to before `end`. Keywords are identifiers, because most can also be names. */
export interface Token {
  readonly kind: PolicyTokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Words that cannot be names. All of them may be the key of an annotation. */
export const reservedWords: ReadonlySet<string> = new Set([
  'true',
  'false',
  'if',
  'then',
  'else',
  'in',
  'is',
  'like',
  'has',
  '__cedar',
]);
