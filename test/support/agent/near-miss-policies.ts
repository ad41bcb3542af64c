import fc from 'fast-check';
import { scanToken } from '../../../src/domain/agent/policy/parse/scan-token.js';
import { policySyntaxSamples, policySyntaxTokens } from './policy-syntax-samples.js';

const tokensOf = (text: string): readonly string[] => {
  const tokens: string[] = [];
  for (let token = scanToken(text, 0); token.kind !== 'end'; token = scanToken(text, token.end))
    tokens.push(token.text);
  return tokens;
};

const kindOf = (text: string): string => {
  const token = scanToken(text, 0);
  return token.end === text.length ? token.kind : 'several';
};

const sample = fc.constantFrom(...policySyntaxSamples);
const place = fc.nat();
const anyToken = fc.constantFrom(...policySyntaxTokens);
const likeTokens = (text: string): readonly string[] => {
  const alike = policySyntaxTokens.filter((token) => kindOf(token) === kindOf(text));
  return alike.length === 0 ? [text] : alike;
};

type Edit = (tokens: readonly string[]) => readonly string[];

const editAt = (
  at: number,
  change: (token: string, next: string | undefined) => readonly string[],
  count = 1,
): Edit => {
  return (tokens) => {
    if (tokens.length === 0) return tokens;
    const index = at % tokens.length;
    return [
      ...tokens.slice(0, index),
      ...change(tokens[index] ?? '', tokens[index + 1]),
      ...tokens.slice(index + count),
    ];
  };
};

const edit: fc.Arbitrary<Edit> = fc.oneof(
  place.map((at) => editAt(at, () => [])),
  place.map((at) => editAt(at, (token) => [token, token])),
  place.map((at) => editAt(at, (token, next) => (next === undefined ? [token] : [next, token]), 2)),
  place.map((at) => editAt(at, (token) => ['(', token, ')'])),
  fc.tuple(place, anyToken).map(([at, token]) => editAt(at, (before) => [token, before])),
  fc.tuple(place, anyToken).map(([at, token]) => editAt(at, () => [token])),
  {
    weight: 4,
    arbitrary: fc.tuple(place, place).map(([at, choice]) =>
      editAt(at, (token) => {
        const alike = likeTokens(token);
        return [alike[choice % alike.length] ?? token];
      }),
    ),
  },
);

const separator = fc.oneof(
  { weight: 12, arbitrary: fc.constant(' ') },
  fc.constantFrom('', '\n', '// c\n', '\u00a0', '\t', '\u2003'),
);

const editedTokens = fc
  .tuple(sample, fc.array(edit, { maxLength: 2 }), fc.array(separator, { minLength: 1, maxLength: 8 }))
  .map(([text, edits, separators]) =>
    edits
      .reduce((tokens: readonly string[], change) => change(tokens), tokensOf(text))
      .map((token, index) => token + (separators[index % separators.length] ?? ' '))
      .join(''),
  );

const oddCharacters = [...'"\\*{}() \naux0_-!.:=\r@?|&[];/,\u00a0é'];

const editedCharacters = fc
  .tuple(
    sample,
    fc.array(fc.tuple(place, fc.nat(2), fc.constantFrom(...oddCharacters)), { minLength: 1, maxLength: 2 }),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [at, removed, character]) => {
      const index = at % (edited.length + 1);
      return edited.slice(0, index) + (removed === 2 ? '' : character) + edited.slice(index + Math.min(removed, 1));
    }, text),
  );

/** Texts that are policies or nearly so. */
export const nearMissPolicies: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: editedTokens },
  editedCharacters,
);
