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
 * `slot`: `?name`. `unclosed`: a string that nothing ends. `invalid`: text that no token begins with; a text in wrong
 * quotes is one such token.
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

/** A word of a policy text, from `start` to before `end`. Keywords are identifiers: most are names in some places. */
export interface Token {
  readonly kind: PolicyTokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Words that are never names. `__cedar` is one too, but may key an annotation as they may. */
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
