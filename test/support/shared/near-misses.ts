import fc from 'fast-check';

/** Texts of a form, as they are or with a few characters taken out, put in or doubled. */
export const nearMisses = (valid: fc.Arbitrary<string>, characters: string): fc.Arbitrary<string> => {
  const change = fc.record({
    at: fc.nat({ max: 60 }),
    removed: fc.nat({ max: 2 }),
    added: fc.string({ unit: fc.constantFrom(...characters), maxLength: 2 }),
  });
  const changed = fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 2 })).map(([text, changes]) =>
    changes.reduce((so, { at, removed, added }) => {
      const place = so.length === 0 ? 0 : at % (so.length + 1);
      return so.slice(0, place) + added + so.slice(place + removed);
    }, text),
  );
  return fc.oneof(valid, changed, fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 }));
};

/** Many at once, for a comparison that costs less in bulk. */
export const many = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: 1, maxLength: 150, size: 'max' });
