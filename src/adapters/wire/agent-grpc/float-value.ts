/** Digits that a float can be trusted with: it has 24 bits. */
const floatDigits = 7;

/** A `float` of the wire as the number that was meant: 0.9 comes as 0.8999999761581421. Null where it is no finite number. */
export const readFloat = (value: number): number | null =>
  Number.isFinite(value) ? Number(value.toPrecision(floatDigits)) : null;
