/** The value of a text of decimal digits only; null otherwise. Up to 15 digits are exact. */
export const parseDecimal = (text: string, maxDigits: number): number | null => {
  if (text.length === 0 || text.length > maxDigits) return null;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return null;
  }
  return Number(text);
};
