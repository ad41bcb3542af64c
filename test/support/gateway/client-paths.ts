import fc from 'fast-check';

const piece = fc.constantFrom(
  ...['/', '//', '.', '..', 'a', 'B', 'api', 'v1', 'x', '%2e', '%2E', '%2f', '%2F', '%61', '%c3', '%25', '%252e'],
  ...['%252f', '%252F', '%255c', '%5c', '%5C', '%00', '%', ';', '%3B', '{', '~', '2F', '2e', '%3F', '%23', '%20'],
);

/** Paths as clients send them, with everything that attackers put in. Most have a normal form. */
export const clientPaths: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('/', '/api', '/api/', '/api//', '//api/', '/v1/', '/old/'), fc.array(piece, { maxLength: 12 }))
  .map(([first, pieces]) => first + pieces.join(''));
