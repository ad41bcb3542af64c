/** With the flag `u` a pair of surrogates is one character, which this does not match. */
const loneSurrogate = /[\ud800-\udfff]/u;

/** Whether a text has no lone surrogate: one has no UTF-8, and two texts that differ in it alone would be written alike. */
export const isWellFormed = (text: string): boolean => !loneSurrogate.test(text);
